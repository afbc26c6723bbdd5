"""The Line-API base of our lists: rows of cells drawn on demand, so that size never costs more than the screen.

A cell is a fixed gutter and a body; bodies scroll sideways together and end in `…` where they are cut.
All text is `Content` built without markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.geometry import Region, Size
from textual.highlight import HighlightTheme, highlight
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from selfheal_tui.ui.code_lines import code_lines

_LANGUAGES = {"py": "python", "pyi": "python", "toml": "toml", "json": "json", "yaml": "yaml", "yml": "yaml"}
_HIGHLIGHT_LIMIT = 3000
"""Lines; longer files stay plain (the lexer takes about 30 ms per 1,000 lines)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a row."""

    body: Content
    gutter: Content = Content("")
    tint: str = ""
    """Style below the whole cell."""
    width: int = 0
    """Screen cells; 0 takes what is left."""


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws `row(y)` for what is on the screen; subclasses call `reset` when rows changed."""

    DEFAULT_CSS = """
    LineView {
        background: $surface;
        color: $text;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", id="lines.up", tooltip="Scroll up one line", show=False),
        Binding("down,j", "scroll_down", "Down", id="lines.down", tooltip="Scroll down one line", show=False),
        Binding("left,h", "scroll_left", "Left", id="lines.left", tooltip="Show what is cut at the left", show=False),
        Binding("right,l", "scroll_right", "Right", id="lines.right", tooltip="Show what is cut at the right", show=False),
        Binding("home,g", "scroll_home", "Top", id="lines.top", tooltip="Go to the first line", show=False),
        Binding("end,G", "scroll_end", "End", id="lines.end", tooltip="Go to the last line", show=False),
        Binding("pageup", "page_up", "Page up", id="lines.page_up", tooltip="Scroll up one page", show=False),
        Binding("pagedown", "page_down", "Page down", id="lines.page_down", tooltip="Scroll down one page", show=False),
    ]

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        """Return the cells of row `y`, to be drawn `width` wide."""
        raise NotImplementedError

    def reset(self, rows: int, overflow: int = 0) -> None:
        """Take over a new number of rows; `overflow` is how far the widest body reaches beyond its cell."""
        self._row_count = rows
        self._overflow = overflow
        self._fit()
        self.refresh()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._row_count = 0
        self._overflow = 0
        self._style_cache: dict[str | Style, Style] = {}

    @property
    def row_width(self) -> int:
        """Screen cells a row may use; 0 before the first layout."""
        return self.scrollable_content_region.width

    def render_line(self, y: int) -> Strip:
        width, base = self.row_width, self.visual_style
        at = self.scroll_offset.y + y
        if at >= self._row_count:
            return Strip.blank(width, base.rich_style)
        strips: list[Strip] = []
        left = width
        for cell in self.row(at, width):
            take = min(cell.width or left, left)
            strips.append(self._draw(cell, take, base, at, width - left))
            left -= take
        return Strip.join(strips).extend_cell_length(width, base.rich_style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, so that it can be copied."""
        width = self.row_width
        lines = ["".join(cell.body.plain for cell in self.row(y, width)) for y in range(self._row_count)]
        return selection.extract("\n".join(lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._style_cache.clear()

    def on_resize(self, event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        self.virtual_size = Size(self.row_width + self._overflow, self._row_count)

    def _draw(self, cell: Cell, width: int, base: Style, y: int, x: int) -> Strip:
        under = base + self._style_of(cell.tint) if cell.tint else base
        gutter = _strip(cell.gutter, under, self._style_of).crop(0, width)
        room = width - gutter.cell_length
        if room <= 0:
            return gutter
        shift = self.scroll_offset.x
        content = cell.body
        selection = self.text_selection
        if selection is not None and x == 0 and (span := selection.get_span(y)) is not None:
            start, end = span
            chosen = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(chosen, start, len(content.plain) if end == -1 else end)
        body = _strip(content, under, self._style_of)
        cut = body.cell_length > shift + room
        shown = body.crop_extend(shift, shift + room - cut, under.rich_style).apply_offsets(shift, y)
        if cut:
            mark = Strip([Segment("…", (under + self._style_of("dim")).rich_style)], 1)
            return Strip.join([gutter, shown, mark])
        return Strip.join([gutter, shown])

    def _style_of(self, style: str | Style) -> Style:
        found = self._style_cache.get(style)
        if found is None:
            found = self._style_cache[style] = self._get_style(style)
        return found


class CursorView(LineView):
    """A line view with a cursor row that the keys and the mouse move."""

    DEFAULT_CSS = """
    CursorView > .cursor-view--cursor { background: $foreground 10%; }
    CursorView:focus > .cursor-view--cursor { background: $block-cursor-background 35%; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"cursor-view--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="cursor.up", tooltip="Move to the row above", show=False),
        Binding("down,j", "move(1)", "Down", id="cursor.down", tooltip="Move to the row below", show=False),
        Binding("home,g", "move_to(0)", "First", id="cursor.first", tooltip="Move to the first row", show=False),
        Binding("end,G", "move_to(-1)", "Last", id="cursor.last", tooltip="Move to the last row", show=False),
        Binding("pageup", "move_page(-1)", "Page up", id="cursor.page_up", tooltip="Move up one page", show=False),
        Binding("pagedown", "move_page(1)", "Page down", id="cursor.page_down", tooltip="Move down one page", show=False),
        Binding("enter", "choose", "Choose", id="cursor.choose", tooltip="Choose the row under the cursor", show=False),
    ]

    class Moved(Message):
        """The user moved the cursor to another row."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = 0

    def cursor_moved(self, row: int) -> None:
        """React to a move by the user."""

    def row_chosen(self, row: int) -> None:
        """React to Enter or a click on a row."""

    def place_cursor(self, row: int) -> None:
        """Put the cursor on a row without telling anybody, and bring the row into view."""
        self.cursor = max(0, min(row, self._row_count - 1))
        self.refresh()
        self.call_after_refresh(self._show_cursor)

    def cursor_tint(self, y: int) -> str:
        """Return the style of row `y`: the cursor's or none."""
        return ".cursor-view--cursor" if y == self.cursor else ""

    def action_move(self, by: int) -> None:
        self._move_to(self.cursor + by)

    def action_move_to(self, row: int) -> None:
        self._move_to(self._row_count - 1 if row < 0 else row)

    def action_move_page(self, by: int) -> None:
        self._move_to(self.cursor + by * max(1, self.scrollable_content_region.height - 1))

    def action_choose(self) -> None:
        if self._row_count:
            self.row_chosen(self.cursor)

    def on_click(self, event: events.Click) -> None:
        row = event.get_content_offset(self)
        if row is None or not 0 <= row.y + self.scroll_offset.y < self._row_count:
            return
        event.stop()
        self._move_to(row.y + self.scroll_offset.y)
        self.row_chosen(self.cursor)

    def _move_to(self, row: int) -> None:
        row = max(0, min(row, self._row_count - 1))
        if row == self.cursor or not self._row_count:
            return
        self.cursor = row
        self._show_cursor()
        self.refresh()
        self.cursor_moved(row)

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(self.scroll_offset.x, self.cursor, 1, 1), animate=False, force=True)


class _CodeTheme(HighlightTheme):
    """Textual's colours, but calm: names plain, nothing underlined, no red that could mean an error."""

    STYLES = {
        **HighlightTheme.STYLES,
        **dict.fromkeys([key for key in HighlightTheme.STYLES if key[:1] == ("Name",)], "$text"),
    }


def highlighted(path: str, text: str) -> list[Content]:
    """Return the printable lines of a file, in colour when its language is known and it is not too long."""
    lines = code_lines(text)
    language = _LANGUAGES.get(path.rpartition(".")[2])
    if language is None or len(lines) > _HIGHLIGHT_LIMIT or not lines:
        return [Content(line) for line in lines]
    whole = "\n".join(lines)
    coloured = highlight(whole, language=language, theme=_CodeTheme)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    cuts = [n for start, line in zip(starts, lines, strict=False) for n in (start + len(line), start + len(line) + 1)]
    return coloured.divide(cuts[:-1])[::2]


def emphasised(line: Content, ranges: tuple[tuple[int, int], ...], style: str) -> Content:
    """Add a style to character ranges of a line."""
    return line.add_spans([Span(start, end, style) for start, end in ranges]) if ranges else line


def _strip(content: Content, under: Style, style_of: object) -> Strip:
    segments = [
        Segment(text, (under + style).rich_style)
        for text, style in content.render(under, end="", parse_style=style_of)  # type: ignore[arg-type]
    ]
    return Strip(segments, content.cell_length)
