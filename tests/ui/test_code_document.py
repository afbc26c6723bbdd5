"""The editor's documents: as Textual's in all they say, at the cost of what is edited or seen."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.document._document import Document
from textual.document._wrapped_document import WrappedDocument
from textual.strip import Strip
from textual.widgets import TextArea

from selfheal_tui.ui.kit.code_document import CodeDocument, CodeRows, LineColours
from selfheal_tui.ui.kit.code_editor import _COLOURED, CodeEditor

PROGRAM = '''"""Words
over lines."""

class Span(tuple):
    def __init__(self, low: int = 0) -> None:
        print("é ü", f"{low!r}", 3.5)  # said
        return None
'''
TEXTS = st.text(alphabet='ab (\t"é宽\n', max_size=12)
PLACES = st.tuples(st.integers(0, 9), st.integers(0, 14))


class Host(App[None]):
    """Holds the editor."""

    def compose(self) -> ComposeResult:
        yield CodeEditor()


@given(TEXTS, st.lists(st.tuples(PLACES, PLACES, TEXTS), max_size=6), st.sampled_from((2, 4)))
def test_a_document_says_what_textuals_says(text: str, edits: list[tuple[tuple[int, int], ...]], tab: int) -> None:
    ours, theirs = CodeDocument(text), Document(text)
    rows, their_rows = CodeRows(ours), WrappedDocument(theirs)
    for start, end, new in edits:
        assert (ours.text, ours.get_size(4)) == (theirs.text, theirs.get_size(4))
        old = _within(theirs, start), _within(theirs, end)
        changed = ours.replace_range(*old, new), theirs.replace_range(*old, new)
        assert changed[0] == changed[1]
        for each, result in ((rows, changed[0]), (their_rows, changed[1])):
            each.wrap_range(min(old), max(old), result.end_location)
        assert rows.height == their_rows.height
    assert (ours.text, ours.get_size(tab)) == (theirs.text, theirs.get_size(tab))


def _within(document: Document, place: tuple[int, int]) -> tuple[int, int]:
    row = min(place[0], document.line_count - 1)
    return row, min(place[1], len(document[row]))


async def test_the_colours_of_a_line_are_those_of_the_whole_file() -> None:
    app = App[None]()
    async with app.run_test():
        editor = CodeEditor()
        await app.mount(editor)
        editor.show("f.py", PROGRAM * 40 + '"""never closed\n' + PROGRAM)
        ours = {n: editor._highlights[n] for n in range(editor.document.line_count)}
        editor._highlights = defaultdict(list)
        TextArea._build_highlight_map(editor)
        assert editor._highlights[5]
        for n, found in ours.items():
            assert sorted(found, key=repr) == sorted((r for r in editor._highlights[n] if r[2] in _COLOURED), key=repr)


@pytest.mark.parametrize("path", ["f.py", pytest.param("notes.txt", marks=pytest.mark.deep)])
async def test_a_line_that_is_kept_is_the_line_drawn_afresh(path: str) -> None:
    host = Host()
    async with host.run_test(size=(50, 14)) as pilot:
        editor = host.query_one(CodeEditor)
        editor.show(path, PROGRAM * 3)
        editor.focus()
        for keys in (
            ("x", "(", "left"),
            ("enter", '"', '"', '"'),
            ("ctrl+z",),
            ("shift+down", "shift+down"),
            ("up", "delete"),
            ("pagedown", "tab"),
            ("end", *"longer than the width of the whole screen is"),
            ("home", "ctrl+y"),
        ):
            await pilot.press(*keys)
            _assert_true(editor)
        editor.mark(editor.scroll_offset.y + 2, "invalid syntax")
        _assert_true(editor)
        assert "✗ invalid syntax" in editor.render_line(2).text
        editor.unmark()
        _assert_true(editor)
        host.theme = "textual-light"
        await pilot.pause()
        _assert_true(editor)
        await pilot.resize_terminal(30, 10)
        _assert_true(editor)
        editor.blur()
        await pilot.pause()
        _assert_true(editor)


def _assert_true(editor: CodeEditor) -> None:
    kept = _drawn(editor)
    editor._drawn.clear()
    editor._line_cache.clear()
    if editor.language:
        assert isinstance(editor.document, CodeDocument)
        editor._highlights = LineColours(editor.document, editor._highlight_query, _COLOURED)
    assert kept == _drawn(editor)


def _drawn(editor: CodeEditor) -> list[Strip]:
    assert editor._theme is not None
    editor._theme.apply_css(editor)
    return [editor.render_line(y) for y in range(editor.size.height)]


@pytest.fixture(autouse=True)
def _drawn_at_rest() -> None:
    """Draw every frame: here it counts what is drawn."""


async def test_a_key_costs_what_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        editor = host.query_one(CodeEditor)
        editor.show("f.py", PROGRAM * 600)
        editor.focus()
        editor.move_cursor((2400, 0))
        await pilot.pause()
        measured: list[int] = []
        drawn: list[int] = []
        measure, render = CodeDocument._measure, TextArea._render_line

        def measuring(self: CodeDocument, lines: list[str]) -> list[int]:
            measured.append(len(lines))
            return measure(self, lines)

        def rendering(self: TextArea, y: int) -> Strip:
            drawn.append(y)
            return render(self, y)

        monkeypatch.setattr(CodeDocument, "_measure", measuring)
        monkeypatch.setattr(TextArea, "_render_line", rendering)
        await pilot.press("x", "y")
        assert measured == [1, 1]
        assert set(drawn) == {editor.cursor_location[0] - editor.scroll_offset.y}
        assert len(editor._highlights) <= 128
