"""`selfheal fix`: heal a file, several files, or a project folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from selfheal_tui.engine.task.task import Task, load_task

from .dry_run import dry_run
from .options import RUN_SETTINGS, add_headless, add_settings
from .start import start_session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    add_paths(parser)
    parser.add_argument("--spec", default="", metavar="TEXT", help="what the program should do")
    add_headless(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only list what would be copied, and what a model would see first; nothing is created, run or sent",
    )
    add_settings(parser, RUN_SETTINGS)


def add_paths(parser: ArgumentParser) -> None:
    """Add what names a program and its tests."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="program files, or a project folder")
    parser.add_argument(
        "--tests",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="PATH",
        help="test files, folders or node ids (default: test_*.py, *_test.py beside the program or in tests/)",
    )
    parser.epilog = "What follows `--` is passed to pytest."
    parser.set_defaults(takes_pytest_args=True, pytest_args=())


def run(args: Namespace) -> int:
    """Start a session from files, or only look at what it would take in."""

    def load() -> Task:
        return load_task(args.paths, args.tests, args.spec, args.pytest_args)

    return dry_run(args, load) if args.dry_run else start_session(args, load)
