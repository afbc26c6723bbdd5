"""Fold a timeline into rows to draw: one per meaningful moment, side branches indented where they start.

    ○ start main
    ✗ suite 3/7          #0
    ◇ diagnosis
    ◇ repair proposed
    ├ branch-2 · waiting
    │ ↺ rejected by you
    │ ◆ your decision
    ✓ approved by you
    ✓ suite 7/7 healed   #1

Drawn from parent ids only. Every checkpoint has one row: its own, or the next shown one below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from selfheal_tui.engine.timeline import Checkpoint, Timeline
from selfheal_tui.text import one_line

Tone = Literal["plain", "good", "bad", "ask", "quiet", "branch"]

MAX_DEPTH = 10
"""Branches nested deeper are drawn at this depth, so that the tree never runs off the screen."""

_FOLDED = frozenset({"start", "propose", "learn"})
_LABELS: Mapping[str, tuple[str, str]] = {
    "start": ("○", "start"),
    "generate": ("◇", "code written"),
    "diagnose": ("◇", "diagnosis"),
    "propose": ("◇", "repairs drafted"),
    "rehearse": ("◇", "repair proposed"),
    "apply": ("✓", "applied"),
}
_VERDICTS: Mapping[str, tuple[str, str, Tone]] = {
    "approve": ("✓", "approved", "good"),
    "edit": ("✎", "edited", "good"),
    "reject": ("↺", "rejected", "bad"),
    "stop": ("■", "stopped", "bad"),
}
_ENDINGS: Mapping[str, tuple[str, str]] = {
    "healed": ("✓", "healed"),
    "gave_up": ("✗", "gave up"),
    "stalled": ("✗", "stalled"),
    "budget": ("✗", "limit reached"),
    "stopped": ("■", "stopped"),
    "failed": ("✗", "failed"),
}


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One line of the drawn tree."""

    checkpoint_id: str
    """The moment that the row stands for; a branch row stands for the branch's first one."""
    rails: str
    """Graph drawn before the glyph: `│ ├ `."""
    glyph: str
    text: str
    """What happened, in a few words."""
    detail: str
    """Less important words; dropped or cut first."""
    iteration: int | None
    """Shown on suite rows only."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class TimelineRows:
    """The drawn tree and where each checkpoint is found in it."""

    rows: tuple[TimelineRow, ...]
    index_of: Mapping[str, int]
    """Checkpoint id -> position in `rows`, also for checkpoints folded into another row."""


def build_timeline_rows(timeline: Timeline) -> TimelineRows:
    """Fold the timeline, oldest first; a side branch stands directly below the moment it starts from."""
    rows: list[TimelineRow] = []
    index_of: dict[str, int] = {}
    known = timeline.checkpoints
    roots = [c for c in known.values() if c.parent_id is None or c.parent_id not in known]
    # Each entry: first checkpoint of a branch, rails of its own head row, rails of the rows below it.
    todo: list[tuple[Checkpoint, str, str, bool]] = [(c, "", "", False) for c in reversed(roots)]
    while todo:
        at, head_rails, rails, resumed = todo.pop()
        folded: list[str] = []
        if not resumed:
            rows.append(_branch_row(timeline, at, head_rails))
            index_of[at.id] = len(rows) - 1
        while True:
            kids = [known[i] for i in timeline.children.get(at.id, ())]
            heir = next((k for k in kids if k.branch == at.branch), None)
            shown = _is_shown(at, kids, heir) and not (at.id in index_of and _is_branch_copy(known, at))
            if at.id in index_of and at.node == "start" and not at.pending and not at.outcome:
                shown = False
            if shown:
                rows.append(_moment_row(at, rails, is_head=not kids))
                index_of[at.id] = len(rows) - 1
            if at.id in index_of:
                index_of.update(dict.fromkeys(folded, index_of[at.id]))
                folded = []
            else:
                folded.append(at.id)
            sides = [k for k in kids if k is not heir]
            if sides:
                if heir is not None:
                    todo.append((heir, "", rails, True))
                for k in reversed(sides):
                    last = heir is None and k is sides[-1]
                    todo.append(
                        (
                            k,
                            _deeper(rails, "╰ " if last else "├ "),
                            _deeper(rails, "  " if last else "│ "),
                            False,
                        )
                    )
                break
            if heir is None:
                break
            at = heir
    return TimelineRows(tuple(rows), index_of)


def _deeper(rails: str, more: str) -> str:
    return rails + more if len(rails) < 2 * MAX_DEPTH else rails[:-2] + more


def _is_shown(at: Checkpoint, kids: list[Checkpoint], heir: Checkpoint | None) -> bool:
    if at.node not in _FOLDED or at.pending or at.outcome:
        return True
    return heir is None or len(kids) > 1


def _is_branch_copy(known: Mapping[str, Checkpoint], at: Checkpoint) -> bool:
    """Tell whether a branch's first checkpoint only repeats the moment that the branch starts from."""
    parent = known.get(at.parent_id or "")
    return parent is not None and parent.node == at.node and not at.pending and not at.outcome


def _branch_row(timeline: Timeline, at: Checkpoint, rails: str) -> TimelineRow:
    branch = timeline.branches.get(at.branch)
    state = branch.outcome if branch is not None else ""
    name = one_line(at.branch, 60)
    detail = "running" if state == "running" else _ENDINGS.get(state, ("", state))[1]
    if rails == "":
        return TimelineRow(at.id, "", "○", "start", name, None, "quiet")
    return TimelineRow(at.id, rails, "", name, detail, None, "branch")


def _moment_row(at: Checkpoint, rails: str, *, is_head: bool) -> TimelineRow:
    if at.pending:
        return TimelineRow(at.id, rails, "◆", "your decision", at.pending, None, "ask")
    ending = _ENDINGS.get(at.outcome, ("", at.outcome)) if at.outcome else ("", "")
    if at.node == "run_suite":
        return _suite_row(at, rails, ending[1])
    if at.decision is not None:
        glyph, text, tone = _VERDICTS.get(at.decision.get("verdict", ""), ("◇", "decided", "plain"))
        by = at.decision.get("by", "")
        if by == "policy" and tone == "good":
            tone = "quiet"
        who = {"human": " by you", "policy": " by policy"}.get(by, "")
        more = ending[1] if ending[1] and ending[1] != text else one_line(at.decision.get("note", ""))
        return TimelineRow(at.id, rails, glyph, text + who, more, None, tone)
    if at.outcome:
        tone = "good" if at.outcome == "healed" else "bad"
        return TimelineRow(at.id, rails, ending[0] or "■", ending[1], "", None, tone)
    glyph, text = _LABELS.get(at.node, ("·", at.node.replace("_", " ")))
    return TimelineRow(at.id, rails, glyph, text, "", None, "quiet" if at.node in _FOLDED else "plain")


def _suite_row(at: Checkpoint, rails: str, ending: str) -> TimelineRow:
    if at.passed is None or at.failed is None:
        return TimelineRow(at.id, rails, "◇", "suite", ending or "ran", at.iteration, "plain")
    total = at.passed + at.failed
    if total == 0:
        return TimelineRow(at.id, rails, "✗", "suite error", ending, at.iteration, "bad")
    good = at.failed == 0
    text = f"suite {at.passed}/{total}"
    return TimelineRow(
        at.id, rails, "✓" if good else "✗", text, ending, at.iteration, "good" if good else "bad"
    )
