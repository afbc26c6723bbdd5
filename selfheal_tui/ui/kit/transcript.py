"""What a model says and what the run does, as it comes: buffered, so that no flood of text slows the keys.

Text is shown as it streams; of models that speak at once each has its own lines, under its name. What a tool saw, and
the cases of a suite, are one line each; Enter or a click unfolds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar, NamedTuple

from textual import events
from textual.content import Content
from textual.timer import Timer

from selfheal_tui.text import plural
from selfheal_tui.ui.view.code_lines import printable

from .cursor_view import CursorView
from .line_view import Cell

FLUSH_S = 0.05
MAX_LINES = 5_000
"""Lines kept, folded ones included; the oldest go first."""
_LONGEST = 4_000
"""Characters of an unfinished line before it is broken, so that one endless line stays cheap."""
_INDENT = "   │ "
_UNSEEN = 1_000_000
"""Cells a line may take before the view has a size: it is wrapped when it is first seen."""


@dataclass(frozen=True, slots=True)
class _Text:
    """What arrived of one stream."""

    by: str
    text: str
    whole: bool = False
    """Lines of ours: the stream's unfinished line is ended first."""


@dataclass(slots=True)
class _Entry:
    """A line of text, or one line with more folded below it."""

    head: str
    body: list[str] = field(default_factory=list)
    tally: dict[str, int] | None = None
    """Outcome -> cases, of a suite that runs; its head is made from it."""
    unfolded: bool = False
    quiet: bool = False
    """It is dimmed."""
    rows: int = 0
    """Rows that it was drawn as."""


class _Row(NamedTuple):
    """A row as it is drawn."""

    text: str
    entry: _Entry | None = None
    """What a click here unfolds; None for nothing."""
    quiet: bool = False


class Transcript(CursorView):
    """Shows what happens as it happens, wrapped; stays at the end unless the user went up."""

    BORDER_TITLE: ClassVar[str] = "Transcript"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._entries: list[_Entry] = []
        self._tails: dict[str, str] = {}
        """Stream -> its unfinished line, raw: an escape sequence may arrive in two pieces."""
        self._quiet: set[str] = set()
        """Names of streams that are dimmed."""
        self._arrived: list[_Text | _Entry | None] = []
        """None ends all streams."""
        self._drawn: list[_Row] = []
        self._drawn_of_last = 0
        """Drawn rows that may still change: of unfinished lines, or of a suite that runs."""
        self._timer: Timer | None = None

    def append(self, text: str, by: str = "", quiet: bool = False) -> None:
        """Add text that may end in the middle of a line; streams of other names do not get between.

        A stream that begins `quiet` is dimmed.
        """
        if quiet:
            self._quiet.add(by)
        self._arrive(_Text(by, text))

    def write_line(self, text: str, by: str = "") -> None:
        """Add whole lines; the unfinished line of this stream is ended, those of others go on below."""
        self._arrive(_Text(by, text, whole=True))

    def end_streams(self) -> None:
        """End every unfinished line: what comes next of the same name is said anew."""
        self._arrive(None)

    def fold(self, head: str, body: Sequence[str]) -> None:
        """Add one line that unfolds to `body`; lines in it may hold anything."""
        lines = [printable(line) for text in body for line in text.split("\n")]
        self._arrive(_Entry(printable(head), lines[:MAX_LINES]))

    def add_case(self, outcome: str, line: str) -> None:
        """Add a case of the suite that runs: all cases in a row are one line."""
        self._arrive(_Entry("", [printable(line)], {outcome: 1}))

    def clear(self) -> None:
        """Forget all text."""
        self._entries, self._tails, self._arrived, self._drawn, self._drawn_of_last = [], {}, [], [], 0
        self.cursor = 0
        self.reset(0)

    @property
    def text(self) -> str:
        """All lines kept and shown so far, folded ones by their head, made printable."""
        heads = [_head(entry) for entry in self._entries]
        return "\n".join([*heads, *self._unfinished])

    def on_mount(self) -> None:
        self._timer = self.set_interval(FLUSH_S, self._flush, pause=not self._arrived)

    def on_resize(self, event: events.Resize) -> None:
        self._redraw()
        # A scroll bar that this brings up would stand at the top.
        self.call_after_refresh(lambda: setattr(self.vertical_scrollbar, "position", self.scroll_y))

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self._drawn):
            return (Cell(Content("")),)
        piece, entry, quiet = self._drawn[y]
        mark = "" if entry is None else "▾ " if entry.unfolded else "▸ "
        gutter = Content.styled(mark, "bold $text-accent") if mark else Content("")
        style = "$foreground 60%" if quiet else ""
        return (Cell(Content.styled(piece, style, strip_control_codes=False), gutter, self.cursor_tint(y)),)

    def cursor_tint(self, y: int) -> str:
        """Mark the cursor only while the keys move it: a running text has none."""
        return super().cursor_tint(y) if self.has_focus else ""

    def row_chosen(self, row: int) -> None:
        """Unfold or fold."""
        if row < len(self._drawn) and (entry := self._drawn[row].entry) is not None:
            entry.unfolded = not entry.unfolded
            self._redraw()
            at = next((y for y, drawn in enumerate(self._drawn) if drawn.entry is entry), row)
            self.place_cursor(at)

    def _arrive(self, item: _Text | _Entry | None) -> None:
        self._arrived.append(item)
        if self._timer is not None:
            self._timer.resume()

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.pause()
        if not self._arrived:
            return
        at_end, width = self._follows, self._width
        arrived, self._arrived = self._arrived, []
        self._undraw_last()
        from_entry = len(self._entries) - (1 if self._running_suite else 0)
        for by, items in groupby(arrived, lambda item: item.by if isinstance(item, _Text) and not item.whole else None):
            if by is not None:
                self._add_text(by, "".join(item.text for item in items if isinstance(item, _Text)))
                continue
            for item in items:
                match item:
                    case _Text():
                        self._end("", item.by)
                        self._add_text("", item.text + "\n")
                    case _Entry():
                        self._add_entry(item)
                    case None:
                        self._end(*self._tails)
        self._lay_out(self._drop_oldest(from_entry), width)
        self._settle(at_end)

    def _end(self, *streams: str) -> None:
        for by in streams:
            if self._tails.get(by):
                self._add_text(by, "\n")

    def _add_text(self, by: str, text: str) -> None:
        *ended, tail = (self._tails.pop(by, "") + text).split("\n")
        while len(tail) > _LONGEST:
            ended.append(tail[:_LONGEST])
            tail = tail[_LONGEST:]
        if tail:
            self._tails[by] = tail
        quiet = by in self._quiet
        self._entries += [_Entry(_said(by, raw.removesuffix("\r")), quiet=quiet) for raw in ended[-MAX_LINES:]]

    def _add_entry(self, entry: _Entry) -> None:
        self._end(*(self._tails if entry.tally is not None else ("",)))
        last = self._entries[-1] if self._entries else None
        if entry.tally is None or last is None or last.tally is None:
            self._entries.append(entry)
            return
        last.body += entry.body
        for outcome, count in entry.tally.items():
            last.tally[outcome] = last.tally.get(outcome, 0) + count

    def _drop_oldest(self, from_entry: int) -> int:
        """Keep the newest lines, counting folded ones; of one entry that is longer, its newest lines.

        The entries before `from_entry` are drawn; returns from which one on the others now are to be drawn.
        """
        excess = sum(1 + len(entry.body) for entry in self._entries) - MAX_LINES
        gone = 0
        while excess > 0:
            entry = self._entries[gone]
            if 1 + len(entry.body) > excess:
                del entry.body[:excess]
                # It looks different now; what is before it goes.
                del self._entries[:gone]
                return 0
            excess -= 1 + len(entry.body)
            gone += 1
        del self._drawn[: sum(entry.rows for entry in self._entries[: min(gone, from_entry)])]
        del self._entries[:gone]
        return max(0, from_entry - gone)

    @property
    def _width(self) -> int:
        return self.row_width if self.row_width > 0 else _UNSEEN

    @property
    def _running_suite(self) -> bool:
        return bool(self._entries) and self._entries[-1].tally is not None and not self._tails

    @property
    def _unfinished(self) -> list[str]:
        return [_said(by, tail) for by, tail in self._tails.items()]

    @property
    def _follows(self) -> bool:
        """Whether new text moves the view: it is at the end, and no reader has moved the cursor away."""
        return self.is_vertical_scroll_end and (not self.has_focus or self.cursor >= len(self._drawn) - 1)

    def _redraw(self) -> None:
        at_end = self._follows
        self._lay_out(0, self._width)
        self._settle(at_end)

    def _undraw_last(self) -> None:
        del self._drawn[len(self._drawn) - self._drawn_of_last :]
        self._drawn_of_last = 0

    def _lay_out(self, from_entry: int, width: int) -> None:
        """Draw the entries from this one on, and the unfinished lines."""
        if from_entry == 0:
            self._drawn = []
        rows = self._drawn
        for entry in self._entries[from_entry:]:
            before = len(rows)
            rows += _rows(entry, width)
            self._drawn_of_last = entry.rows = len(rows) - before
        if not self._running_suite:
            self._drawn_of_last = 0
        for by, unfinished in zip(self._tails, self._unfinished, strict=True):
            pieces = _wrap(unfinished, width)
            rows += [_Row(piece, quiet=by in self._quiet) for piece in pieces]
            self._drawn_of_last += len(pieces)

    def _settle(self, at_end: bool) -> None:
        self.reset(len(self._drawn))
        if at_end:
            self.cursor = max(0, len(self._drawn) - 1)
            self.scroll_end(animate=False, immediate=True, force=True, x_axis=False)
        else:
            self.cursor = min(self.cursor, max(0, len(self._drawn) - 1))


def _said(by: str, line: str) -> str:
    """Return a line of a stream as it is shown."""
    return f"{printable(by)} │ {printable(line)}" if by else printable(line)


def _head(entry: _Entry) -> str:
    if entry.tally is None:
        return entry.head
    passed = entry.tally.get("passed", 0) + entry.tally.get("skipped", 0)
    rest = [f"{count} {outcome}" for outcome, count in entry.tally.items() if outcome not in ("passed", "skipped")]
    return " · ".join([plural(sum(entry.tally.values()), "case"), f"✓ {passed}", *(f"✗ {words}" for words in rest)])


def _rows(entry: _Entry, width: int) -> list[_Row]:
    if not entry.body:
        return [_Row(piece, quiet=entry.quiet) for piece in _wrap(entry.head, width)]
    rows = [_Row(_head(entry), entry)]
    if entry.unfolded:
        room = max(1, width - len(_INDENT))
        rows += [_Row(_INDENT + piece, quiet=True) for line in entry.body for piece in _wrap(line, room)]
    return rows


def _wrap(line: str, width: int) -> list[str]:
    """Cut a line into pieces of at most `width` screen cells, at spaces where that is possible."""
    if len(line) * 2 <= width or not line:
        return [line]
    parts = (Content(line[n : n + _LONGEST], strip_control_codes=False) for n in range(0, len(line), _LONGEST))
    return [piece.plain for part in parts for piece in part.wrap(width)] or [""]
