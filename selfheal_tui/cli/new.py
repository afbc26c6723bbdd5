"""`selfheal new`: write code for a spec, then heal it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from selfheal_tui.engine.task.source_files import read_named
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.errors import InputError

from .options import RUN_SETTINGS, add_headless, add_settings
from .start import start_session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("spec", nargs="?", metavar="SPEC", help="what the code should do, in a sentence or more")
    parser.add_argument("--spec-file", metavar="FILE", help="read the spec from a UTF-8 text file")
    add_headless(parser)
    add_settings(parser, RUN_SETTINGS)


def run(args: Namespace) -> int:
    """Start a session from a spec."""
    if (args.spec is None) == (args.spec_file is None):
        raise InputError("Give the spec either as text or with --spec-file FILE.", "See `selfheal new --help`.")
    return start_session(args, lambda _: _load(args.spec, args.spec_file))


def _load(spec: str | None, spec_file: str | None) -> Task:
    text = spec if spec is not None else read_named(Path(spec_file or ""))
    return load_task([], [], text)
