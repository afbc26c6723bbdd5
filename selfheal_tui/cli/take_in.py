"""`selfheal sessions import`: a session that was exported elsewhere; `resume FILE` begins with it."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.money import json_text
from selfheal_tui.text import one_line, strip_controls

from .next_steps import resume_command
from .options import add_json, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.out.transfer.reading import Imported
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what `sessions export --format session` wrote")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Import and say what came in."""
    settings = load_from(args)
    imported = take_in(settings, args.file)
    if args.json:
        result = {"session_id": imported.session_id, "was": imported.was, "redacted": list(imported.redacted)}
        print(json_text(result))
        return 0
    print(f"Imported: {imported.session_id}\nGo on with it: {resume_command(imported.session_id, settings)}")
    return 0


def take_in(settings: Settings, path: Path) -> Imported:
    """Import a file and tell on stderr what is other than where it came from. Raises: InputError."""
    from selfheal_tui.engine.out.transfer.reading import read_session
    from selfheal_tui.store.sessions import SessionStore

    imported = asyncio.run(read_session(SessionStore(settings.sessions), path))
    if imported.session_id != imported.was:
        print(f"There is a session {imported.was} here already: this one is {imported.session_id}.", file=sys.stderr)
    for place in imported.redacted:
        safe = strip_controls(one_line(place, 200))
        print(f"Where it came from, a key or the home folder was taken out of: {safe}", file=sys.stderr)
    return imported
