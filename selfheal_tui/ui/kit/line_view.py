"""The Line-API base of our lists: rows of cells drawn on demand, so size costs no more than the screen.

A cell is a fixed gutter and a body; bodies scroll sideways together and end in `…` where they are cut.
All text is `Content` built without markup.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

_EMPTY = Content("")
_LONG = 1_000
"""Characters; a longer body is cut to what is near the screen before it is drawn."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a row."""

    body: Content
    gutter: Content = _EMPTY
    tint: str = ""
    """Style below the whole cell."""
    width: int = 0
    """Screen cells; 0 takes what is left."""
    copies: bool = True
    """Its body can be selected and copied; the first such cell of a row counts."""


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws `row(y)` for what is on the screen; subclasses call `reset` when rows changed."""

    DEFAULT_CSS = """
    LineView {
        background: $surface;
        color: $foreground;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        scrollbar-background: $surface;
        scrollbar-color: $foreground 25%;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", id="lines.up", tooltip="Scroll up one line", show=False),
        Binding("down,j", "scroll_down", "Down", id="lines.down", tooltip="Scroll down one line", show=False),
        Binding(
            "left,h",
            "scroll_left",
            "Left",
            id="lines.left",
            tooltip="Show what is cut at the left",
            show=False,
        ),
        Binding(
            "right,l",
            "scroll_right",
            "Right",
            id="lines.right",
            tooltip="Show what is cut at the right",
            show=False,
        ),
        Binding("home,g", "scroll_home", "Top", id="lines.top", tooltip="Go to the first line", show=False),
        Binding("end,G", "scroll_end", "End", id="lines.end", tooltip="Go to the last line", show=False),
        Binding("pageup", "page_up", "Page up", id="lines.page_up", tooltip="Scroll up one page", show=False),
        Binding(
            "pagedown",
            "page_down",
            "Page down",
            id="lines.page_down",
            tooltip="Scroll down one page",
            show=False,
        ),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._row_count = 0
        self._overflow = 0
        self._laid_out_for = 0
        """The width that the rows were laid out for."""
        self._style_cache: dict[str | Style, Style] = {}

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        """Return the cells of row `y`, to be drawn `width` wide."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Lay the rows out for the width there is; subclasses whose rows depend on it do."""

    def reset(self, rows: int, overflow: int = 0) -> None:
        """Take over a new number of rows; `overflow` is how far the widest body reaches beyond its cell."""
        self._row_count = rows
        self._overflow = overflow
        self._fit()
        self.refresh()

    @property
    def row_width(self) -> int:
        """Screen cells a row may use; 0 before the first layout."""
        return self.scrollable_content_region.width

    def render_line(self, y: int) -> Strip:
        width, base = self.row_width, self.visual_style
        if width != self._laid_out_for:
            # Rows that came while the view was hidden were laid out for no width, and not every view hears of one.
            self._laid_out_for = width
            self.call_later(self.lay_out)
        at = self.scroll_offset.y + y
        if at >= self._row_count:
            return Strip.blank(width, base.rich_style)
        strips: list[Strip] = []
        room = width
        copied = False
        for cell in self.row(at, width):
            take = min(cell.width or room, room)
            strips.append(self._draw(cell, take, base, at, cell.copies and not copied))
            copied = copied or cell.copies
            room -= take
        return Strip.join(strips).extend_cell_length(width, base.rich_style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, so that it can be copied."""
        width = self.row_width
        cells = ([c for c in self.row(y, width) if c.copies] for y in range(self._row_count))
        lines = [row[0].body.plain if row else "" for row in cells]
        return selection.extract("\n".join(lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._style_cache.clear()

    def on_resize(self, event: events.Resize) -> None:
        self._laid_out_for = self.row_width
        self.lay_out()
        self._fit()

    def _fit(self) -> None:
        self.virtual_size = Size(self.row_width + self._overflow, self._row_count)

    def _draw(self, cell: Cell, width: int, base: Style, y: int, copies: bool) -> Strip:
        under = base + self._style_of(cell.tint) if cell.tint else base
        gutter = _strip(cell.gutter, under, self._style_of).crop(0, width)
        room = width - gutter.cell_length
        if room <= 0:
            return gutter
        shift = self.scroll_offset.x
        content = cell.body
        selection = self.text_selection
        if copies and selection is not None and (span := selection.get_span(y)) is not None:
            start, end = span
            chosen = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(chosen, start, len(content.plain) if end == -1 else end)
        content, start_cell = _near(content, shift, room)
        body = _strip(content, under, self._style_of)
        cut = body.cell_length > shift - start_cell + room
        visible = body.crop_extend(shift - start_cell, shift - start_cell + room - cut, under.rich_style)
        if copies:
            visible = visible.apply_offsets(shift, y)
        if cut:
            mark = Strip([Segment("…", (under + self._style_of("dim")).rich_style)], 1)
            return Strip.join([gutter, visible, mark])
        return Strip.join([gutter, visible])

    def _style_of(self, style: str | Style) -> Style:
        cached_style = self._style_cache.get(style)
        if cached_style is None:
            cached_style = self._style_cache[style] = self._get_style(style)
        return cached_style


def _near(content: Content, shift: int, room: int) -> tuple[Content, int]:
    """Return the part of a very long body that can be seen, and the cell where it begins."""
    if len(content.plain) < _LONG:
        return content, 0
    if content.plain.isascii():
        return content[shift : shift + room + 1], min(shift, len(content.plain))
    return content[: _LONG + 4 * (shift + room)], 0


def _strip(content: Content, under: Style, style_of: Callable[[str | Style], Style]) -> Strip:
    segments = [Segment(text, style.rich_style) for text, style in content.render(under, end="", parse_style=style_of)]
    # Not the content's own length: a style that begins within an emoji takes it apart, and its parts are wider.
    return Strip(segments)
