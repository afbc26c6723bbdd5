"""Every tab shows the moment that is looked at, and the newest again once the user is back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from selfheal_tui.engine.moment.review import Comment, Decision, edit, reject
from selfheal_tui.engine.moment.steering import avoided
from selfheal_tui.engine.moment.timeline import build_timeline
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.line_view import LineView
from selfheal_tui.ui.kit.matrix_view import MatrixRows
from selfheal_tui.ui.kit.suite_table import CaseList, SuiteTable
from selfheal_tui.ui.kit.transcript import Transcript
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.run.status_bar import StatusBar
from selfheal_tui.ui.run.tabs.beside import Beside
from selfheal_tui.ui.run.tabs.evidence import Evidence
from selfheal_tui.ui.view.model import RunModel, look_at, step_from
from selfheal_tui.ui.view.timeline_rows import build_timeline_rows
from tests.ui.fakes import CODE, HALF, FakeSession, FakeWorkbench, point, settle, snapshot
from tests.ui.running import SIZES, running
from tests.wire.rig import until

BACK = "left_square_bracket"


@asynccontextmanager
async def healed(size: tuple[int, int] = (140, 45)) -> AsyncIterator[tuple[RunScreen, Pilot[Any]]]:
    """Heal: c1 start, c2 suite 5/7, c3 diagnosis, c4 decided, c5 repairs, c6 decided, c7 suite 7/7."""
    app = SelfHealApp(FakeWorkbench(FakeSession("s1")), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "a", "a")
        assert isinstance(app.screen, RunScreen)
        yield app.screen, pilot


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def open_tab(pilot: Pilot[Any], tab: str) -> None:
    evidence = pilot.app.screen.query_one(Evidence)
    evidence.tabs.activate(tab)
    await settle(pilot)


def lines(view: LineView) -> str:
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def text(screen: RunScreen, what: str) -> str:
    return str(screen.query_one(f"#{what}", Static).render())


async def test_code_and_cases_are_those_of_then() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "code")
        await until(lambda: "a[0] < b[1]" in lines(screen.query_one("#code CodeView", CodeView)), 10.0)
        await press(pilot, *[BACK] * 5)
        assert screen.model.position == "c2"
        assert "a[0] <= b[1]" in lines(screen.query_one("#code CodeView", CodeView))
        await open_tab(pilot, "tests")
        assert "5 passed" in text(screen, "tests #suite-heading")
        assert (
            "5/7" in screen.query_one(StatusBar).said(140).plain
            and " PAST " in screen.query_one(StatusBar).said(140).plain
        )
        await press(pilot, "n")
        assert "7 passed" in text(screen, "tests #suite-heading")


async def test_each_of_several_keys_at_once_is_a_step() -> None:
    async with healed() as (screen, pilot):
        for _ in range(5):
            pilot.app.post_message(events.Key(BACK, None))
        await until(lambda: screen.model.position == "c2", 10.0)
        for key in (BACK, "n"):
            pilot.app.post_message(events.Key(key, None))
        await until(lambda: screen.model.past is None, 10.0)
        await settle(pilot)
        assert screen.model.past is None, "what was still loaded when one went back to now is not shown"


async def test_the_matrix_ends_at_the_moment() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "matrix")
        rows = screen.query_one(MatrixRows)
        assert [column["iteration"] for column in rows.columns] == [0, 1]
        await press(pilot, *[BACK] * 4)
        assert [column["iteration"] for column in rows.columns] == [0]
        await press(pilot, "n")
        assert [column["iteration"] for column in rows.columns] == [0, 1]


async def test_the_diff_says_what_it_compares() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "diff")
        assert text(screen, "diff-what").startswith("Everything that changed since the start")
        await press(pilot, BACK, BACK)
        assert text(screen, "diff-what").startswith("The repair proposed")
        await press(pilot, BACK, BACK, BACK)
        assert text(screen, "diff-what") == "The code is as it was given."


async def test_a_decided_repair_is_the_one_that_was_taken() -> None:
    async with running(size=(140, 45)) as run:
        await run.press("a", "2", "a", BACK)
        assert run.screen.model.position == "c6" and "approved by you: repair 2 of 2" in run.side_text()
        assert run.side_text().count("approved by you") == 1
        assert text(run.screen, "diff-what") == "Repair 2 of 2, approved by you, against the code it was made for"
        assert list(run.screen.query_one("#diff DiffView", DiffView).files) == [("intervals.py", CODE, HALF)]
        tests = run.screen.query_one("#tests SuiteTable", SuiteTable)
        assert str(tests.query_one("#suite-heading", Static).render()).count("6 passed") == 1
        await run.press(BACK)
        assert run.screen.model.position == "c5" and "↺ approved by you: repair 2 of 2" in run.side_text()
        assert "repair 2 of 2" in str(run.screen.side.border_title), "the one that was taken is shown"
        await run.press("1", "r", *"no", "enter", BACK, BACK)
        assert run.screen.model.position == "c5"
        assert "↺ approved by you: repair 2 of 2" in run.side_text() and "↺ rejected by you: no" in run.side_text()


def test_what_went_with_a_rejection_is_told_part_by_part() -> None:
    avoid = avoided(["function:merge", "line:intervals.py:8"], {"intervals.py": CODE})
    note = "not in merge\nTried: merge([]) is 3"
    comments: list[Comment] = [{"path": "intervals.py", "line": 8, "text": "why", "quoted": "x"}]
    decision = cast(Decision, {**reject(note), "by": "human", "avoid": avoid, "comments": comments})
    past = snapshot("c4", "review_repair", decision=decision)
    model = replace(look_at(RunModel(), past), timeline=build_timeline([point("c4", None, "review_repair")]))
    title, _, content, _ = panel(model, "s1")
    assert title == "◷ Past" and content.plain.splitlines()[:6] == [
        "rejected by you",
        f"branch main · iteration {past.iteration}",
        "chosen: not in merge",
        "result of a try: merge([]) is 3",
        "✎ why (intervals.py:8)",
        "left alone, as commented: not line 8 of intervals.py",
    ]


async def test_an_edit_that_was_decided_is_shown_as_it_was_edited() -> None:
    async with running(size=(140, 45)) as run:
        await run.press("a")
        edited = {"changes": {"intervals.py": CODE.replace("a[0] <= b[1]", "a[0] < b[1] - 0")}}
        await run.screen.answering.decide("c5", edit(edited, pick="b"))
        await run.settle()
        await run.press(BACK)
        assert text(run.screen, "diff-what").startswith("Repair 2 of 2, edited by you")
        assert run.screen.query_one("#diff DiffView", DiffView).files[0][2] == edited["changes"]["intervals.py"]
        assert "5 passed" in text(run.screen, "tests #suite-heading"), "the edit had not run yet"


async def test_stepping_back_never_shows_a_moment_behind_the_row_of_another() -> None:
    timeline = build_timeline(
        [
            point("a", None, "start", next=("run_suite",)),
            point("b", "a", "run_suite", passed=6, failed=2, next=("review_repair",)),
            point("c", "b", "review_repair", passed=6, failed=2, next=("apply",), decision={"verdict": "approve"}),
            point("d", "c", "apply", passed=6, failed=2, next=("learn",)),
            point("e", "d", "learn", passed=6, failed=2, next=("run_suite",)),
            point("f", "e", "run_suite", passed=8, failed=0, next=("conclude",), outcome="healed"),
            point("g", "f", "conclude", passed=8, failed=0, outcome="healed"),
        ]
    )
    index_of = build_timeline_rows(timeline).index_of
    steps, at = [], snapshot("g", "conclude")
    model = RunModel(timeline=timeline, committed=at)
    while (earlier := step_from(model, -1)) is not None:
        steps.append(earlier)
        model = look_at(model, snapshot(earlier, timeline.checkpoints[earlier].node))
    assert steps == ["f", "d", "c", "b", "a"] and len({index_of[one] for one in steps}) == len(steps)
    assert [step_from(look_at(model, snapshot(one, "")), 1) for one in ("c", "d")] == ["d", "f"]


async def test_the_row_the_header_and_the_banner_say_the_same() -> None:
    async with healed() as (screen, pilot):
        await press(pilot, BACK, BACK)
        for _ in range(4):
            row = screen.timeline._drawn.rows[screen.timeline.cursor]
            words = f"{row.text} · {row.detail}" if row.detail else row.text
            assert words in text(screen, "past-banner")
            assert words in screen.query_one(StatusBar).said(140).plain or row.detail
            await press(pilot, BACK)


async def test_the_transcript_of_the_past_is_the_way_there() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "transcript")
        await press(pilot, *[BACK] * 3)
        past, live = screen.query_one("#transcript-past", Transcript), screen.query_one("#transcript-live", Transcript)
        assert past.region.area and not live.region.area
        await until(lambda: "approved by you" in past.text, 10.0)
        assert past.text.splitlines() == [
            "── start",
            "── running the tests · 5 passed, 2 not",
            "── looking for the cause",
            "── approved by you",
        ]
        await press(pilot, "n")
        assert live.region.area and "7 cases" in live.text


async def test_a_diagnosis_is_not_shown_before_it_was_made() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "diagnosis")
        assert "only touch count as overlapping" in text(screen, "diagnosis-text")
        await press(pilot, *[BACK] * 5)
        assert "No diagnosis yet" in text(screen, "diagnosis-text")


async def test_a_tall_terminal_shows_the_tests_below_and_the_code_below_the_tests() -> None:
    async with healed((200, 60)) as (screen, pilot):
        beside = screen.query_one(Beside)
        table, code = beside.query_one(SuiteTable), beside.query_one(CodeView)
        assert table.region.height > 10 and not code.region.area
        assert len(table.query_one(CaseList).cases) == 7
        await press(pilot, *[BACK] * 5)
        await open_tab(pilot, "tests")
        assert code.region.height > 10 and not table.region.area
        assert code._reached == ("intervals.py", 8), "the line that the failing case names"
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert not beside.region.area


async def test_between_120_and_140_columns_the_timeline_comes_on_request() -> None:
    async with healed((120, 36)) as (screen, pilot):
        tree = screen.query_one("#timeline")
        assert not tree.region.area
        await press(pilot, "T")
        assert tree.region.area and screen.query_one("#side").region.x > screen.query_one("#evidence").region.x


async def test_stepping_through_empty_tabs_never_turns_back() -> None:
    app = SelfHealApp(FakeWorkbench(FakeSession("s1")), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, BACK, BACK)
        seen = []
        for _ in range(8):
            await press(pilot, "v")
            seen.append(app.screen.query_one(Evidence).tabs.active)
        assert seen == ["diff", "tests", "matrix", "diagnosis", "lessons", "calls", "transcript", "code"]


async def test_suspicious_lines_are_those_of_then_with_a_legend() -> None:
    async with healed() as (screen, pilot):
        await open_tab(pilot, "code")
        code = screen.query_one("#code CodeView", CodeView)
        assert not code.scored and not screen.query_one("#code-legend").display
        await press(pilot, *[BACK] * 4)
        assert screen.model.position == "c3" and " 8█ " in lines(code)
        assert lines(code).count("█") == 1 and "16▆" in lines(code), "only where no passing case runs the line"
        assert screen.query_one("#code-legend").display
        await press(pilot, BACK)
        assert screen.model.position == "c2" and not code.scored


async def test_the_reasons_of_a_diagnosis_leave_with_the_code_that_it_is_about() -> None:
    async with healed() as (screen, pilot):
        code = screen.query_one("#code CodeView", CodeView)
        assert code._source and not code._marks
        await press(pilot, *[BACK] * 2)
        assert code._marks


@SIZES
@pytest.mark.parametrize("suite", ["answers", "critic"])
async def test_the_keys_of_a_case_are_offered_where_they_work(size: tuple[int, int], suite: str) -> None:
    session = FakeSession("s1")
    session.moment_changes = {"origins": {"test_intervals.py": suite}}
    async with running(session, size=size) as run:
        run.screen.evidence.tabs.activate("tests")
        await run.settle()
        table = run.screen.query_one("#tests SuiteTable", SuiteTable)
        table.query_one(CaseList).focus()
        details = str(table.query_one("#case-text", Static).render())
        assert ("(d drops it, P pins it, E edits it)" in details) is (suite == "critic")
        await run.press("d")
        notes = " ".join(note.message for note in run.app._notifications)
        assert ("what you said that a call should give" in notes) is (suite == "answers")
        assert run.screen.side.prompt.is_open is (suite == "critic")
