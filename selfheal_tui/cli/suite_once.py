"""One run of a task's tests in the sandbox, without a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.base import CaseFinished, Suite, SuiteReport, run_through

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings


async def run_suite(task: Task, settings: Settings, tell: Callable[[CaseFinished], None] | None = None) -> SuiteReport:
    """Run a task's tests once in the settings' sandbox. Raises: SandboxError."""
    from selfheal_tui.sandbox.registry import open_sandbox

    sandbox = open_sandbox(settings.sandbox, python=settings.python, allow_unsandboxed=settings.allow_unsandboxed)
    try:
        suite = Suite(task.files, task.tests, task.program, task.pytest_args, verify=settings.verify)
        return (await run_through(sandbox, suite, tell)).report
    finally:
        await sandbox.aclose()
