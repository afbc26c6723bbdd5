"""How a session stands, for the editor: in words, and the change that it came to. Pure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from acp.helpers import SessionUpdate, start_tool_call

from selfheal_tui.engine.loop.reviews.table import waits_line
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot
from selfheal_tui.engine.moment.words import bill_words, not_verified_line, report_line
from selfheal_tui.text import outcome_word, plural

from .markup import prose
from .questions import diffs

_REASON = 1000


def result_words(snapshot: Snapshot) -> str:
    """Say how a run ended, what speaks against it, and what can be done now."""
    lines = [f"**{outcome_word(snapshot.outcome).capitalize()}**: {prose(snapshot.reason, _REASON)}"]
    if snapshot.report is not None:
        lines.append(f"Tests: {prose(report_line(snapshot.report))}.")
        if doubt := not_verified_line(snapshot.report):
            lines.append(prose(doubt, _REASON))
    doubts = doubts_of_snapshot(snapshot)
    lines += [f"⚠ {prose(one, _REASON)}" for one in doubts if one not in snapshot.reason]
    has_gain = snapshot.program != snapshot.base
    if snapshot.outcome not in WELL_ENDED:
        lines.append(f"`/undo` takes your last decision back{'; `/apply unhealed` writes this' if has_gain else ''}.")
    return "\n\n".join(lines)


def result_updates(snapshot: Snapshot, root: Path | None, new_id: Callable[[], str]) -> list[SessionUpdate]:
    """Return the change that a run came to, where it did not heal; a healed one is shown where it is asked about."""
    if snapshot.outcome in WELL_ENDED or snapshot.program == snapshot.base:
        return []
    content, locations = diffs(snapshot.base, snapshot.program, root)
    title = f"Changed so far: {plural(len(content), 'file')}; nothing is written"
    return [start_tool_call(new_id(), title, kind="other", status="completed", content=content, locations=locations)]


def status_words(title: str, snapshot: Snapshot, *, running: bool) -> str:
    """Say where a session stands; `running` where neither an end nor a question was reached."""
    lines = [f"**{prose(title, 100)}**, {plural(snapshot.iteration, 'repair')} tried"]
    if snapshot.report is not None:
        lines.append(f"tests: {prose(report_line(snapshot.report))}")
    if snapshot.pending:
        lines.append(waits_line(snapshot.pending))
    elif snapshot.outcome:
        lines.append(f"{outcome_word(snapshot.outcome)}: {prose(snapshot.reason, _REASON)}")
    elif running:
        lines.append("unfinished: `/resume` goes on")
    lines.append(bill_words(snapshot.spent, snapshot.limits))
    return " · ".join(lines)
