"""What is red in the first run and no task for a repair: a test file that cannot be collected, and a flaky case."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import pytest

from selfheal_tui.cli.human import report_lines
from selfheal_tui.engine.moment.events import Noticed, RunFinished
from selfheal_tui.engine.moment.set_aside_words import passing_words
from selfheal_tui.engine.moment.state import SetAside
from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.out.commit_message import commit_message
from selfheal_tui.engine.session.test_changes import taken_in
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.set_aside import find_set_aside, only_blocked, unrelated_files, with_set_aside
from selfheal_tui.errors import InputError, UnusableTests
from selfheal_tui.sandbox.allowance import NETWORK as NETWORK_NAME
from selfheal_tui.sandbox.base import CaseFinished, Suite, SuiteFinished, SuiteReport
from selfheal_tui.ui.kit.suite_table import banner_words
from tests.warm import WarmSandbox

from .driving import BUGGY, FIXED, TESTS, drain, options, shop_task, to_failure

BROKEN = "import os\n\n\ndef test_other(:\n    pass\n"
NETWORK = "def test_net():\n    raise OSError('[Errno 101] Network is unreachable')\n"
LACKING = "import not_installed_anywhere\n\n\ndef test_other():\n    assert True\n"


def task(source: str = BUGGY, **tests: str) -> Task:
    """Return a task of the shop with more test files."""
    more = {f"{name}.py": text for name, text in tests.items()}
    return Task(
        "fix",
        "shop",
        {"shop.py": source, "test_shop.py": TESTS, **more},
        ("shop.py",),
        ("test_shop.py", *more),
    )


@pytest.mark.parametrize("text", [BROKEN, LACKING])
async def test_what_is_no_task_for_a_repair_is_told_and_not_chased(workbench: Workbench, text: str) -> None:
    given = task(test_other=text, test_net=NETWORK)
    given = replace(given, files={**given.files, "old/two.py": "print 'x'\n"}, program=("shop.py", "old/two.py"))
    session_id = await workbench.create(given, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    assert isinstance(events[-1], RunFinished)
    ended = events[-1].snapshot
    told = [event.text for event in events if isinstance(event, Noticed)]
    assert told[2].startswith("test_other.py cannot be collected and stays as it is: ")
    assert told[:2] == [
        "old/two.py does not parse, and no test imports it: it stays as it is.",
        "test_net.py::test_net needs the network, which the sandbox does not have; to allow it: --allow-network.",
    ]
    assert (ended.outcome, ended.program["shop.py"]) == ("healed", FIXED)
    assert ended.report is not None
    assert [case["id"] for case in ended.report["cases"]] == [
        "test_shop.py::test_no_discount",
        "test_shop.py::test_discount",
    ]
    assert ended.report["notes"] == told
    assert ended.aside is not None and ended.aside["lacks"] == {"test_net.py::test_net": NETWORK_NAME}
    assert ended.report["trust"] == "verified", "what a file that is not run uses does not count"
    assert any(told[0] in line for line in report_lines(ended.report))
    assert banner_words(ended.report).startswith(told[0])
    blocked = "1 other case could not run here: test_net (needs the network: --allow-network)"
    assert ended.reason.startswith(f"The failing case passes after 1 repair; {blocked}; 1 test file could not be")
    message = " ".join(commit_message("Heal shop.py", ended, (), {}, "").split())
    assert f"two processes. Not verified: {blocked}; 1 test file could not be collected: test_other.py (" in message


def test_a_sentence_stands_for_all_cases_that_ask_for_the_same() -> None:
    report = report_of(t__a="failed", t__b="failed", t__c="passed", t__d="failed")
    for case in report["cases"][:2]:
        case["message"] = "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>"
    workspace = Workspace(shop_task().files, ("shop.py",), ("t.py",), ("t.py",), {})
    assert only_blocked(report, workspace, None) == "", "another case is red too"
    report["cases"].pop()
    told = only_blocked(report, workspace, None)
    assert "t::a, like 1 other case, needs the network" in told and told.count("needs the network") == 1
    report["cases"][0]["message"] = "ConnectionRefusedError: [Errno 111] Connection refused"
    assert only_blocked(report, workspace, None) == "", "it may have asked at the wrong port"
    report["cases"][0]["message"] = "PermissionError: [Errno 1] Operation not permitted"
    for line, is_blocked in (("server = HTTPServer(HERE, Handler)", True), ("os.kill(1, 9)", False)):
        report["cases"][0]["traceback"] = f"t_socket.py:2 in test_a\n    {line}"
        assert ("was refused a socket" in only_blocked(report, workspace, None)) == is_blocked, line


async def test_a_test_file_of_the_same_name_as_another_is_no_part_of_a_pass() -> None:
    report = report_of(t__a="failed", t__b="passed", **{"tests/t.py": "error"})
    report["cases"][2] |= {"id": "tests/t.py", "message": "ImportPathMismatchError: lib/t.py has the same name: give"}
    workspace = Workspace(shop_task().files, ("shop.py",), ("t.py",), ("t.py",), {})

    async def run(tests: Sequence[str]) -> SuiteReport:
        return report

    aside, _ = await find_set_aside(report, workspace, run)
    assert aside is not None
    words = passing_words({**with_set_aside(report, aside), "passed": 3}, "after 1 repair")
    file = "1 test file could not be collected: tests/t.py (lib/t.py has the same name)"
    assert words == f"All 3 cases that ran pass after 1 repair; {file}."
    seen = {"passed": 3, "first_failed": 4, "set_aside": {"t::a": "", "t::b": ""}}
    assert passing_words(seen, "after 1 repair").startswith("2 of 4 failing cases pass after 1 repair; 2 failing cases")
    only_here = {**seen, "red_only_here": ["t::a", "t::b"]}
    assert passing_words(only_here, "now").startswith("Both failing cases pass now; 2 other cases could not run here: ")
    taken_in_one = {**only_here, "set_aside": {"t::a": ""}}
    assert passing_words(taken_in_one, "now").startswith("Both failing cases pass now; 1 other case could not run")


async def test_where_nothing_else_is_red_one_sentence_says_so(workbench: Workbench) -> None:
    session_id = await workbench.create(task(FIXED, test_other=BROKEN), options())
    async with workbench.open_session(session_id) as session:
        failed = await to_failure(session.resume())
    assert "Both other cases pass, but test_other.py cannot be" in str(failed.error)


def test_a_case_that_was_set_aside_is_taken_in_again() -> None:
    why = {"t.py::net": "needs the network", "t.py::flaky": "is flaky"}
    aside: SetAside = {"tests": ["t.py::a"], "why": why, "flaky": ["t.py::flaky"], "lacks": {"t.py::net": NETWORK_NAME}}
    left = taken_in(aside, ["t.py::net"])
    assert left is not None and left["tests"] == ["t.py::a", "t.py::net"]
    assert ({*left["why"]}, left["lacks"]) == ({"t.py::flaky"}, {})
    in_turn = taken_in({**aside, "whole": ["t.py"], "waiting": []}, [*why])
    assert in_turn is not None and in_turn["tests"] == ["t.py::a"], "it waits as the other groups do"
    assert in_turn["whole"] == ["t.py", *why]
    assert taken_in(aside, [*why]) is None
    with pytest.raises(InputError, match="was not set aside here"):
        taken_in(aside, ["t.py::a"])


async def test_settings_count_before_the_first_step(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        await session.begin_with({"autonomy": "full_auto", "max_iterations": 2})
    async with workbench.open_session(session_id) as session:
        begins = (await session.beginning()).snapshot
    assert (begins.autonomy, begins.limits["max_iterations"]) == ("full_auto", 2)


class Flipping(WarmSandbox):
    """A sandbox in which `test_weather` passes once, and then fails and passes by turns."""

    passes = True

    async def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:  # type: ignore[override]
        async with aclosing(super().run(suite)) as values:  # type: ignore[type-var]
            async for value in values:
                yield replace(value, report=self._turned(value.report)) if isinstance(value, SuiteFinished) else value

    def _turned(self, report: SuiteReport) -> SuiteReport:
        weather = [case for case in report["cases"] if case["id"].endswith("::test_weather")]
        if not weather:
            return report
        passes, self.passes = self.passes, not self.passes
        if passes:
            return report
        weather[0]["outcome"] = "failed"
        return {**report, "passed": report["passed"] - 1, "failed": report["failed"] + 1, "verdict": "failed"}


async def test_a_case_that_flips_only_after_a_repair_is_not_chased(workbench: Workbench) -> None:
    workbench._sandbox = Flipping()
    given = task(test_sky="def test_weather():\n    assert True\n")
    async with workbench.open_session(await workbench.create(given, options(autonomy="full_auto"))) as session:
        events = await drain(session.resume())
    assert isinstance(events[-1], RunFinished)
    ended = events[-1].snapshot
    assert (ended.outcome, ended.iteration, ended.program["shop.py"]) == ("healed", 1, FIXED)
    words = "test_sky.py::test_weather passes and fails with the code as it was given: it is flaky"
    assert [event.text[: len(words)] for event in events if isinstance(event, Noticed)] == [words]
    assert ended.reason == "Both cases that ran pass after 1 repair; 1 case is flaky: test_weather."
    assert ended.report is not None and ended.report["flaky"] == ["test_sky.py::test_weather"]


def report_of(**outcomes: str) -> SuiteReport:
    """Return a report: case -> its outcome."""
    cases: Any = [
        {"id": name.replace("__", "::"), "outcome": outcome, "message": "", "location": None, "duration_s": 0.1}
        for name, outcome in outcomes.items()
    ]
    return cast(SuiteReport, {"cases": cases})


async def flaky(*runs: SuiteReport) -> tuple[SetAside | None, list[Sequence[str]], list[str]]:
    """Return what is set aside where the suite runs as told, the tests of each further run, and what is noted."""
    left, ran = list(runs[1:]), []

    async def run(tests: Sequence[str]) -> SuiteReport:
        ran.append(tests)
        return left.pop(0)

    workspace = Workspace(shop_task().files, ("shop.py",), ("t.py",), ("t.py",), {})
    aside, notes = await find_set_aside(runs[0], workspace, run)
    return aside, ran, notes


FIRST = report_of(t__a="failed", t__b="failed", t__c="passed")


async def test_cases_that_fail_again_are_chased_and_only_they_run_again() -> None:
    assert await flaky(FIRST, report_of(t__a="failed", t__b="failed")) == (None, [["t::a", "t::b"]], [])


async def test_a_case_that_flips_is_flaky_and_not_chased() -> None:
    aside, ran, _ = await flaky(FIRST, report_of(t__a="passed", t__b="failed"), report_of(t__a="passed", t__b="failed"))
    assert aside is not None and aside["flaky"] == ["t::a"]
    assert aside["why"]["t::a"].startswith("t::a failed and then passed with the same code: it is flaky")
    assert ran == [["t::a", "t::b"], ("t.py",)]


async def test_a_case_that_fails_after_others_only_is_chased_and_named() -> None:
    aside, _, (note,) = await flaky(FIRST, report_of(t__a="passed", t__b="failed"), FIRST)
    assert aside is None and note.startswith("t::a fails after other cases and passes without them")


def test_a_file_that_the_program_keeps_from_being_collected_is_chased() -> None:
    report = report_of(t__a="passed", other="error")
    workspace = Workspace(shop_task().files, ("shop.py",), ("t.py",), ("t.py",), {})
    assert [case["id"] for case in unrelated_files(report, workspace)] == ["other"]
    report["cases"][1]["message"] = "ImportError: cannot import name 'sum_of' from 'shop'"
    assert unrelated_files(report, workspace) == []
    report["cases"][1] |= {"message": "SyntaxError: invalid syntax", "location": "shop.py:3"}
    assert unrelated_files(report, workspace) == []


async def test_a_configuration_that_pytest_cannot_read_is_what_is_to_be_mended(workbench: Workbench) -> None:
    files = {"shop.py": FIXED, "test_shop.py": TESTS, "pytest.ini": "[pytest\naddopts = -q\n"}
    task = Task("fix", "shop", files, ("shop.py",), ("test_shop.py",))
    session_id = await workbench.create(task, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        error = (await to_failure(session.resume())).error
    assert isinstance(error, UnusableTests) and error.bad_configuration
    assert "pytest.ini:1: " in error.message and error.hint == "Mend pytest.ini, then start a new session."
