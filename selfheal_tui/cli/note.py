"""`selfheal sessions note`: write a note for the next step that asks a model; `sessions undo` takes it back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from selfheal_tui.money import json_text
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import plural

from .look import act_on
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument("text", metavar="TEXT", help="what the next step should know; the search cannot read it")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Queue the note, and say how many wait."""

    async def act(session: Session) -> list[str]:
        await session.notes.add(args.text)
        return [note.text for note in await session.notes.waiting()]

    settings = load_from(args)
    waiting = act_on(settings, args.session, act)
    if args.json:
        print(json_text({"waiting": waiting}))
    else:
        undo = f"selfheal sessions undo {args.session}{sessions_flag(settings)}"
        print(f"{plural(len(waiting), 'note')} for the next step that asks a model. To take it back: {undo}")
    return 0
