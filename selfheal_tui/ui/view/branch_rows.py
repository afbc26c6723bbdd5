"""The list of branches as text: in which order, what each cell says. Pure."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.engine.moment.timeline import Branch, Timeline
from selfheal_tui.text import one_line, short_number, size_words

from .timeline_rows import WHY_HIDDEN
from .words import outcome_words

_DIM = "$foreground 60%"
_COLUMNS: dict[str, tuple[str, int, int]] = {
    "outcome": ("Outcome", 16, 0),
    "passed": ("Pass", 7, 0),
    "spent": ("Spent", 12, 76),
    "size": ("Size", 7, 90),
    "from": ("From", 16, 100),
    "hidden": ("", 10, 0),
}
"""Column -> heading, width in cells, from which width of the terminal it is shown."""


def branch_columns(width: int) -> list[tuple[str, str, int]]:
    """Return (column, heading, width) for a terminal's width; name and note share what is left."""
    fixed = [(name, heading, cells) for name, (heading, cells, least) in _COLUMNS.items() if width >= least]
    rest = width - 6 - sum(cells + 2 for _, _, cells in fixed)
    name = min(max(rest - 2, 14), 30)
    note = rest - name - 4
    return [("name", "Branch", name), *fixed, *([("note", "Note", note)] if note >= 10 else [])]


def ordered_branches(timeline: Timeline) -> list[Branch]:
    """Return pinned branches first and hidden ones last, each in the order in which they were begun."""
    return sorted(timeline.branches.values(), key=lambda branch: (bool(branch.hidden), not branch.pinned))


def branch_cells(branch: Branch, timeline: Timeline, size_bytes: int, marked: bool) -> dict[str, Content]:
    """Return each cell of a branch; `marked` to be compared."""
    head = timeline.checkpoints[branch.head]
    here = branch.name == timeline.stands
    glyph, word, style = outcome_words(branch.outcome)
    signs = ("▸" if here else " ") + ("◈" if marked else " ") + ("★" if branch.pinned else " ")
    start = timeline.checkpoints.get(branch.forked_from or "")
    total = (head.passed or 0) + (head.failed or 0)
    dim = _DIM if branch.hidden else "$foreground"
    return {
        "name": Content.assemble((signs, "bold $text-accent"), (one_line(branch.name, 60), f"bold {dim}")),
        "outcome": Content.styled(f"{glyph} {word}", _DIM if branch.hidden else style),
        "passed": Content.styled(f"{head.passed}/{total}" if head.passed is not None else "", dim),
        "spent": Content.styled(spent_cell(head.spent), _DIM),
        "size": Content.styled(size_words(size_bytes), _DIM),
        "from": Content.styled(one_line(start.branch, 30) if start is not None else "", _DIM),
        "hidden": Content.styled(WHY_HIDDEN.get(branch.hidden, branch.hidden), "$text-warning"),
        "note": Content.styled(one_line(branch.note, 200), _DIM),
    }


def spent_cell(spent: tuple[int, int, float | None, float] | None) -> str:
    """Say in a few cells what was spent up to a moment."""
    if spent is None:
        return ""
    calls, tokens, cost, time_s = spent
    if not calls:
        return f"{time_s:.0f} s"
    return short_number(tokens) + (f" ${cost:.2f}" if cost else "" if cost == 0 else " $?")
