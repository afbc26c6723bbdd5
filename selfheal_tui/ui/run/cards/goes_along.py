"""What goes with an answer: results, comments and notes; where there are many one line that counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from selfheal_tui.text import one_line, plural

_MOST, _MOST_ROWS = 3, 8
"""Things and rows; more are counted instead. Of one thing alone the rest is cut."""
_MOST_LOW, _MOST_ROWS_LOW = 1, 3
_LONGEST = 1_200
"""Characters of one thing."""


class _Kind(NamedTuple):
    words: tuple[str, ...]
    things: int
    remark: str


class GoesAlong(Static):
    """Shows each thing in full while there is room for all of them, else `+ 2 notes, 1 comment`; remarks always."""

    DEFAULT_CSS = """
    GoesAlong { height: auto; width: 1fr; padding: 0 1; color: $text-warning; display: none; }
    GoesAlong.-shown { display: block; }
    """

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._kinds: dict[str, _Kind] = {}

    @property
    def shown(self) -> bool:
        """Whether anything goes along."""
        return self.has_class("-shown")

    def clear(self) -> None:
        """Forget all."""
        self._kinds.clear()
        self._changed()

    def attach(self, words: Sequence[str], of: str, count: int, remark: str = "") -> None:
        """Replace what is said of one kind of thing, `count` of them; `remark` is said of all of them."""
        kind = _Kind(tuple(words), count, remark)
        if self._kinds.get(of) != kind:
            self._kinds[of] = kind
            self._changed()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return len(self._rows(width))

    def render(self) -> Content:
        return Content("\n").join(self._rows(self.content_size.width))

    def _rows(self, width: int) -> list[Content]:
        low = self.screen.has_class("-low")
        most, most_rows = (_MOST_LOW, _MOST_ROWS_LOW) if low else (_MOST, _MOST_ROWS)
        lines = [f"+ {one_line(word, _LONGEST)}" for kind in self._kinds.values() for word in kind.words]
        remarks = [row for kind in self._kinds.values() if kind.remark for row in _wrapped(kind.remark, width)]
        rows = [row for line in lines for row in _wrapped(line, width)]
        if len(lines) > most or (len(lines) > 1 and len(rows) > most_rows):
            counted = ", ".join(plural(kind.things, of) for of, kind in self._kinds.items() if kind.things)
            return [Content(f"+ {counted}").truncate(max(1, width), ellipsis=True), *remarks]
        if len(rows) > most_rows:
            rest = Content(" ").join(rows[most_rows - 1 :])
            rows = [*rows[: most_rows - 1], rest.truncate(max(1, width), ellipsis=True)]
        return [*rows, *remarks]

    def _changed(self) -> None:
        self.set_class(any(kind.words for kind in self._kinds.values()), "-shown")
        self.refresh(layout=True)


def _wrapped(line: str, width: int) -> list[Content]:
    return list(Content(line).wrap(max(1, width)))
