"""`selfheal fix`: heal a file, several files, or a project folder."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from selfheal_tui.engine.task.fix_command import wider_command
from selfheal_tui.engine.task.support import imported_by_tests
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings
from selfheal_tui.text import one_line

from .completers import completes, wrong_calls
from .dry_run import dry_run
from .event_stream import events_of
from .failing import add_sources, chosen_source, split_paths
from .narrowing import NothingToHeal, narrowed
from .options import RUN_SETTINGS, add_headless, add_settings, whole_number
from .start import start_session
from .wrong import check_wrong

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.state import Manifest

_MOST_NAMED = 3


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="program files, a project folder (default: this one), node ids of failing cases, or - for a failing run "
        "of pytest on standard input",
    )
    add_tests(parser)
    add_sources(parser)
    parser.add_argument(
        "--group",
        type=whole_number,
        metavar="N",
        help="heal one group of the failing cases (they run the same function and fail in the same way), and leave the "
        "others out",
    )
    completes(
        parser.add_argument(
            "--wrong",
            action="append",
            default=[],
            metavar="TEXT",
            help="what a call should give, as 'f(3) gives 4, should be 5', 'f(3) == 5' or 'f(3) should raise "
            "ValueError': it becomes a case, also where all tests pass; may be given several times",
        ),
        wrong_calls,
    )
    parser.add_argument("--spec", default="", metavar="TEXT", help="what the program should do")
    add_headless(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only list what would be copied, and what a model would see first; nothing is created, run or sent",
    )
    parser.add_argument(
        "--no-run", action="store_true", help="only write the session, and print the command that opens it"
    )
    add_settings(parser, RUN_SETTINGS)


def add_paths(parser: ArgumentParser) -> None:
    """Add what names a program and its tests."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        default=[Path(".")],
        metavar="PATH",
        help="program files, or a project folder (default: this one)",
    )
    add_tests(parser)


def add_tests(parser: ArgumentParser) -> None:
    """Add what names the tests, and what is passed to pytest."""
    parser.add_argument(
        "--tests",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="PATH",
        help="test files, folders or node ids (default: what pytest collects in a folder; test_*.py, *_test.py beside "
        "a program or in tests/)",
    )
    parser.epilog = "What follows `--` is passed to pytest."
    parser.set_defaults(takes_pytest_args=True, pytest_args=())


def run(args: Namespace) -> int:
    """Start a session from files, or only look at what it would take in."""
    paths, node_ids = split_paths(args.paths)
    source = chosen_source(args, paths, node_ids)

    def load(settings: Settings) -> Task:
        task = load_task(paths, args.tests, args.spec, args.pytest_args, args.wrong)
        if args.from_junit is not None:
            task = without_file(task, args.from_junit)
        if (words := tests_words(paths, task)) or (words := others_words(paths, task, settings)):
            print(f"selfheal: {words}", file=sys.stderr)
        if args.dry_run:
            return task
        check_wrong(task, settings, args.wrong or ())
        wants_less = source is not None or args.group is not None
        try:
            return narrowed(task, source, settings, args.group) if wants_less else task
        except NothingToHeal:
            if task.wrong and args.group is None:
                return task
            raise

    if args.dry_run and events_of(args) is not None:
        raise InputError("--events tells of a run, and --dry-run makes none.", "Leave one of them out.")
    return dry_run(args, load) if args.dry_run else start_session(args, load)


def without_file(task: Task, path: Path) -> Task:
    """Return a task without a file that only names its failing cases."""
    own = path.resolve()
    files = {name: text for name, text in task.files.items() if Path(task.root or "", name).resolve() != own}
    return replace(task, files=files)


def tests_words(paths: Sequence[Path], task: Task) -> str:
    """Say that the named files are the tests and what they import is healed; empty where a program was named."""
    if not paths or any(path.is_dir() for path in paths):
        return ""
    program = [Path(task.root or "", path) for path in task.program]
    if any(path.resolve() in program for path in paths):
        return ""
    is_one = len(paths) == 1
    taken = "is taken as a test file; what it imports" if is_one else "are taken as tests; what they import"
    return f"{_listed([path.name for path in paths])} {taken} is healed: {_listed(task.program)}."


def others_words(paths: Sequence[Path], task: Task, settings: Settings) -> str:
    """Say that the tests import files that are not searched, and how they are; empty for none, and for a folder."""
    if not paths or task.wrong or any(path.is_dir() for path in paths):
        return ""
    if not (others := imported_by_tests(task)):
        return ""
    own = {"root": task.root, "program": [*task.program], "tests": [*task.tests], "pytest_args": [*task.pytest_args]}
    command = one_line(wider_command(cast("Manifest", own), settings, others), 400)
    only = f"only {_listed(task.program)} {'is' if len(task.program) == 1 else 'are'} searched"
    return f"{only}; the tests import {_listed(others)} too. To search there as well: {command}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return one_line(", ".join(names[:_MOST_NAMED]), 200) + (f" and {more} more" if more > 0 else "")
