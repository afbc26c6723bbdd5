"""`selfheal run-tests`: one run in the sandbox, no healing and no session."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser, Namespace

from selfheal_tui.engine.task.task import load_task
from selfheal_tui.money import json_text
from selfheal_tui.sandbox.base import CaseFinished
from selfheal_tui.text import strip_controls

from .allowing import tell_allowed
from .fix import add_paths
from .folding import folded
from .human import report_lines
from .options import STORE_SETTINGS, add_settings
from .start import tell_left_out
from .suite_once import run_suite
from .trusting import load_from


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    add_paths(parser)
    parser.add_argument("--json", action="store_true", help="print the suite report as one JSON object")
    add_settings(parser, tuple(name for name in STORE_SETTINGS if name not in ("sessions", "prompts")))


def run(args: Namespace) -> int:
    """Run the tests once; 0 when every case passed."""
    settings = load_from(args)
    task = load_task(args.paths, args.tests, "", args.pytest_args)
    tell_left_out(task)
    tell_allowed(settings)
    report = asyncio.run(run_suite(task, settings, _tell if args.json or _is_watched() else None))
    print(json_text(report) if args.json else folded(strip_controls("\n".join(report_lines(report))), sys.stdout))
    return 0 if report["verdict"] == "passed" else 1


def _tell(event: CaseFinished) -> None:
    if event.case["outcome"] != "passed":
        print(strip_controls(f"{event.case['outcome']}  {event.case['id']}"), file=sys.stderr)


def _is_watched() -> bool:
    """Tell whether who sees the progress does not see the report, which lists the same cases."""
    return sys.stderr.isatty() and not sys.stdout.isatty()
