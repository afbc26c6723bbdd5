"""`selfheal sessions export`: a branch as a report, JSON or a patch; all decisions as JSONL. No key leaves with it."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def decision_line(decision: Mapping[str, Any], environ: Mapping[str, str], home: str) -> str:
    """Return a decision as a line of JSONL, without keys and the home folder's path."""
    from selfheal_tui.engine.export.redact import redacted

    return json.dumps(redacted(decision, environ, home)) + "\n"


def exported(story: Mapping[str, Any], form: str, environ: Mapping[str, str], home: str) -> str:
    """Return a story in a format, without keys and the home folder's path.

    Raises: InputError for a patch that would hold a key (it could not be left out of one), or no Unicode text.
    """
    from selfheal_tui.engine.export.html import page
    from selfheal_tui.engine.export.markdown import markdown
    from selfheal_tui.engine.export.patch import git_patch
    from selfheal_tui.engine.export.redact import names_in, redacted

    if form == "patch":
        patch = git_patch(story["base"], story["program"])
        if names := names_in(patch, environ):
            raise InputError(f"The patch would hold the value of {names[0]}.", "Take the key out of the program.")
        try:
            patch.encode()
        except UnicodeEncodeError as error:
            raise InputError("The program holds half a surrogate pair, which no file in UTF-8 can.") from error
        return patch
    clean = redacted(story, environ, home)
    if form == "json":
        return json.dumps(clean, indent=1) + "\n"
    return page(clean) if form == "html" else markdown(clean)
