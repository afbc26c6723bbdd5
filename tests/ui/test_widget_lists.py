"""The timeline and the table of cases: what they show at any width, and what they tell when the user moves."""

from __future__ import annotations

from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult

from selfheal_tui.engine.moment.timeline import build_timeline
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.ui.kit.line_view import LineView
from selfheal_tui.ui.kit.suite_table import CaseList, SuiteTable, case_details, heading
from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from tests.ui.fakes import branched_timeline, point


def case(id: str, outcome: str = "passed", **facts: Any) -> CaseResult:
    found: Any = {
        "id": f"test_x.py::{id}",
        "outcome": outcome,
        "message": "",
        "expected": None,
        "actual": None,
        "location": None,
        "traceback": "",
        "duration_s": 0.01,
        "output": "",
        **facts,
    }
    return found  # type: ignore[no-any-return]


def report(*cases: CaseResult, **facts: Any) -> SuiteReport:
    outcomes = [c["outcome"] for c in cases]
    found: Any = {
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "errors": outcomes.count("error"),
        "timeouts": outcomes.count("timeout"),
        "skipped": outcomes.count("skipped"),
        "duration_s": 0.04,
        "isolation": [],
        "trust": "provisional",
        "not_verified": "one process",
        "truncated": False,
        "cases": list(cases),
        "verdict": "failed",
        "error": None,
        **facts,
    }
    return found  # type: ignore[no-any-return]


class Host(App[None]):
    """Holds one tree and notes what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield TimelineTree()

    @on(TimelineTree.Highlighted)
    def highlighted(self, message: TimelineTree.Highlighted) -> None:
        self.said.append(("highlighted", message.checkpoint_id))

    @on(TimelineTree.Chosen)
    def chosen(self, message: TimelineTree.Chosen) -> None:
        self.said.append(("chosen", message.checkpoint_id))


class TableHost(App[None]):
    """Holds one table."""

    def compose(self) -> ComposeResult:
        yield SuiteTable()


def screen_lines(view: LineView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


@pytest.mark.parametrize("width", [24, 140])
async def test_the_tree_is_readable_at_any_width(width: int) -> None:
    async with Host().run_test(size=(width, 20)) as pilot:
        tree = pilot.app.query_one(TimelineTree)
        tree.show(branched_timeline(), "e")
        await pilot.pause()
        lines = screen_lines(tree)
        assert all(len(line) <= width for line in lines)
        assert lines[1].startswith(" ✗ suite 3/7")
        assert lines[1].endswith("#0")
        assert lines[3].startswith(" ├ [red]side")
        assert lines[4].startswith(" │ ↺ rejected by you")
        assert lines[5].startswith("▸◆ your decision")
        assert not any("\x1b" in line for line in lines)


async def test_moving_and_choosing_are_told_and_showing_is_not() -> None:
    host = Host()
    async with host.run_test(size=(40, 20)) as pilot:
        tree = host.query_one(TimelineTree)
        tree.focus()
        tree.show(branched_timeline(), "e")
        await pilot.press("k", "up", "home", "end", "enter")
        assert host.said == [
            ("highlighted", "x"),
            ("highlighted", "x"),
            ("highlighted", "a"),
            ("highlighted", "e"),
            ("chosen", "e"),
        ]


async def test_a_click_moves_and_chooses() -> None:
    host = Host()
    async with host.run_test(size=(40, 20)) as pilot:
        host.query_one(TimelineTree).show(branched_timeline(), "e")
        await pilot.pause()
        await pilot.click(TimelineTree, offset=(5, 2))
        assert host.said == [("highlighted", "c"), ("chosen", "c")]


async def test_the_cursor_follows_the_position_but_stays_when_only_history_grows() -> None:
    host = Host()
    async with host.run_test(size=(40, 20)) as pilot:
        tree = host.query_one(TimelineTree)
        tree.focus()
        tree.show(branched_timeline(), "b")
        assert tree.current == "b"
        await pilot.press("down")
        grown = build_timeline([*branched_timeline(), point("f", "e", "apply")])
        tree.show(grown, "b")
        assert tree.current == "c"
        tree.show(grown, "f")
        assert tree.current == "f"
        await pilot.pause()


async def test_an_empty_tree_answers_no_key() -> None:
    host = Host()
    async with host.run_test() as pilot:
        tree = host.query_one(TimelineTree)
        tree.focus()
        tree.show(build_timeline([]), None)
        await pilot.press("j", "enter", "end", "pageup")
        assert host.said == []
        assert tree.current is None


async def test_a_cursor_far_down_is_scrolled_into_view() -> None:
    points = [point("p0", None, "start")]
    points += [point(f"p{n}", f"p{n - 1}", "diagnose") for n in range(1, 200)]
    async with Host().run_test(size=(30, 10)) as pilot:
        tree = pilot.app.query_one(TimelineTree)
        tree.show(build_timeline(points), "p150")
        await pilot.pause()
        assert tree.scroll_offset.y <= 150 < tree.scroll_offset.y + 10


CASES = (
    case("test_good"),
    case("test_[red]bad\x1b[31m", "failed", message="AssertionError: [b]x", expected="1", actual="2"),
    case("test_slow", "timeout"),
)


@pytest.mark.parametrize("width", [24, 140])
async def test_failures_come_first_and_foreign_text_stays_text(width: int) -> None:
    async with TableHost().run_test(size=(width, 24)) as pilot:
        pilot.app.query_one(SuiteTable).show(report(*CASES), fixes=["test_x.py::test_good"])
        await pilot.pause()
        lines = screen_lines(pilot.app.query_one(CaseList))
        assert lines[0].startswith(" ✗")
        assert "test_[red]bad" in lines[0]
        assert lines[1].startswith(" ◷")
        assert "▲ fixed" in lines[2]
        assert all(len(line) <= width for line in lines)


async def test_groups_of_failing_cases_stand_above_them() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        table = pilot.app.query_one(SuiteTable)
        table.show(report(*CASES), groups=["1. 2 cases fail in [b]x.py", "2. 1 case times out in y.py"])
        await pilot.pause()
        groups = table.query_one("#suite-groups")
        assert str(groups.render()) == "1. 2 cases fail in [b]x.py\n2. 1 case times out in y.py"
        assert groups.region.bottom == table.query_one(CaseList).region.y and groups.size.height == 2
        table.show(report(*CASES))
        await pilot.pause()
        assert not groups.display


async def test_the_details_follow_the_cursor() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        table = pilot.app.query_one(SuiteTable)
        table.show(report(*CASES))
        pilot.app.query_one(CaseList).focus()
        await pilot.pause()
        assert "expected 1" in str(table.query_one("#case-text").render())
        await pilot.press("down")
        assert "timeout" in str(table.query_one("#case-text").render())
        table.show(report(*CASES, case("test_new", "error")))
        assert "test_slow" in str(table.query_one("#case-text").render()), "a new report keeps the case"
        table.show(report(case("test_slow"), case("test_b", "failed")))
        assert "test_b" in str(table.query_one("#case-text").render()), "what fails anew is seen, not what passes now"


async def test_what_was_printed_outside_of_the_cases_stands_with_their_details() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        table = pilot.app.query_one(SuiteTable)
        table.show(report(*CASES, output="loading the [b]tables[/b]\n"))
        await pilot.pause()
        shown = str(table.query_one("#case-text").render())
        assert shown.endswith("Printed outside of the cases, as while files were imported\nloading the [b]tables[/b]")
        table.show(report(*CASES))
        assert "Printed outside" not in str(table.query_one("#case-text").render())


async def test_each_case_names_its_suite_where_some_are_generated() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        table = pilot.app.query_one(SuiteTable)
        own = {**case("test_own"), "id": "test_own.py::test_own"}
        table.show(report(*CASES, own), origins={"test_x.py": "adversarial"})  # type: ignore[arg-type]
        await pilot.pause()
        lines = screen_lines(pilot.app.query_one(CaseList))
        assert [line.split()[-1] for line in lines if line.strip()] == ["adversarial"] * 3 + ["yours"]
        assert "written by a model that read the code" in str(table.query_one("#case-text").render())
        table.show(report(*CASES, own))  # type: ignore[arg-type]
        await pilot.pause()
        assert "yours" not in "".join(screen_lines(pilot.app.query_one(CaseList)))


async def test_newly_broken_cases_come_before_all() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        pilot.app.query_one(SuiteTable).show(report(*CASES), breaks=["test_x.py::test_slow"])
        await pilot.pause()
        first = screen_lines(pilot.app.query_one(CaseList))[0]
        assert "test_slow" in first
        assert first.endswith("▼ broken")


async def test_a_report_error_stands_on_top() -> None:
    async with TableHost().run_test(size=(80, 24)) as pilot:
        table = pilot.app.query_one(SuiteTable)
        table.show(report(verdict="error", error="prog.py does not [parse]."))
        await pilot.pause()
        assert "prog.py does not [parse]." in str(table.query_one("#suite-error").render())
        assert table.query_one("#suite-error").display
        assert not table.query_one(CaseList).display


def test_the_heading_says_what_the_verdict_is_worth() -> None:
    assert heading(None).plain == "The suite has not run yet."
    assert heading(report(*CASES)).plain == "1 passed, 1 failed, 1 timeout in 0.04 s"
    assert heading(report(case("a"), verdict="passed")).plain == "1 passed in 0.04 s · not verified: one process"
    assert heading(report(case("a"), trust="verified")).plain == "1 passed in 0.04 s · verified"
    assert heading(report()).plain.startswith("no case ran")


def test_details_hold_everything_known_of_a_case() -> None:
    found = case(
        "a", "failed", message="m", expected="1", actual="2", location="p.py:3", traceback="tb", output="out\x07"
    )
    text = case_details(found).plain
    assert [part in text for part in ("failed", "test_x.py::a", "1", "2", "p.py:3", "tb", "out\ufffd")] == [True] * 7


async def test_a_cursor_placed_while_hidden_is_in_view_once_shown() -> None:
    points = [point("p0", None, "start")]
    points += [point(f"p{n}", f"p{n - 1}", "diagnose") for n in range(1, 200)]
    async with Host().run_test(size=(30, 10)) as pilot:
        tree = pilot.app.query_one(TimelineTree)
        tree.display = False
        await pilot.pause()
        tree.show(build_timeline(points), "p150")
        await pilot.pause()
        tree.display = True
        await pilot.pause()
        await pilot.pause()
        assert tree.scroll_offset.y <= 150 < tree.scroll_offset.y + 10
