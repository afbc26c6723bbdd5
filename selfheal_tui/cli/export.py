"""`selfheal sessions export`: a branch as a report, JSON or a patch; all decisions as JSONL. No key leaves with it."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.text import show_controls

from .find import find_branch
from .look import look_at
from .options import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.session import Session

FORMATS = ("md", "html", "json", "patch", "jsonl")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("session", metavar="SESSION", help="its id or the start of it")
    parser.add_argument("--branch", metavar="B", help="which branch (default: the one that ran last; jsonl: all)")
    parser.add_argument(
        "--format", choices=FORMATS, default="md", help="md and html to read (default: md); jsonl: decisions"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it there, not to stdout")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Export and write."""
    settings = load_from(args)

    async def read(session: Session) -> str:
        from selfheal_tui.engine.export.forms import decision_line, exported
        from selfheal_tui.engine.look import tell_decisions, tell_story

        home = str(Path.home())
        branch = find_branch(await session.timeline(), args.branch)
        if args.format == "jsonl":
            told = tell_decisions(session, branch if args.branch else None)
            return "".join([decision_line(one, os.environ, home) async for one in told])
        return exported(await tell_story(session, branch), args.format, os.environ, home)

    text = look_at(settings, args.session, read)
    if args.output is None:
        # A patch is not made safe for a terminal: it would no longer apply.
        sys.stdout.write(show_controls(text) if sys.stdout.isatty() else text)
        return 0
    try:
        args.output.write_bytes(text.encode())
    except OSError as error:
        raise InputError(f"{args.output} cannot be written: {error.strerror}.") from error
    print(f"Written: {args.output} ({len(text.encode()) / 1024:.0f} KB)", file=sys.stderr)
    return 0
