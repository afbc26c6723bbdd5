"""One run of a task's tests in the sandbox, without a session."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from selfheal_tui.engine.suites.missing_fixtures import fixtureless_cases, missing_fixtures
from selfheal_tui.engine.suites.missing_packages import missing_packages, missing_words
from selfheal_tui.engine.suites.over_time import over_time_words
from selfheal_tui.engine.task.denied import denied_words
from selfheal_tui.sandbox.base import CaseFinished, Suite, SuiteReport, run_through

from .compose import build_sandbox, suite_limits_of

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.sandbox.base import Limits
    from selfheal_tui.settings import Settings


async def run_suite(task: Task, settings: Settings, tell: Callable[[CaseFinished], None] | None = None) -> SuiteReport:
    """Run a task's tests once in the settings' sandbox. Raises: SandboxError."""
    sandbox = build_sandbox(settings)
    try:
        limits = suite_limits_of(settings)
        suite = Suite(task.files, task.tests, task.program, task.pytest_args, limits, verify=settings.verify)
        return with_limits_told((await run_through(sandbox, suite, tell)).report, task, limits)
    finally:
        await sandbox.aclose()


def with_limits_told(report: SuiteReport, task: Task, limits: Limits, gone: Collection[str] = ()) -> SuiteReport:
    """Return a report with a note for each thing that the sandbox or a time limit kept from a case.

    `gone` are files that the project had before: they are no packages to install.
    """
    packages = missing_packages(report["cases"], {*task.files, *gone})
    missing = [missing_words(packages, task.root, report["cases"])] if packages else []
    lacking = fixtureless_cases(missing_fixtures(report["cases"], task.files, task.program))
    missing += dict.fromkeys(lacking.values())
    notes = [*denied_words(report, task.files, task.root), *over_time_words(report, limits), *missing]
    return {**report, "notes": [*report.get("notes", []), *notes]} if notes else report
