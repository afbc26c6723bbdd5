"""Fold a timeline into rows to draw: one per meaningful moment, side branches indented where they start.

    ○ start main
    ✗ suite 3/7                          #0
    ◇ diagnosis  line 8: it compares with <=
    ◇ 2 candidates  1: line 8 `<=` → `<`
    ├ branch-2  your decision
    │ ↺ rejected by you  too wide
    │ ◆ your decision  repair
    ✓ took 1: line 8 `<=` → `<`  by you
    ✓ suite 7/7  healed  was 3/7         #1

Branches that are hidden fold into one line where they start, but for the one that is looked at.
Drawn from parent ids only. Every checkpoint has one row: its own, or the next shown one below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from selfheal_tui.engine.moment.node_facts import NODE_FACTS, facts_of, was_passed_over
from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline
from selfheal_tui.engine.moment.words import decision_reason, verdict_word
from selfheal_tui.text import both_ends, one_line, plural, short_number

from .words import outcome_words

Tone = Literal["plain", "good", "bad", "ask", "quiet", "branch"]

MAX_DEPTH = 10
"""Branches nested deeper are drawn at this depth, so that the tree never runs off the screen."""

WHY_HIDDEN: Mapping[str, str] = {"you": "hidden", "undone": "taken back", "race": "not kept", "deleted": "deleted"}
"""Why a branch is hidden -> in words, as the list of branches says it too."""

GIST_SHOWN = 120
"""Characters of what a step did; the row cuts it where there is less room."""
_GLYPHS = {"start": "○", "apply": "✓"}
"""Node -> glyph of its row, where it is not that of a step."""
_VERDICTS: Mapping[str, tuple[str, Tone]] = {
    "approve": ("✓", "good"),
    "edit": ("✎", "good"),
    "reject": ("↺", "bad"),
    "stop": ("■", "bad"),
}
"""Verdict -> glyph, tone."""


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
    depth: int = 0
    """How many branches it is within; for the row that opens a branch, how many its moments are."""
    head: Literal["", "branch", "iteration"] = ""
    """What folds away below this row."""


@dataclass(frozen=True, slots=True)
class TimelineRows:
    """The drawn tree and where each checkpoint is found in it."""

    rows: tuple[TimelineRow, ...]
    index_of: Mapping[str, int]
    """Checkpoint id -> position in `rows`, also for checkpoints folded into another row."""


@dataclass(slots=True)
class _Walk:
    """A line of checkpoints still to be drawn."""

    at: Checkpoint
    rails: str
    """Graph before the line's rows."""
    head_rails: str
    """Graph before the branch row that opens the line."""
    opens: bool
    """Starts a branch; else it goes on after side branches."""
    depth: int = 0


def build_timeline_rows(timeline: Timeline, position: str | None = None) -> TimelineRows:
    """Fold the timeline, oldest first; a side branch stands directly below the moment it starts from.

    `position` is the moment that is looked at: its branch is drawn even when it is hidden.
    """
    by_id = timeline.checkpoints
    hidden = _hidden(timeline, position)
    rows: list[TimelineRow] = []
    index_of: dict[str, int] = {}
    roots = [c for c in by_id.values() if c.parent_id is None or c.parent_id not in by_id]
    todo = [_Walk(root, "", "", True) for root in reversed(roots)]
    while todo:
        walk = todo.pop()
        at: Checkpoint | None = walk.at
        unplaced: list[str] = []
        if walk.opens:
            rows.append(_branch_row(timeline, walk))
            index_of[walk.at.id] = len(rows) - 1
        while at is not None:
            kids = [by_id[i] for i in timeline.children.get(at.id, ())]
            heir = next((k for k in kids if k.branch == at.branch), None)
            parent = by_id.get(at.parent_id or "")
            opening = walk.opens and at is walk.at
            if _is_told(at, parent):
                index_of[at.id] = index_of[parent.id] if parent is not None else 0
            elif _is_shown(at, parent, opening, folds=heir is not None and len(kids) == 1):
                row = _moment_row(at, parent, heir, walk.rails)
                rows.append(replace(row, depth=walk.depth, head="iteration" if at.node == "run_suite" else ""))
                index_of[at.id] = len(rows) - 1
            if at.id in index_of:
                index_of.update(dict.fromkeys(unplaced, index_of[at.id]))
                unplaced.clear()
            else:
                unplaced.append(at.id)
            sides = [k for k in kids if k is not heir]
            if away := [k for k in sides if k.branch in hidden]:
                sides = [k for k in sides if k.branch not in hidden]
                rows.append(replace(_hidden_row(away, timeline, walk.rails), depth=walk.depth))
                _place(timeline, away, index_of, len(rows) - 1)
            if sides:
                todo += _walks(walk, heir, sides)
                heir = None
            at = heir
    return TimelineRows(tuple(rows), index_of)


def has_row(timeline: Timeline, at: Checkpoint) -> bool:
    """Tell whether a moment has a row of its own, and does not stand behind the next one."""
    parent = timeline.checkpoints.get(at.parent_id or "")
    if parent is None or parent.branch != at.branch:
        return True
    if _is_told(at, parent):
        return False
    following = timeline.children.get(at.id, ())
    folds = len(following) == 1 and timeline.checkpoints[following[0]].branch == at.branch
    return _is_shown(at, parent, False, folds=folds)


def moment_words(timeline: Timeline, checkpoint_id: str) -> str:
    """Say what happened at a moment, as its row in the tree does; empty for one that is not there."""
    at = timeline.checkpoints.get(checkpoint_id)
    if at is None:
        return ""
    kids = (timeline.checkpoints[kid] for kid in timeline.children.get(checkpoint_id, ()))
    heir = next((kid for kid in kids if kid.branch == at.branch), None)
    row = _moment_row(at, timeline.checkpoints.get(at.parent_id or ""), heir, "")
    return f"{row.text} · {row.detail}" if row.detail else row.text


def carried_out_words(timeline: Timeline, checkpoint_id: str) -> str:
    """Say what came of the decision of a moment, as its row does: `took 1: line 8 `<` → `<=``; empty where nothing."""
    at = timeline.checkpoints.get(checkpoint_id)
    kids = (timeline.checkpoints[kid] for kid in timeline.children.get(checkpoint_id, ()))
    heir = next((kid for kid in kids if at is not None and kid.branch == at.branch), None)
    return _gist(heir) if heir is not None and _is_told(heir, at) else ""


def _hidden(timeline: Timeline, position: str | None) -> set[str]:
    """Return the branches to fold: hidden ones, unless one that is drawn starts from them."""
    hidden = {name for name, branch in timeline.branches.items() if branch.hidden}
    drawn = [name for name in timeline.branches if name not in hidden] if hidden else []
    if hidden and (looked_at := timeline.checkpoints.get(position or "")) is not None:
        drawn.append(looked_at.branch)
    visited: set[str] = set()
    for name in drawn:
        start: str | None = name
        while start is not None and start not in visited:
            visited.add(start)
            hidden.discard(start)
            forked_from = timeline.branches[start].forked_from
            start = timeline.checkpoints[forked_from].branch if forked_from else None
    return hidden


def _hidden_row(away: list[Checkpoint], timeline: Timeline, rails: str) -> TimelineRow:
    reasons = {timeline.branches[at.branch].hidden for at in away}
    words = WHY_HIDDEN.get(reasons.pop(), "hidden") if len(reasons) == 1 else "hidden"
    # Who takes something back never gave its branch a name.
    named = [at.branch for at in away if timeline.branches[at.branch].hidden != "undone"]
    more = f" and {len(named) - 1} more" if len(named) > 1 else ""
    detail = f"{both_ends(named[0], 40)}{more}" if named else ""
    return TimelineRow(
        away[0].id, rails, "…", f"{plural(len(away), 'branch', 'branches')} {words}", detail, None, "quiet"
    )


def _place(timeline: Timeline, away: list[Checkpoint], index_of: dict[str, int], row: int) -> None:
    """Let all that begins with these checkpoints be found at one row."""
    todo = [checkpoint.id for checkpoint in away]
    while todo:
        at = todo.pop()
        index_of[at] = row
        todo += timeline.children.get(at, ())


def _walks(above: _Walk, heir: Checkpoint | None, sides: list[Checkpoint]) -> list[_Walk]:
    """Return what is to be drawn below a fork, last first: its branches, then the line that goes on."""
    rails, deeper = above.rails, above.depth + 1
    walks = [_Walk(heir, rails, "", False, above.depth)] if heir is not None else []
    for side in reversed(sides):
        last = heir is None and side is sides[-1]
        fork, below = ("╰ ", "  ") if last else ("├ ", "│ ")
        walks.append(_Walk(side, _deeper(rails, below), _deeper(rails, fork), True, deeper))
    return walks


def _deeper(rails: str, more: str) -> str:
    return rails + more if len(rails) < 2 * MAX_DEPTH else rails[:-2] + more


def _is_shown(at: Checkpoint, parent: Checkpoint | None, opening: bool, *, folds: bool) -> bool:
    """Tell whether a checkpoint gets a row; `folds` when exactly one goes on from it, on the same branch."""
    if at.pending or _ends(at):
        return True
    if parent is not None and parent.node == at.node and at.outcome:
        return False  # stopped while it ran: the end below says so
    if opening and _is_in_branch_row(at, parent):
        return False
    return (
        not folds
        or bool(at.heard)
        or not (facts_of(at.node).folded or _was_refused(at, parent) or was_passed_over(at.node, at.decision))
    )


def _is_in_branch_row(at: Checkpoint, parent: Checkpoint | None) -> bool:
    """Tell whether the row that opens a branch says all there is to say of its first moment."""
    return at.node == "start" or (parent is not None and parent.node == at.node)


def _is_told(at: Checkpoint, parent: Checkpoint | None) -> bool:
    """Tell whether `apply` carried out what the row of the decision says already."""
    if at.node != "apply" or not at.gist or parent is None or _ends(at):
        return False
    return at.branch == parent.branch and _verdict(parent) in ("approve", "edit", "reject")


def _ends(at: Checkpoint) -> bool:
    """Tell whether this is the end itself, and not the step that led to it."""
    return bool(at.outcome) and at.next != ("conclude",)


def _was_refused(at: Checkpoint, parent: Checkpoint | None) -> bool:
    """Tell whether `apply` only took note of a rejection."""
    return at.node == "apply" and _verdict(parent) == "reject"


def _verdict(checkpoint: Checkpoint | None) -> str:
    return (checkpoint.decision or {}).get("verdict", "") if checkpoint is not None else ""


def _branch_row(timeline: Timeline, walk: _Walk) -> TimelineRow:
    at = walk.at
    name = one_line(at.branch, 60)
    if not walk.head_rails:
        return TimelineRow(at.id, "", "○", "start", name, None, "quiet")
    branch = timeline.branches.get(at.branch)
    state = outcome_words(branch.outcome)[1] if branch is not None else ""
    parent = timeline.checkpoints.get(at.parent_id or "")
    change = _gist(at) if _is_in_branch_row(at, parent) else ""
    detail = "  ".join(words for words in (state, change) if words)
    return TimelineRow(at.id, walk.head_rails, "", name, detail, None, "branch", walk.depth, "branch")


def _gist(at: Checkpoint) -> str:
    """Return what a step did as the tree shows it."""
    return one_line(at.gist, GIST_SHOWN).replace(" -> ", " → ")


def _moment_row(at: Checkpoint, parent: Checkpoint | None, heir: Checkpoint | None, rails: str) -> TimelineRow:
    if at.pending:
        return TimelineRow(at.id, rails, "◆", "your decision", at.pending, None, "ask")
    glyph, ending, _ = outcome_words(at.outcome) if _ends(at) else ("", "", "")
    if words := _fork_gist(at, parent):
        return TimelineRow(at.id, rails, "✎", words, ending, None, "plain")
    if parent is not None and at.branch != parent.branch and at.node not in parent.next:
        return TimelineRow(at.id, rails, "✎", facts_of(at.node).by_hand, ending or _gist(at), None, "plain")
    if at.node == "run_suite":
        return _suite_row(at, rails, ending)
    if at.decision is not None:
        return _decision_row(at, at.decision, heir, rails, ending)
    if _ends(at):
        tone: Tone = "good" if at.outcome in WELL_ENDED else "bad"
        return TimelineRow(at.id, rails, glyph, ending, _gist(at), None, tone)
    if _was_refused(at, parent):
        return TimelineRow(at.id, rails, "·", "rejection noted", "", None, "quiet")
    facts = facts_of(at.node)
    if at.heard:
        text = "note read" if facts.folded else f"{facts.row}, note read"
        return TimelineRow(at.id, rails, "✎", text, f"“{one_line(at.heard)}”", None, "plain")
    glyph = _GLYPHS.get(at.node, "◇" if at.node in NODE_FACTS else "·")
    words = "no repair found" if at.node == "rank" and at.next and "review_repair" not in at.next else facts.row
    return TimelineRow(at.id, rails, glyph, words, _gist(at), None, "quiet" if facts.folded else "plain")


def fork_gist(timeline: Timeline, checkpoint_id: str) -> str:
    """Say what a fork told the search or the models at this moment: `look first at shop.py:8`; empty elsewhere."""
    at = timeline.checkpoints.get(checkpoint_id)
    return _fork_gist(at, timeline.checkpoints.get(at.parent_id or "")) if at is not None else ""


def _fork_gist(at: Checkpoint, parent: Checkpoint | None) -> str:
    if parent is None or at.branch == parent.branch or at.node == parent.node:
        return ""
    steers = at.node not in parent.next if at.node == "run_suite" else bool(facts_of(at.node).asks)
    return _gist(at) if steers else ""


def _decision_row(
    at: Checkpoint, decision: Mapping[str, str], heir: Checkpoint | None, rails: str, ending: str
) -> TimelineRow:
    verdict = decision.get("verdict", "")
    glyph, tone = _VERDICTS.get(verdict, ("◇", "plain"))
    text = verdict_word(decision) or "decided"
    by = decision.get("by", "")
    who = {"human": " by you", "policy": " by autonomy", "": ""}.get(by, f" by {one_line(by)}")
    note = decision_reason(decision)
    detail = ending if ending and ending != text else note
    carried_out = _gist(heir) if heir is not None and _is_told(heir, at) else ""
    if carried_out and verdict != "reject":
        text, who, detail = carried_out, "", "  ".join(words for words in (who.strip(), note) if words)
    elif carried_out:
        detail = "  ".join(words for words in (note, carried_out) if words)
    return TimelineRow(at.id, rails, glyph, text + who, detail, None, "quiet" if by == "policy" else tone)


def _suite_row(at: Checkpoint, rails: str, ending: str) -> TimelineRow:
    if at.passed is None or at.failed is None:
        return TimelineRow(at.id, rails, "◇", "suite", ending or "ran", at.iteration, "plain")
    total = at.passed + at.failed
    ending = "  ".join(word for word in (ending, _gist(at), _bill(at)) if word)
    if total == 0:
        return TimelineRow(at.id, rails, "✗", "suite error", ending, at.iteration, "bad")
    text = f"suite {at.passed}/{total}"
    if at.failed:
        return TimelineRow(at.id, rails, "✗", text, ending, at.iteration, "bad")
    return TimelineRow(at.id, rails, "✓", text, ending, at.iteration, "good")


def _bill(at: Checkpoint) -> str:
    """Say what the line has cost up to here; empty where no model was paid."""
    if at.spent is None or not at.spent[0]:
        return ""
    calls, tokens, cost, _ = at.spent
    return f"${cost:.2f}" if cost else short_number(tokens) if tokens >= 1000 else plural(calls, "call")
