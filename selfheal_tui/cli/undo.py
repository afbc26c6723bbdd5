"""`selfheal sessions undo`: take back what you did last: a decision, a fork, a race, a name, a note, a title."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from selfheal_tui.money import json_text
from selfheal_tui.store.applied import applied_branch
from selfheal_tui.text import outcome_word, strip_controls

from .find import find_session
from .look import act_on
from .next_steps import put_back_command
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument("--redo", action="store_true", help="do again what was undone last")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Undo, and say what was undone and where the session stands."""

    async def act(session: Session) -> dict[str, Any]:
        undone = await (session.branches.redo() if args.redo else session.branches.undo())
        timeline = await session.timeline()
        branch = timeline.branches.get(timeline.stands)
        racing = await session.branches.race() is not None and await session.raced() is None
        return {
            "redone" if args.redo else "undone": undone.kind,
            "what": undone.words,
            "branch": timeline.stands,
            "checkpoint_id": branch.head if branch else "",
            "next_undo": await session.branches.undo_words(),
            "outcome": "running" if racing else branch.outcome if branch else "",
        }

    settings = load_from(args)
    session_id = find_session(settings.sessions, args.session)
    result = act_on(settings, session_id, act)
    words = {"waiting": "where your decision is waited for", "running": "where it can be resumed"}
    stands = words.get(result["outcome"]) or outcome_word(result["outcome"])
    done = "Did again" if args.redo else "Undid"
    text = f"{done} {result['what']}. The session stands on {result['branch'] or 'nothing yet'}, {stands}."
    if result["next_undo"] and not args.redo:
        text += f"\nThe next undo takes back {result['next_undo']}."
    if not args.redo and applied_branch(settings.sessions / session_id):
        back = put_back_command(args.session, settings)
        text += f"\nYour files still hold what was applied; to put them back: {back}"
    print(json_text(result) if args.json else strip_controls(text))
    return 0
