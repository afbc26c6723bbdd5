"""The transcript's folds: what a tool saw and the cases of a suite are one line until they are unfolded."""

from __future__ import annotations

from random import Random

import pytest
from textual.app import App, ComposeResult

from selfheal_tui.ui.kit import transcript
from selfheal_tui.ui.kit.transcript import MAX_LINES, Transcript
from tests.wire.rig import until


class Host(App[None]):
    """Holds one transcript."""

    def compose(self) -> ComposeResult:
        yield Transcript()


def lines(view: Transcript) -> list[str]:
    return [text for y in range(view.size.height) if (text := view.render_line(y).text.rstrip())]


async def flushed(app: App[None], wanted: str) -> Transcript:
    view = app.query_one(Transcript)
    await until(lambda: wanted in view.text, 10.0)
    return view


async def test_what_a_tool_saw_is_folded_until_enter() -> None:
    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("thinking")
        view.fold("read_file shop.py", ["I need the file.", "1 def total():\n2     return \x1b[31m0"])
        view.write_line("done")
        await flushed(pilot.app, "done")
        assert lines(view) == ["thinking", "▸ read_file shop.py", "done"]
        view.focus()
        await pilot.press("up", "enter")
        shown = lines(view)
        assert shown[1] == "▾ read_file shop.py" and shown[3] == "   │ 1 def total():" and shown[-1] == "done"
        assert "\x1b" not in "".join(shown)
        await pilot.press("enter")
        assert lines(view) == ["thinking", "▸ read_file shop.py", "done"]


async def test_a_click_unfolds() -> None:
    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.fold("localise", ["", "0.9 shop.py:3"])
        await flushed(pilot.app, "localise")
        await pilot.click(Transcript, offset=(4, 0))
        assert lines(view)[-1].endswith("0.9 shop.py:3")


async def test_the_cases_of_a_suite_are_counted_in_one_line() -> None:
    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.write_line("── running the tests")
        for n in range(5):
            view.add_case("passed" if n else "failed", f"test_{n}")
        await flushed(pilot.app, "5 cases")
        view.add_case("timeout", "test_5")
        await flushed(pilot.app, "6 cases")
        assert lines(view) == ["── running the tests", "▸ 6 cases · ✓ 4 · ✗ 1 failed · ✗ 1 timeout"]
        view.write_line("── looking for the cause")
        view.add_case("passed", "test_0")
        await flushed(pilot.app, "1 case ")
        assert view.text.count(" · ✓ ") == 2, "a later run is a line of its own"


async def test_a_reader_who_went_up_is_left_there() -> None:
    async with Host().run_test(size=(60, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("".join(f"line {n}\n" for n in range(100)))
        await flushed(pilot.app, "line 99")
        view.focus()
        await pilot.press("up", "up")
        at = view.cursor
        view.write_line("newest")
        await flushed(pilot.app, "newest")
        assert view.cursor == at
        await pilot.press("end")
        view.write_line("latest")
        await flushed(pilot.app, "latest")
        assert lines(view)[-1] == "latest"


async def test_folded_lines_count_and_the_oldest_go() -> None:
    async with Host().run_test(size=(60, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.write_line("first")
        for n in range(3):
            view.fold(f"tool {n}", ["x\n" * MAX_LINES])
        await flushed(pilot.app, "tool 2")
        assert "first" not in view.text and "tool 0" not in view.text


async def test_streams_side_by_side_keep_their_lines_apart() -> None:
    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        for by, text in (("minimal", "one "), ("rewrite", "def"), ("minimal", "two\nthr"), ("rewrite", " f():\n")):
            view.append(text, by)
        await flushed(pilot.app, "thr")
        assert lines(view) == ["minimal │ one two", "rewrite │ def f():", "minimal │ thr"]
        view.append("    return 1", "rewrite")
        view.write_line("   candidate rewrite: fixes 1, breaks 0")
        view.append("ee", "minimal")
        view.write_line("   repairer (minimal) · m · 9 tokens", "minimal")
        view.append(" or 2", "rewrite")
        await flushed(pilot.app, "or 2")
        assert lines(view)[2:] == [
            "   candidate rewrite: fixes 1, breaks 0",
            "minimal │ three",
            "   repairer (minimal) · m · 9 tokens",
            "rewrite │     return 1 or 2",
        ]
        view.end_streams()
        view.append("again", "rewrite")
        await flushed(pilot.app, "again")
        assert lines(view)[-2:] == ["rewrite │     return 1 or 2", "rewrite │ again"]
        view.add_case("passed", "test_0")
        view.append("late", "minimal")
        view.add_case("failed", "test_1")
        await until(lambda: "✗ 1 failed" in view.text, 10.0)
        assert lines(view)[-3:] == ["▸ 1 case · ✓ 1", "minimal │ late", "▸ 1 case · ✓ 0 · ✗ 1 failed"]


async def test_rows_that_are_added_and_dropped_are_those_of_all_the_lines_kept() -> None:
    random = Random(7)
    async with Host().run_test(size=(40, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        for n in range(400):
            for _ in range(random.randrange(4)):
                match random.randrange(5):
                    case 0:
                        view.append(f"part {n} " * random.randrange(12))
                    case 1:
                        view.write_line("\n".join(f"line {n}" for _ in range(random.randrange(600))))
                    case 2:
                        view.fold(f"tool {n}", [f"{n}\n" * random.randrange(1, 900)])
                    case 3:
                        view.add_case(random.choice(["passed", "failed"]), f"test_{n}")
                    case 4 if view._drawn:
                        view.row_chosen(random.randrange(len(view._drawn)))
            view._flush()
            rows = list(view._drawn)
            view._redraw()
            assert rows == view._drawn, n
            assert sum(1 + len(entry.body) for entry in view._entries) <= MAX_LINES


async def test_a_flood_draws_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    rows = transcript._rows

    def drawing(entry: transcript._Entry, width: int) -> list[tuple[str, transcript._Entry | None]]:
        drawn.append(entry.head)
        return rows(entry, width)

    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.write_line("\n".join(f"line {n}" for n in range(MAX_LINES)))
        view._flush()
        monkeypatch.setattr(transcript, "_rows", drawing)
        view.write_line("one\ntwo")
        view._flush()
        assert drawn == ["one", "two"]
        assert view.text.splitlines()[0] == "line 2"
        assert len(view._drawn) == MAX_LINES


async def test_text_of_a_hidden_view_is_wrapped_when_it_is_first_seen() -> None:
    async with Host().run_test(size=(60, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.display = False
        await pilot.pause()
        hidden = Transcript(id="hidden")
        hidden.display = False
        await pilot.app.mount(hidden)
        words = "word " * 400
        hidden.append(f"{words}\nlast")
        await until(lambda: "last" in hidden.text, 10.0)
        assert hidden.virtual_size.height == 2, "a line is a row, nothing has been wrapped"
        hidden.display = True
        await pilot.pause()
        await pilot.pause()
        assert lines(hidden)[-1] == "last" and hidden.virtual_size.height > 30
        assert hidden.vertical_scrollbar.position == hidden.scroll_y > 20


async def test_what_a_model_thinks_is_dimmed_over_all_its_lines() -> None:
    async with Host().run_test(size=(30, 12)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("Is it the discount, or the sum of the prices?\nIt is ", "debugger thinks", quiet=True)
        view.append('{"cause": 1}')
        await flushed(pilot.app, "cause")
        rows = [view.row(y, 30)[0].body for y in range(5)]
        dimmed = {row.plain: bool(row.spans) for row in rows if row.plain}
        assert dimmed == {
            "debugger thinks │ Is it the": True, "discount, or the sum of the": True, "prices?": True,
            "debugger thinks │ It is ": True, '{"cause": 1}': False,
        }  # fmt: skip
