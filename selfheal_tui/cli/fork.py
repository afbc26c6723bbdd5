"""`selfheal sessions fork`: a new branch from a checkpoint, with something changed."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.session.changes import ASSIGNABLE, split_assignment, typed_changes
from selfheal_tui.money import json_text

from .event_stream import EventStream, add_events, events_of, say_result
from .find import find_moment, find_session
from .options import add_json, add_session, add_store_settings
from .start import tell_shell_python
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument(
        "--at", metavar="CHECKPOINT", required=True, help="a moment or a branch: where the new one starts"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help=f"change FIELD there; VALUE may be @FILE. Fields: {', '.join(ASSIGNABLE)}",
    )
    parser.add_argument("--label", default="", metavar="NAME", help="name of the branch")
    parser.add_argument("--run", dest="go_on", action="store_true", help="run on to the next pause or end")
    parser.add_argument("--headless", action="store_true", help="as it is anyway: a fork never opens the app")
    add_json(parser)
    add_events(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Fork, and run on when asked to."""
    settings = load_from(args)
    assignments = [split_assignment(item) for item in args.set]
    session_id = find_session(settings.sessions, args.session)

    async def find(_: Workbench) -> str:
        return session_id

    async def act(session: Session) -> AsyncIterator[Event]:
        timeline = await session.timeline()
        checkpoint_id = find_moment(timeline, args.at)
        snapshot = await session.snapshot(checkpoint_id)
        changes = typed_changes(assignments, snapshot.program, snapshot.origins)
        return session.fork(checkpoint_id, changes, args.label, run=args.go_on)

    if args.go_on:
        from .drive import drive_headless

        tell_shell_python(settings)
        return drive_headless(settings, find, act, as_json=args.json, events=events_of(args))
    return _fork_only(settings, session_id, act, args.json, events_of(args))


def _fork_only(settings: Settings, session_id: str, act: Any, as_json: bool, events: EventStream | None) -> int:
    from .look import act_on
    from .next_steps import resume_command

    async def branch_off(session: Session) -> dict[str, Any]:
        return await _branch_off(session, act, events)

    result = act_on(settings, session_id, branch_off)
    sentence = f"Branch {result['branch']} starts at checkpoint {result['checkpoint_id']}."
    say_result(json_text(result) if as_json else sentence, result, as_json=as_json, events=events)
    if not as_json:
        print(f"Run it with: {resume_command(session_id, settings)}", file=sys.stderr)
    return 0


async def _branch_off(session: Session, act: Any, events: EventStream | None) -> dict[str, Any]:
    from selfheal_tui.engine.moment.events import RunFailed

    from .drive import follow

    last, snapshot = await follow(await act(session), session.id, events)
    if isinstance(last, RunFailed):
        raise last.error
    if snapshot is None:
        head = await session.head()
        snapshot = await session.snapshot(head) if head else None
    return {
        "session_id": session.id,
        "branch": snapshot.branch if snapshot else "",
        "checkpoint_id": snapshot.checkpoint_id if snapshot else "",
    }
