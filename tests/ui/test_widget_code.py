"""Code on the screen: the diff, the reading view, the editor."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.widgets import OptionList

from selfheal_tui.ui.kit.code_editor import HIGHLIGHT_BELOW, CodeEditor
from selfheal_tui.ui.kit.code_highlight import highlighted
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.line_view import LineView
from selfheal_tui.ui.kit.wrapping import pieces
from selfheal_tui.ui.run.tabs.edit_pane import EditPane

OLD = "def f(x):\n    # [red]mark[/red]\x1b[31m\n    return x < 1\n"
NEW = OLD.replace("<", "<=")


class Host(App[None]):
    """Holds one widget and notes what it says."""

    def __init__(self, widget: DiffView | CodeView | CodeEditor | EditPane) -> None:
        super().__init__()
        self.widget = widget
        self.said: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield self.widget

    @on(CodeEditor.Saved)
    def saved(self, message: CodeEditor.Saved) -> None:
        self.said.append((message.path, message.text))

    @on(CodeEditor.Left)
    def left(self) -> None:
        self.said.append(("left", ""))


def screen_lines(view: LineView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_one_column_shows_numbers_signs_and_plain_brackets() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(80, 8)) as pilot:
        view.show([("f.py", OLD, NEW)])
        await pilot.pause()
        assert screen_lines(view)[:4] == [
            " 1  1   def f(x):",
            " 2  2       # [red]mark[/red]␛[31m",
            " 3    -     return x < 1",
            "    3 +     return x <= 1",
        ]
        view.show([("f.py", OLD, NEW)], named=True)
        assert screen_lines(view)[0].startswith(" f.py  +"), "the program has another file"


async def test_a_wide_view_shows_both_sides() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(170, 8)) as pilot:
        view.show([("f.py", OLD, NEW)])
        await pilot.pause()
        line = screen_lines(view)[2]
        assert line.startswith(" 3 -     return x < 1")
        assert line[84:] == " 3 +     return x <= 1"


async def test_the_style_can_be_forced_and_follows_the_width() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(170, 8)) as pilot:
        view.show([("f.py", OLD, NEW)], style="unified")
        await pilot.pause()
        assert screen_lines(view)[3].startswith("    3 +")
        view.show([("f.py", OLD, NEW)])
        await pilot.resize_terminal(70, 8)
        await pilot.pause()
        assert screen_lines(view)[3].startswith("    3 +")


async def test_a_narrow_view_wraps_and_never_scrolls_sideways() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(24, 8)) as pilot:
        view.show([("f.py", "", "a = 1  # " + "x" * 20 + "END\n")])
        await pilot.pause()
        lines = screen_lines(view)
        assert lines[0].startswith(" 1 + a = 1  # x") and lines[1].startswith(" ↪ + x")
        assert "".join(line[5:] for line in lines[:2]) == "a = 1  # " + "x" * 20 + "END"
        assert view.max_scroll_x == 0


LONG = "    return compute(" + ", ".join(f"argument_{n}=value_{n}" for n in range(12)) + ", limit={{{}}})\n"


@pytest.mark.parametrize("style", ["unified", "split"])
@pytest.mark.parametrize("width", [40, 80, 120])
async def test_a_long_line_is_wrapped_and_its_change_is_seen_on_both_sides(width: int, style: str) -> None:
    view = DiffView()
    async with Host(view).run_test(size=(width, 60)) as pilot:
        view.show([("f.py", LONG.format("10"), LONG.format("20"))], style=style)
        await pilot.pause()
        lines = screen_lines(view)
        assert not any("…" in line for line in lines)
        assert any("{10}" in line for line in lines) and any("{20}" in line for line in lines)
        assert all(len(line) <= width for line in lines)
        continued = [line for line in lines if "↪" in line]
        assert continued and all(" - " in line or " + " in line for line in continued)
        drawn = [cell for y in range(len(view._drawn)) for cell in view.row(y, view.row_width)]
        marked = {
            cell.body.plain[span.start : span.end]
            for cell in drawn
            for span in cell.body.spans
            if "38%" in str(span.style)
        }
        assert "10" in marked, "the changed word is marked in its piece"
        text = "".join(cell.body.plain for cell in drawn if cell.tint and "+" in cell.gutter.plain)
        assert text == LONG.format("20").rstrip("\n")


async def test_a_line_of_data_shows_what_changed_in_it() -> None:
    view = DiffView()
    old = "table = [" + "1234567890, " * 5_000 + "]\n"
    async with Host(view).run_test(size=(60, 20)) as pilot:
        view.show([("f.py", old, old[:30_000] + "WRONG" + old[30_000:])])
        await pilot.pause()
        lines = screen_lines(view)
        assert any("WRONG" in line for line in lines) and len(view._drawn) < 20
        assert [line.split()[:2] for line in lines if "… " in line or line.endswith(("… -", "… +"))] == [
            *(["…", "-"], ["…", "-"]),
            *(["…", "+"], ["…", "+"]),
        ], "what is left out is said"


async def test_a_resize_wraps_anew_and_keeps_the_place() -> None:
    view = DiffView()
    text = "".join(f"value_{n} = function_of_many_words({n}, {n}, {n})\n" for n in range(60))
    async with Host(view).run_test(size=(100, 10)) as pilot:
        view.show([("f.py", "", text)])
        await pilot.pause()
        view.scroll_to(y=30, animate=False)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert "value_30 = " in screen_lines(view)[0] and "↪" in screen_lines(view)[1]


@pytest.mark.parametrize(("width", "split"), [(159, False), (160, True)])
async def test_side_by_side_from_160_columns(width: int, split: bool) -> None:
    view = DiffView()
    async with Host(view).run_test(size=(width, 12)) as pilot:
        view.show([("f.py", OLD, NEW)])
        await pilot.pause()
        assert any("x < 1" in line and "x <= 1" in line for line in screen_lines(view)) is split


def test_pieces_are_the_whole_line_and_fit() -> None:
    for text in (
        "",
        "abc",
        "x" * 100,
        "  a, b" * 40,
        "日本語" * 30,
        " " * 90 + "x",
        "e" + "\u0301" * 300,
        "a, 🇩🇪 ❤️" * 30,
    ):
        for room in (1, 2, 7, 40):
            parts = pieces(text, room)
            assert "".join(text[a:b] for a, b in parts) == text
            assert all(a < b and cell_len(text[a:b]) <= max(4, room) for a, b in parts if text)


async def test_several_files_carry_headings_and_unchanged_ones_are_left_out() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(80, 12)) as pilot:
        view.show([("a.py", "x\n", "y\n"), ("same.py", "s\n", "s\n"), ("b[1].py", "", "z\n")])
        await pilot.pause()
        lines = screen_lines(view)
        assert lines[0] == " a.py  +1 −1"
        assert lines[3] == " b[1].py  new file  +1 −0"
        assert not any("same.py" in line for line in lines)


async def test_the_same_change_again_keeps_the_place() -> None:
    view = DiffView()
    change = ("f.py", "", "".join(f"v{n} = {n}\n" for n in range(100)))
    async with Host(view).run_test(size=(60, 10)) as pilot:
        view.show([change])
        await pilot.pause()
        view.scroll_to(y=40, animate=False)
        view.show([change])
        await pilot.pause()
        assert view.scroll_offset.y == 40
        view.show([("g.py", "", change[2])])
        await pilot.pause()
        assert view.scroll_offset.y == 0


async def test_no_change_is_said() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(40, 5)) as pilot:
        view.show([("f.py", OLD, OLD)])
        await pilot.pause()
        assert screen_lines(view)[0].strip() == "No change to show."


@pytest.mark.parametrize("text", ["", "a", "a\n", "'''\na\n\n'''\n\n", "x\x0cy\u2028z\n\tb\n", "\ufeffa = 1\n"])
def test_colours_change_no_character(text: str) -> None:
    plain = [line.plain for line in highlighted("notes.txt", text)]
    assert [line.plain for line in highlighted("code.py", text)] == plain


def test_strings_over_several_lines_keep_their_colour() -> None:
    first, second, third = highlighted("c.py", 'x = """one\ntwo\n"""\n')
    assert second.spans
    assert {span.style for span in second.spans} & {span.style for span in third.spans}
    assert first.spans


@pytest.mark.parametrize(("width", "below"), [(100, False), (30, True)])
async def test_a_marked_line_shows_why(width: int, below: bool) -> None:
    view = CodeView()
    async with Host(view).run_test(size=(width, 10)) as pilot:
        view.show({"f.py": OLD}, {("f.py", 3): "should be [b]<=[/b]"})
        await pilot.pause()
        lines = screen_lines(view)
        assert lines[2].startswith("▶  3     return x < 1")
        assert ("should be [b]<=[/b]" in lines[2]) is not below
        assert ("╰ should be" in lines[3]) is below


async def test_a_line_that_a_key_picks_carries_the_key() -> None:
    view = CodeView()
    async with Host(view).run_test(size=(60, 10)) as pilot:
        view.show({"f.py": OLD}, {("f.py", 3): "", ("f.py", 1): ""}, numbers={("f.py", 3): "1", ("f.py", 1): "10"})
        await pilot.pause()
        lines = screen_lines(view)
        assert lines[2].startswith("1▶ 3     return x < 1") and lines[0].startswith("▶  1 ")


async def test_goto_brings_the_line_of_the_right_file_into_view() -> None:
    view = CodeView()
    long = "".join(f"v{n} = {n}\n" for n in range(1, 301))
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.show({"a.py": long, "b.py": long.replace("v", "w")})
        view.goto("b.py", 200)
        await pilot.pause()
        await pilot.pause()
        assert any("w200 = 200" in line for line in screen_lines(view))
        view.goto("b.py", 9999)
        await pilot.pause()
        assert any("w200 = 200" in line for line in screen_lines(view))


async def test_goto_in_a_hidden_view_works_once_it_is_shown() -> None:
    view = CodeView()
    view.display = False
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.show({"a.py": "".join(f"v{n} = {n}\n" for n in range(1, 301))})
        view.goto("a.py", 200)
        await pilot.pause()
        view.display = True
        await pilot.pause()
        await pilot.pause()
        assert any("v200 = 200" in line for line in screen_lines(view))


async def test_the_place_is_kept_when_the_same_file_comes_again() -> None:
    view = CodeView()
    long = "".join(f"v{n} = {n}\n" for n in range(1, 301))
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.show({"a.py": long})
        await pilot.pause()
        view.scroll_to(y=100, animate=False)
        view.show({"a.py": long + "more = 1\n"})
        await pilot.pause()
        assert view.scroll_offset.y == 100
        view.show({"b.py": long})
        await pilot.pause()
        assert view.scroll_offset.y == 0


async def test_selected_code_can_be_copied_without_numbers() -> None:
    view = CodeView()
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.show({"f.py": "one\ntwo\n"})
        await pilot.pause()
        view.text_select_all()
        await pilot.pause()
        assert view.screen.get_selected_text() == "one\ntwo"


async def test_no_code_is_said() -> None:
    view = CodeView()
    async with Host(view).run_test(size=(40, 5)) as pilot:
        view.show({})
        await pilot.pause()
        assert screen_lines(view)[0].strip() == "No code yet."


async def test_the_editor_hands_over_the_text_and_tab_indents() -> None:
    host = Host(CodeEditor())
    async with host.run_test(size=(60, 12)) as pilot:
        editor = host.query_one(CodeEditor)
        editor.show("f.py", "x = 1\n")
        editor.focus()
        await pilot.press("tab", "ctrl+s")
        assert host.said == [("f.py", "    x = 1\n")]
        await pilot.press("ctrl+z", "ctrl+s")
        assert host.said[-1] == ("f.py", "x = 1\n")


async def test_a_new_line_begins_as_far_in_as_the_one_before_it() -> None:
    editor = CodeEditor()
    async with Host(editor).run_test(size=(60, 8)) as pilot:
        editor.show("f.py", "def f():\n    if x:")
        editor.focus()
        editor.action_reach_end(True)
        await pilot.press("enter", "y", "enter", "z")
        assert editor.text == "def f():\n    if x:\n        y\n        z"
        editor.show("notes.txt", "  so:")
        editor.action_reach_end(True)
        await pilot.press("enter", "y")
        assert editor.text == "  so:\n  y"


async def test_after_choosing_a_file_one_goes_on_writing() -> None:
    pane = EditPane()
    async with Host(pane).run_test(size=(90, 20)) as pilot:
        pane.open("k", "code", {"a.py": "a = 1\n", "b.py": "b = 1\n\nc = 2\n"}, {}, at=("b.py", 3))
        await pilot.pause()
        editor = pane.query_one(CodeEditor)
        assert (editor.path, editor.cursor_location) == ("b.py", (2, 0)), "it opens where the mistake is suspected"
        assert pane.query_one(OptionList).option_count == 2, "files alone stand in the list"
        await pilot.press("shift+tab", "up", "enter")
        await pilot.pause()
        await pilot.press("q")
        assert (editor.path, editor.text) == ("a.py", "qa = 1\n")
        await pilot.press("shift+tab", "escape")
        await pilot.pause()
        await pilot.press("w")
        assert (editor.path, editor.text) == ("a.py", "qwa = 1\n"), "nothing was chosen"
        assert pane.kept == {"a.py": "qwa = 1\n"}


async def test_a_mistake_that_is_mended_is_not_named_any_longer() -> None:
    pane = EditPane()
    async with Host(pane).run_test(size=(90, 20)) as pilot:
        pane.open("k", "code", {"a.py": "a = (1\n"}, {})
        editor = pane.query_one(CodeEditor)
        while "✗" not in editor.get_line(0).plain:
            await pilot.pause()
        await pilot.press("end", ")")
        assert "✗" not in editor.get_line(0).plain


async def test_escape_leaves_and_keeps_the_text() -> None:
    host = Host(CodeEditor())
    async with host.run_test(size=(60, 12)) as pilot:
        editor = host.query_one(CodeEditor)
        editor.show("f.py", "x")
        editor.focus()
        await pilot.press("a", "escape")
        assert host.said == [("left", "")]
        assert editor.text == "ax"
        assert "esc back" in str(editor.border_subtitle)


async def test_the_editor_colours_small_python_files_only() -> None:
    host = Host(CodeEditor())
    async with host.run_test(size=(60, 12)):
        editor = host.query_one(CodeEditor)
        found = []
        for path, lines in (("f.py", HIGHLIGHT_BELOW - 1), ("f.py", HIGHLIGHT_BELOW), ("notes.txt", 1)):
            editor.show(path, "x = 1\n" * lines)
            found.append(editor.language)
        assert found == ["python", None, None]


async def test_the_editor_shows_control_characters_and_keeps_them() -> None:
    host = Host(CodeEditor())
    text = "a\x1b[31mb\u202e[red]\n"
    async with host.run_test(size=(60, 12)) as pilot:
        editor = host.query_one(CodeEditor)
        editor.show("[red]\x1b[31mf.py", text)
        await pilot.pause()
        shown = editor.render_line(0).text
        assert "a␛[31mb\ufffd[red]" in shown
        assert editor.text == text
        assert "\x1b" not in str(editor.border_title)


async def test_the_editor_follows_the_theme() -> None:
    host = Host(CodeEditor())
    async with host.run_test(size=(60, 12)) as pilot:
        editor = host.query_one(CodeEditor)
        host.theme = "textual-light"
        await pilot.pause()
        assert editor.theme == "selfheal-textual-light"


async def test_the_gutter_says_how_suspicious_a_line_is() -> None:
    view = CodeView()
    async with Host(view).run_test(size=(60, 10)) as pilot:
        view.show({"f.py": OLD}, {("f.py", 3): "evidence"}, {("f.py", 3): 1.0, ("f.py", 2): 0.2, ("g.py", 1): 1.0})
        await pilot.pause()
        lines = screen_lines(view)
        plain = [line.plain for line in highlighted("f.py", OLD)]
        assert [lines[y].rstrip() for y in range(2)] == [f"   1  {plain[0]}".rstrip(), f"   2▂ {plain[1]}".rstrip()]
        assert lines[2].startswith(f"▶  3█ {plain[2]}"), "another file's line is not this one's"
        view.show({"f.py": OLD}, {}, {("f.py", 3): 0.9999})
        assert screen_lines(view)[2].startswith("   3▇"), "some passing case runs it too"
        view.show({"f.py": OLD}, {}, {("g.py", 1): 1.0})
        await pilot.pause()
        assert not view.scored and screen_lines(view)[0].rstrip() == f"   1 {plain[0]}".rstrip()


async def test_a_line_that_was_gone_to_stays_in_sight_until_the_user_scrolls() -> None:
    view = CodeView()
    text = "".join(f"v{n} = {n}\n" for n in range(1, 101))
    async with Host(view).run_test(size=(60, 40)) as pilot:
        view.show({"a.py": text}, {("a.py", n): "w" * 90 for n in range(1, 40)})
        view.goto("a.py", 60)
        await pilot.pause()
        for size in ((60, 8), (30, 8), (60, 20)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert any("v60 = 60" in line for line in screen_lines(view)), size
        view.scroll_to(y=0, animate=False)
        await pilot.pause()
        await pilot.resize_terminal(50, 8)
        await pilot.pause()
        assert "v1 = 1" in screen_lines(view)[0]


async def test_reasons_take_the_width_of_the_pane_also_when_they_came_while_it_was_hidden() -> None:
    view = CodeView()
    async with Host(view).run_test(size=(110, 20)) as pilot:
        reason = "this comparison lets two intervals through that only touch, and the next line joins them " * 2
        view.show({"f.py": OLD}, {("f.py", 3): reason})
        await pilot.pause()
        before = screen_lines(view)
        view.display = False
        await pilot.pause()
        view.show({"f.py": OLD}, {("f.py", 3): f"{reason} "})
        view.display = True
        await pilot.pause()
        await pilot.pause()
        assert screen_lines(view) == before and len([line for line in before if line.strip()]) == 5
