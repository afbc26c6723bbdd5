"""`selfheal sessions import`: a session that was exported elsewhere; `resume FILE` begins with it."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.text import one_line, strip_controls

from .human import resume_command
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.out.transfer.reading import Imported
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what `sessions export --format session` wrote")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Import and say what came in."""
    settings = load_from(args)
    taken = take_in(settings, args.file)
    if args.json:
        told = {"session_id": taken.session_id, "was": taken.was, "redacted": list(taken.redacted)}
        print(json.dumps(told))
        return 0
    print(f"Imported: {taken.session_id}\nGo on with it: {resume_command(taken.session_id, settings)}")
    return 0


def take_in(settings: Settings, path: Path) -> Imported:
    """Import a file and tell on stderr what is other than where it came from. Raises: InputError."""
    from selfheal_tui.engine.out.transfer.reading import read_session
    from selfheal_tui.store.sessions import SessionStore

    taken = asyncio.run(read_session(SessionStore(settings.sessions), path))
    if taken.session_id != taken.was:
        print(f"There is a session {taken.was} here already: this one is {taken.session_id}.", file=sys.stderr)
    for what in taken.redacted:
        safe = strip_controls(one_line(what, 200))
        print(f"Where it came from, a key or the home folder was taken out of: {safe}", file=sys.stderr)
    return taken
