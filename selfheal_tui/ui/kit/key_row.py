"""A row of keys and what they do; a click on one presses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from .keymap import shown_key
from .keys import binding_of

_GAP = 2
"""Blank cells between two keys."""


class KeyHint(NamedTuple):
    """One key and its meaning; a click on it runs the screen's action."""

    key: str
    words: str
    action: str

    @property
    def width(self) -> int:
        """Cells on the screen."""
        return len(self.key) + len(self.words) + 1


class KeyRow(Widget):
    """Keys side by side; what does not fit goes into further lines, one key below another."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyRow { height: auto; width: 1fr; padding: 0 0 0 1; pointer: pointer; text-wrap: nowrap; }
    """

    def __init__(self, keys: Sequence[tuple[str, str, str]] = (), *, id: str | None = None) -> None:
        """`keys` holds (key, words, screen action)."""
        super().__init__(id=id)
        self._keys = tuple(keys)

    def show(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Replace the keys."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.refresh(layout=True)

    @property
    def hints(self) -> list[KeyHint]:
        """The keys as they are rebound."""
        keymap = getattr(self.app, "keymap", {})
        hints = []
        for key, words, action in self._keys:
            binding = binding_of(action)
            rebound = binding is not None and binding.id in keymap
            hints.append(KeyHint(shown_key(keymap, binding) if binding is not None and rebound else key, words, action))
        return hints

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that the keys take in `width` cells."""
        return len(arrange(self.hints, width))

    def render(self) -> Content:
        lines = arrange(self.hints, self.content_size.width)
        # The last key of a line has no blanks after it: they would wrap, and push the next line out of sight.
        return Content("\n").join(
            Content.assemble(*(_said(hint, cell) for hint, cell in line[:-1]), *(_said(hint) for hint, _ in line[-1:]))
            for line in lines
        )

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the key under the mouse, as the key would."""
        event.stop()
        at = event.get_content_offset(self)
        lines = arrange(self.hints, self.content_size.width)
        if at is None or at.y >= len(lines):
            return
        cell_x = at.x
        for hint, cell in lines[at.y]:
            if 0 <= cell_x < hint.width and hint.action:
                await self.screen.run_action(hint.action)
            cell_x -= cell


def arrange(hints: Sequence[KeyHint], width: int) -> list[list[tuple[KeyHint, int]]]:
    """Return the lines of (hint, cells up to the next one) with as many columns as fit into `width` cells."""
    for columns in range(len(hints), 0, -1):
        lines = [hints[at : at + columns] for at in range(0, len(hints), columns)]
        cells = [max(line[n].width for line in lines if n < len(line)) + _GAP for n in range(columns)]
        if sum(cells) - _GAP <= width or columns == 1:
            return [list(zip(line, cells, strict=False)) for line in lines]
    return []


def _said(hint: KeyHint, cell: int = 0) -> Content:
    blanks = " " * (cell - hint.width)
    return Content.assemble((hint.key, "bold $text-accent"), (f" {hint.words}{blanks}", "$text"))
