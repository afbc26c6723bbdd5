"""The candidates of a repair card, a line each: what each changes, and what it does; a click shows one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from selfheal_tui.engine.moment.candidate_words import CandidateLine

_START = 4
"""Cells of the signs and the number."""
_LEAST = 24
"""Cells that a change has at least, where it cannot go on below: fewer show no more than its line."""
_MOST_ROWS = 5
"""Rows of one candidate, where they are to spare."""
_FEW_ROWS = 6
"""Rows of a list below the evidence in which each candidate of several edits may have a second one."""


class CandidateList(Widget):
    """One line for each candidate; what does not fit is shortened before the counts, which stand in full: where no room
    would be left to see what is changed, those that are the same for all give way.

    Where the card stands beside the evidence there are rows to spare: what does not fit goes on below its line. Below
    the evidence that is so for candidates of several edits, where there are few; else only for the one that is shown.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    CandidateList { height: auto; width: 1fr; pointer: pointer; text-wrap: nowrap; display: none; }
    CandidateList.-shown { display: block; margin-bottom: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[CandidateLine, ...] = ()
        self._at = 0
        self._marked: frozenset[int] = frozenset()
        self._in_parts: frozenset[int] = frozenset()

    def show(
        self, lines: Sequence[CandidateLine], at: int, marked: Collection[int], in_parts: Collection[int] = ()
    ) -> None:
        """List the candidates; the one `at` is shown by the card, those of `marked` are taken together (from 0).

        Of those `in_parts` some hunk is left out.
        """
        several = tuple(lines) if len(lines) > 1 else ()
        shown = (several, at, frozenset(marked), frozenset(in_parts))
        if shown != (self._lines, self._at, self._marked, self._in_parts):
            self._lines, self._at, self._marked, self._in_parts = shown
            self.set_class(bool(several), "-shown")
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows."""
        return len(self._rows(width))

    def row_of(self, candidate: int) -> int:
        """Return the first row of a candidate, both from 0."""
        return next((y for y, (number, _) in enumerate(self._rows(self.content_size.width)) if number == candidate), 0)

    @property
    def needed_width(self) -> int:
        """Cells in which nothing of any line is cut; 0 while there is no list."""
        columns = [[getattr(line, name) for line in self._lines] for name in ("head", "fixes", "breaks", "doubts")]
        longest = [max((Content(words).cell_length for words in column), default=0) for column in columns]
        return sum(cells + 2 for cells in longest if cells) + _START - 2 if self._lines else 0

    def render(self) -> Content:
        return Content("\n").join(row for _, row in self._rows(self.content_size.width))

    def _rows(self, width: int) -> list[tuple[int, Content]]:
        """Return each row with the candidate, from 0, that it is of."""
        is_wide = self.screen.has_class("-wide")
        ends = line_ends(self._lines, width, 0 if is_wide else _LEAST)
        digits = len(str(len(self._lines)))
        rows: list[tuple[int, Content]] = []
        several = {number for number, line in enumerate(self._lines) if line.pieces}
        below = several if len(ends) + len(several) <= _FEW_ROWS else several & {self._at}
        for number, end in enumerate(ends):
            shown, marked = number == self._at, number in self._marked
            start = Content.assemble(
                ("▶" if shown else " ", "bold $text-accent"),
                ("◉" if marked else "◧" if number in self._in_parts else " ", "bold $text-warning"),
                (f"{number + 1:>{digits}} ", "bold $text-accent"),
            )
            room = max(1, width - start.cell_length - end.cell_length)
            placed = [replace(one, where=where_in(one.where, room)) for one in self._lines]
            goes_on = is_wide or number in below
            most = _MOST_ROWS * room if is_wide else room + width - start.cell_length - 1
            words = placed[number].head_in(most) if goes_on else told_apart(placed, room)[number]
            head = Content.styled(words, "bold" if shown else "")
            if goes_on and head.cell_length > room:
                first = head.wrap(room)[0]
                rows.append((number, start + first.truncate(room, pad=True) + end))
                # Not the further rows joined: a word that was cut would get a blank.
                rest = Content.styled(words[len(first.plain) :].lstrip(), "bold" if shown else "")
                further = rest.wrap(max(1, width - start.cell_length))
                rows += [(number, Content(" " * start.cell_length) + row) for row in further]
            else:
                rows.append((number, start + head.truncate(room, ellipsis=True, pad=True) + end))
        return rows

    async def on_click(self, event: events.Click) -> None:
        """Show the candidate under the mouse."""
        event.stop()
        at = event.get_content_offset(self)
        rows = self._rows(self.content_size.width)
        if at is not None and at.y < len(rows):
            await self.screen.run_action(f"pick({rows[at.y][0] + 1})")


def told_apart(lines: Sequence[CandidateLine], room: int) -> list[str]:
    """Return the candidates in about `room` characters each; those that would be cut to the same begin with the piece
    in which they differ, and there where it differs: `` line 8 …`< b[1]` ``.
    """
    lines = list(lines)
    for number, alike in _cut_alike(lines, room):
        had = [{piece.piece for piece in other.all_pieces} for other in alike]
        own = next((one for one in lines[number].all_pieces if any(one.piece not in pieces for pieces in had)), None)
        if own is not None:
            lines[number] = lines[number].begun_with(own.number)
    for number, alike in _cut_alike(lines, room):
        line = lines[number]
        starts = [line.start, *(other.start for other in alike)]
        differs = next((n for n, chars in enumerate(zip(*starts, strict=False)) if len(set(chars)) > 1), 0)
        least = len(line.where) + 1
        if not line.pieces:  # As much of what they share as there is room for.
            differs = min(differs, len(line.start) - room + least + 1)
        begin = line.start.rfind(" ", 0, max(least, differs) + 1) + 1
        if begin > least:
            lines[number] = replace(line, change=f"…{line.start[begin:]}")
    return [line.head_in(room) for line in lines]


def _cut_alike(lines: Sequence[CandidateLine], room: int) -> list[tuple[int, list[CandidateLine]]]:
    """Return the number of each line that would read as others do, with these."""
    cut = [Content(line.head_in(room)).truncate(room, ellipsis=True).plain for line in lines]
    alike = [[other for m, other in enumerate(lines) if m != n and cut[m] == cut[n]] for n in range(len(lines))]
    return [(number, others) for number, others in enumerate(alike) if others]


def where_in(where: str, room: int) -> str:
    """Return a place in so many characters, its end: `iterutils.py:668` for one in a folder."""
    before = "before " if where.startswith("before ") else ""
    if len(where) <= room or (name := where.rpartition("/")[2]) == where:
        return where
    return before + name


def line_ends(lines: Sequence[CandidateLine], width: int, least: int = 0) -> list[Content]:
    """Return what each candidate does, in columns, nearer to each other where room is short.

    While fewer than `least` cells are left for the changes, columns are left out: those that tell no candidate from
    another first, then how many cases each fixes.
    """
    columns = [[line.fixes for line in lines], [line.breaks for line in lines], [line.doubts for line in lines]]
    longest = max((Content(line.head).cell_length for line in lines), default=0)
    kept = [column for column in columns if any(column)]
    gap = "  " if longest + _cells(kept, 2) + _START <= width else " "
    gives_way = [column for column in kept if len(set(column)) == 1]
    gives_way += [column for column in kept[:1] if column not in gives_way]
    for column in gives_way:
        if width - _START - _cells(kept, len(gap)) < min(least, longest):
            kept = [one for one in kept if one is not column]
    sizes = [max(map(len, column)) for column in kept]
    return [
        Content.assemble(
            *((f"{gap}{column[row]:<{size}}", _style(column[row])) for column, size in zip(kept, sizes, strict=True))
        )
        for row in range(len(lines))
    ]


def _cells(columns: Sequence[Sequence[str]], gap: int) -> int:
    """Return the cells of columns, with the gap before each."""
    return sum(gap + max(map(len, column)) for column in columns)


def _style(words: str) -> str:
    if words.endswith(("doubt", "doubts")) or words in ("not rehearsed", "fixes 0"):
        return "$text-warning"
    if (words.startswith("breaks") and words != "breaks 0") or words == "cannot run":
        return "$text-error"
    return "$text-success" if words.startswith("fixes") else "$foreground 60%"
