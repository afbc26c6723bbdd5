"""What goes with an answer: results, comments and notes; in a low terminal one line that counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from selfheal_tui.text import one_line, plural

_MOST = 3
"""Lines; more are counted instead."""


class _Kind(NamedTuple):
    words: tuple[str, ...]
    count: int


class GoesAlong(Widget):
    """Shows a line for each thing while there is room for all of them, else `+ 2 notes, 1 comment`."""

    DEFAULT_CSS = """
    GoesAlong { height: auto; width: 1fr; padding: 0 1; color: $text-warning; display: none; text-wrap: nowrap; }
    GoesAlong.-shown { display: block; }
    """

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._kinds: dict[str, _Kind] = {}

    def clear(self) -> None:
        """Forget all."""
        self._kinds.clear()
        self._changed()

    def attach(self, words: Sequence[str], of: str, count: int) -> None:
        """Replace what is said of one kind of thing, `count` of them."""
        kind = _Kind(tuple(words), count)
        if self._kinds.get(of) != kind:
            self._kinds[of] = kind
            self._changed()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return len(self._lines())

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        return Content("\n").join(Content(line).truncate(width, ellipsis=True) for line in self._lines())

    def _lines(self) -> list[str]:
        lines = [one_line(word, 160) for kind in self._kinds.values() for word in kind.words]
        if len(lines) > (1 if self.screen.has_class("-low") else _MOST):
            lines = [", ".join(plural(kind.count, of) for of, kind in self._kinds.items() if kind.count)]
        return [f"+ {line}" for line in lines]

    def _changed(self) -> None:
        self.set_class(any(kind.words for kind in self._kinds.values()), "-shown")
        self.refresh(layout=True)
