"""The Transcript tab: what the run tells while it goes on, and for a past moment how it came to it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from selfheal_tui.engine.moment.events import (
    CallFinished,
    CallWaits,
    CaseFinished,
    CheckpointSaved,
    Event,
    NodeStarted,
    ReviewRequested,
    RunFailed,
    RunFinished,
    ThoughtStreamed,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.text import one_line

from ...kit.transcript import Transcript
from ...view.log_lines import log_line, moment_line

ENDS_STREAMS = (NodeStarted, CheckpointSaved, ReviewRequested, RunFinished, RunFailed)
"""Events after which no model that spoke before goes on with its sentence."""
_MOMENTS = 500
"""Newest moments that are told of the past."""


class TranscriptTab(Vertical):
    """Holds two transcripts, of which the class `-past` shows the second."""

    DEFAULT_CSS = """
    TranscriptTab {
        Transcript { height: 1fr; }
        #transcript-past { display: none; }
        &.-past #transcript-past { display: block; }
        &.-past #transcript-live { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._live = Transcript(id="transcript-live")
        self._past = Transcript(id="transcript-past")

    def compose(self) -> ComposeResult:
        yield from (self._live, self._past)

    @property
    def live_text(self) -> str:
        """What the run has told so far."""
        return self._live.text

    def tell(self, event: Event) -> None:
        """Write an event; tokens as they come."""
        match event:
            case TokenStreamed():
                self._live.append(event.text, event.by)
            case ThoughtStreamed():
                self._live.append(event.text, f"{event.by or event.role} thinks", quiet=True)
            case CallFinished() | CallWaits():
                self._live.write_line(log_line(event), event.by)
            case ToolCalled():
                self._live.fold(log_line(event), [event.thought, event.observation])
            case CaseFinished():
                self._live.add_case(event.case["outcome"], log_line(event).strip())
            case _:
                if isinstance(event, ENDS_STREAMS):
                    self._live.end_streams()
                if line := log_line(event):
                    self._live.write_line(line)

    def note(self, words: str) -> None:
        """Write what happened to the history itself, as an undo, among what the run tells."""
        self._live.end_streams()
        self._live.write_line(f"── {one_line(words, 300)}")

    def begin(self, lineage: Sequence[Checkpoint]) -> None:
        """Begin the transcript of a reopened session with its moments so far."""
        if lineage:
            _write_moments(self._live, lineage)
            self._live.write_line("── opened again")

    def show_past(self, snapshot: Snapshot, lineage: Sequence[Checkpoint]) -> None:
        """Tell how it came to a past moment."""
        self._past.clear()
        _write_moments(self._past, lineage)
        for step in snapshot.debug_steps:
            arguments = ", ".join(str(value) for value in step["arguments"].values() if value)
            self._past.fold(one_line(f"   {step['tool']} {arguments}", 200), [step["thought"], step["observation"]])


def _write_moments(transcript: Transcript, lineage: Sequence[Checkpoint]) -> None:
    told = [line for checkpoint in lineage if (line := moment_line(checkpoint))]
    # The beginning is two moments: before and after the files were copied.
    lines = [line for number, line in enumerate(told) if not number or line != told[number - 1]]
    if len(lines) > _MOMENTS:
        transcript.write_line(f"({len(lines) - _MOMENTS} earlier moments: T)")
    for line in lines[-_MOMENTS:]:
        transcript.write_line(line)
