"""A case whose fixture nothing gives is no task for a repair: it is told at once, and never chased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.suites.missing_fixtures import missing_fixtures
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.set_aside import find_set_aside
from selfheal_tui.errors import UnusableTests
from selfheal_tui.sandbox.base import CaseResult, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.local import LocalSandbox

from .driving import BUGGY, FIXED, TESTS, options, to_failure

LACKING = "def test_a(mocker):\n    assert mocker\n\n\ndef test_b(mocker):\n    assert mocker\n"
WORDS = (
    "test_lacking.py::test_a, like 1 other case, needs the fixture `mocker`, which no conftest here and no loaded "
    "plug-in of pytest has: load its plug-in with -- -p MODULE, or name an interpreter that has it with --python PATH."
)


def task(source: str) -> Task:
    files = {"shop.py": source, "test_shop.py": TESTS, "test_lacking.py": LACKING}
    return Task("fix", "shop", files, ("shop.py",), ("test_shop.py", "test_lacking.py"))


async def test_beside_other_red_cases_they_are_set_aside() -> None:
    given = task(BUGGY)
    workspace = Workspace(given.files, given.program, given.tests, given.tests, {})
    suite = Suite(given.files, given.tests, given.program)
    sandbox = LocalSandbox()

    async def run(tests: Sequence[str]) -> SuiteReport:
        return (await run_through(sandbox, replace(suite, tests=tuple(tests)))).report

    try:
        aside, notes = await find_set_aside(await run(given.tests), workspace, run)
    finally:
        await sandbox.aclose()
    lacking = ["test_lacking.py::test_a", "test_lacking.py::test_b"]
    assert aside is not None and notes == []
    assert aside["why"] == dict.fromkeys(lacking, WORDS)
    assert aside["brief"] == dict.fromkeys(lacking, "no fixture mocker")
    assert aside["tests"] == ["test_shop.py"]


async def test_where_nothing_else_is_red_one_sentence_says_so(workbench: Workbench) -> None:
    session_id = await workbench.create(task(FIXED), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        error = (await to_failure(session.resume())).error
    assert isinstance(error, UnusableTests)
    assert error.message == f"{WORDS} Both other cases pass."


def test_a_program_that_gives_fixtures_may_have_lost_one() -> None:
    case = {"id": "t.py::test_a", "outcome": "error", "message": "FixtureLookupError: fixture 'cart' not found"}
    cases = [cast(CaseResult, case)]
    assert missing_fixtures(cases, {"shop.py": BUGGY}, ("shop.py",)) == {"cart": ["t.py::test_a"]}
    assert missing_fixtures(cases, {"shop.py": f"import pytest\n{BUGGY}"}, ("shop.py",)) == {}
