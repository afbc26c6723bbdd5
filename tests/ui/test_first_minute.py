"""What the run screen says before the first moment is saved, and the key that ends a search."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from selfheal_tui.engine.moment.events import CaseFinished, Event, NodeStarted
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.key_footer import KeyFooter
from tests.ui.fakes import CODE, FakeSession, report
from tests.ui.running import SIZES, Run, running
from tests.ui.test_widget_code import screen_lines


class Ahead(FakeSession):
    """Runs the tests before its first moment is saved, and waits after the fourth case."""

    def __init__(self) -> None:
        super().__init__("s1")
        self.wait = asyncio.Event()

    async def resume(self) -> AsyncGenerator[Event, None]:
        cases = report(2)["cases"]
        yield NodeStarted("run_suite")
        for number, case in enumerate(cases, 1):
            yield CaseFinished(case, len(cases))
            if number == 4:
                await self.wait.wait()
        yield self._save("start", ("__start__",))
        yield self._save("start", ("run_suite",))
        self.wait.clear()
        await self.wait.wait()
        yield self._save("run_suite", ("diagnose",), report=report(2))
        yield self._ask("diagnosis")


def named(run: Run) -> list[str]:
    return [key.word for key in run.screen.query_one(KeyFooter).keys]


@SIZES
async def test_before_the_first_moment_every_box_says_something_true(size: tuple[int, int]) -> None:
    session = Ahead()
    async with running(session, size) as run:
        assert "running the tests: 4 of 7" in run.side_text()
        assert "✓ 2  ✗ 2" in " ".join(run.side_text().split(" "))
        assert "2 files copied: your own stay as they are." in run.side_text()
        assert "▸ running" in str(run.screen.status.said(size[0]))
        code = "\n".join(screen_lines(run.screen.evidence.query_one("#code CodeView", CodeView)))
        assert "def overlap" in code
        assert run.screen.model.position is None
        if size[0] > 80:
            assert screen_lines(run.screen.timeline)[0].strip() == "Nothing is saved yet."
        assert "Try" not in named(run) and "Fork" not in named(run)


async def test_paused_before_the_first_moment_the_side_says_what_the_run_begins_with() -> None:
    async with running(Ahead(), (140, 45)) as run:
        await run.press("p")
        text = run.side_text()
        assert "Nothing runs. Nothing is saved yet." in text and "What was saved stays" not in text
        assert f"intervals.py ({len(CODE.splitlines())} lines)" in text and "test_intervals.py (" in text
        assert "search" in text and "2 files copied" in text


async def test_the_counts_stay_when_the_first_moments_are_saved() -> None:
    session = Ahead()
    async with running(session) as run:
        session.wait.set()
        await run.settle()
        assert run.screen.model.position == "c2"
        assert "running the tests: 7 of 7" in run.side_text()
        assert "copied" not in run.side_text()
        session.wait.set()
        await run.settle()
        assert run.screen.model.review is not None and run.screen.model.live.cases == ()


@SIZES
async def test_a_search_is_ended_with_the_best_so_far(size: tuple[int, int]) -> None:
    session = FakeSession("s1")
    session.held_search = asyncio.Event()
    async with running(session, size) as run:
        assert "Take the best" not in named(run)
        await run.press("z")
        assert session.taken == 0
        await run.press("a")
        assert "64 edits tried" in run.side_text()
        assert "Take the best" in named(run)
        await run.press("z")
        assert session.taken == 1
        assert run.screen.model.review is not None and run.screen.model.review.kind == "repair"
        assert "Take the best" not in named(run)


@SIZES
async def test_a_run_is_stopped_at_once_while_it_searches(size: tuple[int, int]) -> None:
    session = FakeSession("s1")
    session.held_search = asyncio.Event()
    async with running(session, size) as run:
        await run.press("a", "s")
        assert run.screen.model.outcome == "stopped" and not run.screen.model.running
        assert "Stopped by the user. line 8: `<=` becomes `<`" in " ".join(run.side_text().split())
