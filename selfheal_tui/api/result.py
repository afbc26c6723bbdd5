"""What a call of `heal` comes to: a frozen value that shows itself in a console and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.cli.result import result_of
from selfheal_tui.engine.moment.events import Event, ReviewRequested
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED, Advice, Spent
from selfheal_tui.sandbox.base import SuiteReport

from . import shown
from .review import Review, build_question


@dataclass(frozen=True, slots=True, repr=False)
class Doubt:
    """What speaks against a program though its tests pass."""

    why: str
    """In a sentence or more."""
    call: str
    """The call that the tests leave open; empty where it is about no call."""
    values: tuple[str, ...]
    """What programs give for it that all pass the tests; that of `Result.files` comes first."""

    def __repr__(self) -> str:
        return f"<Doubt {shown.plain_line(self.why)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """How a run ended, and what it made of the program."""

    outcome: str
    """healed, nothing_to_heal, waiting, gave_up, stalled, budget or stopped."""
    reason: str
    """Why it ended so, in a sentence; may be empty."""
    code: str | None
    """The program's text; None where it has several files."""
    files: Mapping[str, str]
    """Path -> text of the program."""
    changed: tuple[str, ...]
    """Paths whose text is not as it was given."""
    diff: str
    """What was changed, as a unified diff; text of a model or of the search."""
    report: SuiteReport | None
    """The newest run of the tests."""
    iterations: int
    """Repairs that were tried."""
    spent: Spent
    """Calls, tokens, dollars (None: not known) and seconds."""
    doubts: tuple[Doubt, ...]
    confidence: float | None
    """0 to 1: how sure the search is of the least sure repair that was taken; None where nobody can say."""
    advice: Mapping[str, Advice]
    """Name of an advisor -> what it found."""
    review: Review | None
    """The question that waits; None where none does."""
    session: str
    """Id of the session."""
    folder: Path
    """The session's folder: `Session.open(result.folder)` reads it."""
    checkpoint: str
    """The moment at which the run ended."""

    @property
    def healed(self) -> bool:
        """Whether all tests pass now."""
        return self.outcome in WELL_ENDED

    def write(self, folder: str | Path | None = None) -> list[Path]:
        """Write the changed files to where they came from, or the whole program into `folder`; return what was written.

        A file that was changed meanwhile is left alone. Raises: InputError, and nothing is written then.
        """
        from .writing import write_result

        return write_result(self.folder, self.checkpoint, folder)

    def __repr__(self) -> str:
        return shown.line(self)

    def __str__(self) -> str:
        """Return it for a terminal: how it ended, what was changed, and what speaks against it."""
        return shown.plain(self)

    def _repr_html_(self) -> str:
        return shown.html(self)

    def _repr_markdown_(self) -> str:
        return shown.markdown(self)


def build_result_of(last: Event | None, newest: Snapshot | None, session_id: str, folder: Path) -> Result:
    """Build the result of a run that ended with `last`; `newest` is the newest moment that it saved."""
    told, _ = result_of(last, newest, session_id)
    files: dict[str, str] = told["files"]
    asks = isinstance(last, ReviewRequested)
    return Result(
        outcome=told["outcome"],
        reason=told["reason"],
        code=next(iter(files.values())) if len(files) == 1 else None,
        files=files,
        changed=tuple(told["changed"]),
        diff=told["diff"],
        report=told["report"],
        iterations=told["iteration"],
        spent=told["spent"],
        doubts=tuple(_doubt(one) for one in told["doubts"]),
        confidence=told["confidence"],
        advice=told["advice"],
        review=build_question(last.snapshot, last.kind, session_id) if asks else None,  # type: ignore[union-attr]
        session=session_id,
        folder=folder,
        checkpoint=told["checkpoint_id"],
    )


def _doubt(told: Mapping[str, Any]) -> Doubt:
    return Doubt(told["why"], told["call"], tuple(told["values"]))
