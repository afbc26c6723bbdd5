"""A program file that holds its own tests: it is healed, its tests stay, and nobody says that it was judged apart."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.split_judge import obstacle
from selfheal_tui.search.program.avoid import NOTHING
from selfheal_tui.search.program.own_tests import without_own_tests

from .driving import options, to_end

PROGRAM = '''"""The end of a list."""
import pytest


def last(items, default=None):
    if not items:
        return default
    return items[0]


@pytest.fixture
def some():
    return [1, 2, 3]


def test_last(some):
    assert last(some) == 3
    assert last([4, 2, 6]) == 6


class TestEmpty:
    def test_empty(self):
        assert last([], 7) == 7
'''
USER = "from one import last\n\n\ndef two(items):\n    return last(items) + 1\n"
SUITE = Suite({"one.py": PROGRAM, "two.py": USER}, ("one.py",), ("one.py", "two.py"))


@pytest.mark.parametrize("program", [("one.py",), ("one.py", "two.py")])
async def test_it_is_healed_and_its_tests_stay(workbench: Workbench, program: tuple[str, ...]) -> None:
    files = {path: SUITE.files[path] for path in program}
    session_id = await workbench.create(Task("fix", "one", files, program, ("one.py",)), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "healed" and ended.report is not None
    assert ended.program["one.py"] == PROGRAM.replace("items[0]", "items[-1]")
    assert ended.report["passed"] == 2 and "one.py holds the program and its tests" in ended.report["not_verified"]


def test_no_test_of_the_program_is_edited_and_none_is_judged_apart() -> None:
    avoid = without_own_tests(NOTHING, SUITE)
    assert avoid.functions == {("one.py", name) for name in ("test_last", "some", "TestEmpty.test_empty")}
    assert without_own_tests(NOTHING, Suite(SUITE.files, ("test_one.py",), SUITE.program)) == NOTHING
    renamed = PROGRAM.replace("@pytest.fixture", '@pytest.fixture(name="some", params=[1])').replace(
        "def some(", "def _some("
    )
    with_parameters = Suite({"one.py": renamed}, SUITE.tests, ("one.py",))
    assert ("one.py", "_some") in without_own_tests(NOTHING, with_parameters).functions
    assert obstacle(SUITE).startswith("one.py holds the program and its tests.")
