"""A text area for the user's own version of a file; says which keys leave it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual._tree_sitter import get_language
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.color import Color
from textual.document._document import EditResult, Location
from textual.document._document_navigator import DocumentNavigator
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.theme import Theme
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from selfheal_tui.text import one_line, show_controls

from .code_document import CodeDocument, CodeRows, ColouredDocument, LineColours

HIGHLIGHT_BELOW = 6_000
"""Lines; longer files stay plain: a key in the middle of 5,000 lines takes 13 ms of CPU coloured, 6 plain."""
LONGEST_LINE = 5_000
"""Characters; a file with a longer line stays plain too."""
_BRACKET_WITHIN = 5_000
"""Characters within which the other one of two brackets is looked for at each move."""

_COLOURS: Mapping[str, tuple[str, ...]] = {
    "text-accent": (
        "keyword",
        "keyword.function",
        "keyword.return",
        "keyword.operator",
        "conditional",
        "repeat",
        "exception",
        "include",
        "type.builtin",
        "function.builtin",
    ),
    "text-primary": ("function", "method"),
    "text-success": ("string", "string.documentation"),
    "text-warning": ("number", "float", "boolean", "constant.builtin", "class", "type.class"),
}
_COLOURED = frozenset({"comment"}.union(*_COLOURS.values()))


class CodeEditor(TextArea):
    """Edits one file; ctrl+s hands the text over, escape leaves and keeps it."""

    DEFAULT_CSS = """
    CodeEditor {
        border-subtitle-color: $foreground 60%;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        scrollbar-background: $surface;
        scrollbar-color: $foreground 25%;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Submit", id="editor.save", tooltip="Hand over the text", priority=True),
        Binding(
            "ctrl+e",
            "outside",
            "Own editor",
            id="editor.outside",
            tooltip="Edit the text in $VISUAL or $EDITOR; it comes back here",
            priority=True,
        ),
        Binding(
            "ctrl+home", "reach_end(False)", "Start", show=False, id="editor.start", tooltip="Go to the first line"
        ),
        Binding("ctrl+end", "reach_end(True)", "End", show=False, id="editor.end", tooltip="Go to the last line"),
        Binding("shift+tab", "file", "File", show=False, id="editor.file", tooltip="Choose another file to edit"),
        Binding(
            "escape",
            "leave",
            "Back",
            id="editor.leave",
            tooltip="Leave the editor, keep the text",
            priority=True,
        ),
    ]

    class Saved(Message):
        """The user asked to use the text as it is now."""

        def __init__(self, path: str, text: str) -> None:
            super().__init__()
            self.path = path
            self.text = text

    class Left(Message):
        """The user left the editor; its text is kept."""

    class WantedOutside(Message):
        """The user wants to go on in an editor of their own."""

    class WantedFile(Message):
        """The user wants to edit another file."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._drawn: LRUCache[Hashable, Strip] = LRUCache(512)
        """Lines without cursor or selection, by all that they depend on."""
        super().__init__("", id=id, classes=classes, soft_wrap=False, show_line_numbers=True, tab_behavior="indent")
        self.path = ""
        self.border_subtitle = "ctrl+s submit · esc back · ctrl+z undo · ctrl+e $EDITOR"
        self._problem: tuple[int, str] | None = None
        """Line, from 0, at which the text does not parse, and why."""
        self._centred: Location | None = None
        """Where the cursor was put to be seen in the middle; None before."""

    def action_reach_end(self, last: bool) -> None:
        """Go to the end of the text, or to its start."""
        self.move_cursor(self.document.end if last else (0, 0))

    def on_mount(self) -> None:
        self._follow_theme(self.app.current_theme)
        self.app.theme_changed_signal.subscribe(self, self._follow_theme)

    def show(self, path: str, text: str) -> None:
        """Edit this file from now on; undo does not reach back before it."""
        self.path = path
        self._problem = None
        self.border_title = Text(one_line(path))
        lines = text.split("\n")
        small = len(lines) <= HIGHLIGHT_BELOW and max(map(len, lines)) < LONGEST_LINE and _is_utf8(text)
        # Without its watcher, which would parse the old text once more.
        self.set_reactive(TextArea.language, "python" if small and path.endswith((".py", ".pyi")) else None)
        self.load_text(text)

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn: control characters visible, one for one, so columns stay true."""
        line = super().get_line(line_index)
        if self._problem is not None and self._problem[0] == line_index:
            return self._shown(line).append(f"   ✗ {self._problem[1]}", self._problem_style)
        return self._shown(line)

    def mark(self, line: int, why: str) -> None:
        """Say at a line, from 0, why the text does not parse."""
        self._problem = (line, one_line(why, 120))
        # Lines are drawn no wider than the text is: make room for the words after it.
        room = self.gutter_width + self.get_line(line).cell_len + 1
        self.virtual_size = Size(max(self.virtual_size.width, room), self.virtual_size.height)
        self.notify_style_update()

    def unmark(self) -> None:
        """The text parses."""
        if self._problem is not None:
            self._problem = None
            self.notify_style_update()

    def _replace_via_keyboard(self, insert: str, start: Location, end: Location) -> EditResult | None:
        """Begin a new line as far in as the one before it, and one step further after a colon."""
        if insert == "\n":
            row, column = min(start, end)
            line = self.document.get_line(row)[:column]
            insert += line[: len(line) - len(line.lstrip(" \t"))]
            insert += " " * self.indent_width if self.path.endswith(".py") and line.rstrip().endswith(":") else ""
        return super()._replace_via_keyboard(insert, start, end)

    def centre(self, row: int) -> None:
        """Put the cursor at a line, in the middle of what is seen, also when the room for it comes later."""
        self.move_cursor((row, 0))
        self._centred = self.cursor_location
        self.call_after_refresh(self._scroll_to_centre)

    def on_resize(self) -> None:
        """Keep the line in the middle until the cursor has moved."""
        self.call_after_refresh(self._scroll_to_centre)

    def _scroll_to_centre(self) -> None:
        if self._centred == self.cursor_location:
            # Textual's own way to centre comes out a row apart when it is asked twice.
            row, height = self.cursor_location[0], self.scrollable_content_region.height
            self.scroll_to(0, max(0, row - height // 2), animate=False, force=True)

    def replace_all(self, text: str) -> None:
        """Put another text in the place of the whole one, as an edit that can be undone."""
        if text != self.text:
            self.replace(text, self.document.start, self.document.end, maintain_selection_offset=False)

    def notify_style_update(self) -> None:
        """Draw all lines again."""
        self._drawn.clear()
        super().notify_style_update()

    def _set_document(self, text: str, language: str | None) -> None:
        self._highlight_query = None
        grammar = get_language(language) if language else None
        if language is None or grammar is None:
            self.document = CodeDocument(text)
        else:
            self.document = ColouredDocument(text, grammar)
            self._highlight_query = self.document.prepare_query(self._get_builtin_highlight_query(language))
        self.wrapped_document = CodeRows(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _build_highlight_map(self) -> None:
        self._line_cache.clear()
        assert isinstance(self.document, CodeDocument)
        self._highlights = LineColours(self.document, self._highlight_query, _COLOURED)

    def _yield_character_locations(self, start: Location) -> Iterable[tuple[str, Location]]:
        return islice(super()._yield_character_locations(start), _BRACKET_WITHIN)

    def _yield_character_locations_reverse(self, start: Location) -> Iterable[tuple[str, Location]]:
        return islice(super()._yield_character_locations_reverse(start), _BRACKET_WITHIN)

    def _render_line(self, y: int) -> Strip:
        """Draw a line as Textual does; keep it while neither it nor its surroundings change."""
        scroll_x, scroll_y = self.scroll_offset
        row = scroll_y + y
        top, bottom = sorted((self.selection.start[0], self.selection.end[0]))
        bracket = self._matching_bracket_location
        if row >= self.document.line_count or top <= row <= bottom or (bracket is not None and bracket[0] == row):
            return super()._render_line(y)
        theme = self._theme
        key = (
            row,
            self.document.get_line(row),
            tuple(self._highlights[row]) if self._highlights else (),
            self._problem if self._problem is not None and self._problem[0] == row else None,
            scroll_x,
            self.size,
            max(self.virtual_size.width, self.region.width),
            self.gutter_width,
            theme.name,
            theme.base_style,
            theme.gutter_style,
        )
        if (drawn := self._drawn.get(key)) is None:
            drawn = self._drawn[key] = super()._render_line(y)
        return drawn

    def _shown(self, line: Text) -> Text:
        if line.plain.isprintable():
            return line
        return Text(show_controls(line.plain), end="", no_wrap=True)

    @property
    def _problem_style(self) -> Style:
        return Style(color=Color.parse(self.app.theme_variables["text-error"]).rich_color, italic=True)

    def action_file(self) -> None:
        """Ask for another file."""
        self.post_message(self.WantedFile())

    def action_outside(self) -> None:
        self.post_message(self.WantedOutside())

    def action_save(self) -> None:
        self.post_message(self.Saved(self.path, self.text))

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def _follow_theme(self, theme: Theme) -> None:
        name = f"selfheal-{theme.name}"
        self.register_theme(TextAreaTheme(name, syntax_styles=_syntax_styles(self.app.theme_variables)))
        self.theme = name


def _syntax_styles(variables: Mapping[str, str]) -> dict[str, Style]:
    """Return the code view's colours for the names that the parser uses."""
    comment = Color.parse(variables["foreground"]).blend(Color.parse(variables["surface"]), 0.4)
    styles = {"comment": Style(color=comment.rich_color)}
    for variable, names in _COLOURS.items():
        colour = Color.parse(variables[variable]).rich_color
        styles |= {name: Style(color=colour) for name in names}
    return styles


def _is_utf8(text: str) -> bool:
    """Half a surrogate pair is no text that the parser takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
