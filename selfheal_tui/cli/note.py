"""`selfheal sessions note`: write a note for the next step that asks a model; `sessions undo` takes it back."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from .look import act_on
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("session", metavar="SESSION", help="its id or the start of it")
    parser.add_argument("text", metavar="TEXT", help="what the next step should know; the search cannot read it")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Queue the note, and say how many wait."""

    async def act(session: Session) -> list[str]:
        await session.notes.add(args.text)
        return [note.text for note in await session.notes.waiting()]

    waiting = act_on(load_from(args), args.session, act)
    if args.json:
        print(json.dumps({"waiting": waiting}))
    else:
        count = len(waiting)
        print(f"{count} note{'s' * (count > 1)} for the next step that asks a model. Take it back: sessions undo")
    return 0
