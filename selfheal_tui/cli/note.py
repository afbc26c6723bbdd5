"""`selfheal sessions note`: write a note for the next step that asks a model; `sessions undo` takes it back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import plural, with_session

from .find import find_session, find_waiting
from .look import act_on
from .options import add_json, add_store_settings, add_waiting_session
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.session import Session


_ENDED = "The note is kept, but no step will read it: this branch has ended"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_waiting_session(parser)
    parser.add_argument("text", metavar="TEXT", help="what the next step should know; the search cannot read it")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Queue the note, and say how many wait and whether anybody will read them."""

    async def act(session: Session) -> tuple[list[str], str]:
        await session.notes.add(args.text)
        waiting = [note.text for note in await session.notes.waiting()]
        head = await session.head()
        return waiting, _unread_words(await session.snapshot(head)) if head else ""

    settings = load_from(args)
    if args.session is None:
        _check_text(settings.sessions, args.text)
    waiting, unread = act_on(settings, find_waiting(settings, args), act)
    if args.json:
        print(json_text({"waiting": waiting}))
        return 0
    unread = with_session(unread, f"{args.session}{sessions_flag(settings)}")
    if unread == _ENDED:
        print(f"{unread} (to take it back: selfheal sessions undo {args.session}{sessions_flag(settings)})")
        return 0
    waits = "waits" if len(waiting) == 1 else "wait"
    print(
        f"{plural(len(waiting), 'note')} {waits} for the next step that asks a model.{f' {unread}' if unread else ''}"
    )
    print(f"To take it back: selfheal sessions undo {args.session}{sessions_flag(settings)}")
    return 0


def _check_text(home: Path, text: str) -> None:
    """Raise InputError where the only word is a session."""
    try:
        session_id = find_session(home, text)
    except InputError:
        return
    whole = f"selfheal sessions note {session_id} TEXT"
    raise InputError("Missing: TEXT.", f"SESSION is named and the note is not: {whole}")


def _unread_words(snapshot: Snapshot) -> str:
    """Say why no step will read the note as things stand; empty where one will."""
    roles = [snapshot.models.get(role, snapshot.models.get("*")) for role in ("debugger", "repairer")]
    if snapshot.outcome:
        return _ENDED
    if all(model == SEARCH for model in roles):
        return "The search reads no notes. A model does: selfheal resume SESSION --model PROVIDER:NAME"
    return ""
