"""`selfheal sessions rename`: give a session another title; its id stays."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from selfheal_tui.money import json_text
from selfheal_tui.store.sessions import SessionStore
from selfheal_tui.text import strip_controls

from .options import add_json, add_session, add_store_settings
from .trusting import load_from


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument("title", metavar="TITLE", help="the new title, one line")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Rename."""
    store = SessionStore(load_from(args).sessions)
    session_id = store.find(args.session)
    store.rename(session_id, args.title)
    title = store.row(session_id).title
    if args.json:
        print(json_text({"session_id": session_id, "title": title}))
    else:
        print(strip_controls(f"{session_id} is called {title!r} now."))
    return 0
