"""One run of a task's tests in the sandbox, without a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from selfheal_tui.engine.suites.denied import denied_words
from selfheal_tui.sandbox.base import CaseFinished, Suite, SuiteReport, run_through

from .compose import build_sandbox

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings


async def run_suite(task: Task, settings: Settings, tell: Callable[[CaseFinished], None] | None = None) -> SuiteReport:
    """Run a task's tests once in the settings' sandbox. Raises: SandboxError."""
    sandbox = build_sandbox(settings)
    try:
        suite = Suite(task.files, task.tests, task.program, task.pytest_args, verify=settings.verify)
        report = (await run_through(sandbox, suite, tell)).report
        denied = denied_words(report, task.files, task.root)
        return {**report, "notes": [*report.get("notes", []), *denied]} if denied else report
    finally:
        await sandbox.aclose()
