"""`selfheal run-tests`: one run in the sandbox, no healing and no session."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from selfheal_tui.engine.task import Task, load_task
from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import CaseFinished, Suite, SuiteReport
from selfheal_tui.settings import Settings
from selfheal_tui.text import strip_controls

from .fix import add_paths
from .human import report_lines
from .options import STORE_SETTINGS, add_settings, load_from

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from selfheal_tui.sandbox.base import SuiteFinished


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    add_paths(parser)
    parser.add_argument("--json", action="store_true", help="print the suite report as one JSON object")
    add_settings(parser, tuple(name for name in STORE_SETTINGS if name not in ("sessions", "prompts")))


def run(args: Namespace) -> int:
    """Run the tests once; 0 when every case passed."""
    settings = load_from(args)
    task = load_task(args.paths, args.tests, "", args.pytest_args)
    report = asyncio.run(_run_suite(task, settings))
    print(json.dumps(report) if args.json else strip_controls("\n".join(report_lines(report))))
    return 0 if report["verdict"] == "passed" else 1


async def _run_suite(task: Task, settings: Settings) -> SuiteReport:
    from selfheal_tui.sandbox.registry import open_sandbox

    sandbox = open_sandbox(settings.sandbox)
    suite = Suite(task.files, task.tests, task.program, task.pytest_args)
    report: SuiteReport | None = None
    try:
        run = cast("AsyncGenerator[CaseFinished | SuiteFinished, None]", sandbox.run(suite))
        async with aclosing(run) as events:
            async for event in events:
                if not isinstance(event, CaseFinished):
                    report = event.report
                elif event.case["outcome"] != "passed":
                    print(strip_controls(f"{event.case['outcome']}  {event.case['id']}"), file=sys.stderr)
    finally:
        await sandbox.aclose()
    if report is None:
        raise SandboxError("The sandbox ended without a report.", "Run it again; `selfheal doctor` shows its state.")
    return report
