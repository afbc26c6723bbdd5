"""The first run of the tests goes on while LangGraph is imported: once, told as ever, and gone with whoever ends it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CaseFinished, CheckpointSaved, NodeStarted, RunFailed
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import Suite, SuiteFinished
from tests.warm import WarmSandbox

from .driving import BUGGY, drain, options, shop_task, to_repair, to_review

FAILING = ("test_shop.py::test_discount",)
"""What runs once more, to find out whether it fails again."""
_ORDER = """
import asyncio, sys
from pathlib import Path
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.sandbox.local import LocalSandbox
from tests.engine.driving import shop_task

class Watching(LocalSandbox):
    async def run(self, suite):
        print("run", "langgraph" in sys.modules)
        async for value in super().run(suite):
            yield value

async def main():
    bench = Workbench(Path(sys.argv[1]))
    bench._sandbox = Watching()
    async with bench.open_session(await bench.create(shop_task(), RunOptions())) as session:
        print("open", "langgraph" in sys.modules)
        async for event in session.resume():
            if type(event).__name__ == "CheckpointSaved":
                print("saved", "langgraph" in sys.modules)
                break
    await bench.aclose()

asyncio.run(main())
"""


class Counting(WarmSandbox):
    """Notes which suites it runs, and what becomes of them."""

    def __init__(self, error: SandboxError | None = None, hold: bool = False) -> None:
        super().__init__()
        self.ran: list[Suite] = []
        self.ended = 0
        self.error = error
        """Raised in place of the next run."""
        self.hold = hold
        """Waits for ever after the first case."""

    async def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:  # type: ignore[override]
        error, self.error = self.error, None
        if error is not None:
            raise error
        self.ran.append(suite)
        try:
            async with aclosing(super().run(suite)) as values:  # type: ignore[type-var]
                async for value in values:
                    yield value
                    if self.hold:
                        await asyncio.Event().wait()
        finally:
            self.ended += 1


def with_sandbox(workbench: Workbench, sandbox: Counting) -> Counting:
    workbench._sandbox = sandbox
    return sandbox


def test_the_tests_start_before_langgraph_is_imported(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ORDER, str(tmp_path)],
        capture_output=True, text=True, timeout=120, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["open False", "run False", "saved True"], done.stderr[-2000:]


async def test_the_suite_runs_once_and_each_case_is_told_once(workbench: Workbench) -> None:
    sandbox = with_sandbox(workbench, Counting())
    async with workbench.open_session(await workbench.create(shop_task(), options())) as session:
        events = await drain(session.resume())
        suites = [suite for suite in sandbox.ran if not suite.coverage]
        assert [suite.tests for suite in suites] == [("test_shop.py",), FAILING]
        told = [event.case["id"] for event in events if isinstance(event, CaseFinished)]
        assert told == ["test_shop.py::test_no_discount", "test_shop.py::test_discount"]
        assert [event.of for event in events if isinstance(event, CaseFinished)] == [2, 2]
        begun = [event.node for event in events if isinstance(event, NodeStarted)]
        assert begun.count("run_suite") == 1 and events[0] == NodeStarted("run_suite")
        ran = next(e.snapshot for e in events if isinstance(e, CheckpointSaved) and e.checkpoint.node == "run_suite")
        assert ran.report is not None and [case["id"] for case in ran.report["cases"]] == told


async def test_a_run_ahead_that_cannot_start_is_told_as_ever_and_the_session_goes_on(workbench: Workbench) -> None:
    with_sandbox(workbench, Counting(SandboxError("No sandbox here.", "Get one.")))
    async with workbench.open_session(await workbench.create(shop_task(), options())) as session:
        last = (await drain(session.resume()))[-1]
        assert isinstance(last, RunFailed) and last.error.message == "No sandbox here."
        await to_repair(session, session.resume())


async def test_a_run_ahead_that_is_closed_leaves_nothing_behind(workbench: Workbench) -> None:
    sandbox = with_sandbox(workbench, Counting(hold=True))
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        async with aclosing(session.resume()) as events:
            async for event in events:
                if isinstance(event, CaseFinished):
                    break
        assert (len(sandbox.ran), sandbox.ended) == (1, 1)
        assert not sandbox._attempts
    sandbox.hold = False
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())


async def test_before_the_first_moment_there_is_no_history_and_the_beginning_is_known(workbench: Workbench) -> None:
    async with workbench.open_session(await workbench.create(shop_task(), options())) as session:
        assert not (await session.timeline()).checkpoints
        assert await session.head() is None
        beginning = await session.beginning()
        assert beginning.files == 2 and beginning.snapshot.checkpoint_id == ""
        assert beginning.snapshot.program == {"shop.py": shop_task().files["shop.py"]}


async def test_no_run_of_the_tests_before_a_question_is_made_twice(workbench: Workbench) -> None:
    sandbox = with_sandbox(workbench, Counting())
    one_case = "from shop import total\n\n\ndef test_discount():\n    assert total([7, 2, 9], 4) == 14\n"
    session_id = await workbench.create(shop_task(tests=one_case), options(autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        programs = [suite.files["shop.py"] for suite in sandbox.ran if suite.coverage]
        # As it is, then once with each repair that passes: which lines does it put out of use?
        assert programs[0] == BUGGY and len(set(programs)) == len(programs) > 2
        plain = [(suite.files["shop.py"], suite.tests) for suite in sandbox.ran if not suite.coverage]
        assert plain == [(BUGGY, ("test_shop.py",)), (BUGGY, FAILING)]
        before = len(sandbox.ran)
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        candidates = (await session.snapshot(asked.checkpoint_id)).candidates
        rehearsed = sandbox.ran[before:]
        assert len(rehearsed) == len(candidates) and not any(suite.coverage for suite in rehearsed)


async def test_the_first_run_of_a_large_suite_records_its_lines_at_once(workbench: Workbench) -> None:
    sandbox = with_sandbox(workbench, Counting())
    tests = shop_task().files["test_shop.py"] + "# a long line of many\n" * 3_000
    async with workbench.open_session(await workbench.create(shop_task(tests=tests), options())) as session:
        asked = await to_repair(session, session.resume())
        assert sandbox.ran[0].coverage
        assert [suite.tests for suite in sandbox.ran if suite.files["shop.py"] == BUGGY] == [("test_shop.py",), FAILING]
        suspects = (await session.snapshot(asked.checkpoint_id)).suspects
        assert suspects[0]["why"] == "runs in the failing case and in 1 of 1 passing", suspects
