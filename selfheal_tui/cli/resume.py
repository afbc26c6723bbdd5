"""`selfheal resume`: reopen a session where it stopped, or from there on with other settings."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.loop.policy_fields import POLICY_FIELDS, policy_value
from selfheal_tui.sandbox.allowance import flagged
from selfheal_tui.text import one_line, plural

from .app import Begun, has_terminal, open_app, require_terminal
from .completers import completes, session_ids
from .compose import build_options
from .event_stream import events_of
from .find import find_here
from .options import RUN_SETTINGS, add_headless, add_settings, given_run_settings
from .start import tell_shell_python
from .take_in import take_in
from .trusting import Standing

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    session = parser.add_argument(
        "session",
        nargs="?",
        metavar="SESSION",
        help="its id, or the start of it; or a file that was exported as a session (default: this folder's newest)",
    )
    completes(session, session_ids)
    parser.epilog = "A model, autonomy or limit given here goes on from the last checkpoint on a new branch."
    add_headless(parser)
    add_settings(parser, RUN_SETTINGS)


def run(args: Namespace) -> int:
    """Go on with a session."""
    events = events_of(args)
    headless = args.headless or args.json or events is not None
    standing = Standing(args)
    if not headless and standing.settings().plain:
        from .plain import run_plain

        return run_plain(standing, lambda settings: _found(_begin(args, settings)))
    if not headless:
        if not has_terminal() and not Path(args.session or "").is_file():
            find_here(standing.settings(), args)
        require_terminal(standing.settings())
        return open_app(standing, lambda settings: _begin(args, settings))
    from .drive import drive_headless

    settings = standing.told()
    _, session_id, wanted = _going_on(args, settings)
    tell_shell_python(settings)

    async def find(_: Workbench) -> str:
        return session_id

    async def act(session: Session) -> AsyncIterator[Event]:
        changes = {**wanted, **await _taken_in(session, settings)}
        return await _fork_from_head(session, changes, go_on=True) or session.resume()

    return drive_headless(settings, find, act, as_json=args.json, events=events)


def _begin(args: Namespace, settings: Settings) -> Begun:
    options, session_id, wanted = _going_on(args, settings)

    async def prepare(workbench: Workbench) -> str:
        if wanted or flagged(settings).names():
            async with workbench.open_session(session_id) as session:
                changes = {**wanted, **await _taken_in(session, settings)}
                if events := await _fork_from_head(session, changes, go_on=False):
                    async for _ in events:
                        pass
        return session_id

    return Begun(prepare, options)


def _found(begun: Begun) -> Callable[[Workbench], Awaitable[str]]:
    assert begun.find is not None, "it goes on with a session"
    return begun.find


def _going_on(args: Namespace, settings: Settings) -> tuple[RunOptions, str, dict[str, Any]]:
    """Return the run's options, which session goes on, and the settings given for it. Raises: InputError.

    An exported file is taken in.
    """
    options = build_options(settings)
    exported = Path(args.session or "")
    session_id = take_in(settings, exported).session_id if exported.is_file() else find_here(settings, args)
    wanted = build_changes(settings, given_run_settings(args))
    if "model" in wanted:
        wanted["model"] = dict(options.models)  # `auto` was chosen there
    return options, session_id, wanted


async def _taken_in(session: Session, settings: Settings) -> dict[str, Any]:
    """Return the change that takes cases in again which were set aside, where the command line allows what they lacked.

    Which these are is said on stderr.
    """
    cases = await session.allowed_since() if flagged(settings).names() else []
    if not cases:
        return {}
    more = f" and {plural(len(cases) - 1, 'other case')}" if len(cases) > 1 else ""
    print(f"selfheal: taken in again: {one_line(cases[0], 200)}{more}", file=sys.stderr)
    return {"take_in": cases}


async def _fork_from_head(session: Session, wanted: Mapping[str, Any], *, go_on: bool) -> AsyncIterator[Event] | None:
    """Return the run of a new branch with what differs; None when the session is as wanted."""
    if not wanted:
        return None
    head = await session.head()
    if head is None:
        await session.begin_with(wanted)
        return None
    changes = differing(wanted, await session.snapshot(head))
    return session.fork(head, changes, run=go_on) if changes else None


def build_changes(settings: Settings, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fork changes for the run settings that were given; empty when none was."""
    changes: dict[str, Any] = {
        name: policy_value(name, getattr(settings, name)) if name in POLICY_FIELDS else getattr(settings, name)
        for name in names
        if name != "model"
    }
    if "model" in names:
        changes["model"] = settings.models()
    return changes


def differing(changes: Mapping[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    """Return the changes that differ from what holds at a checkpoint."""
    now: dict[str, Any] = {
        "autonomy": snapshot.autonomy,
        "model": dict(snapshot.models),
        **snapshot.limits,
        **snapshot.policy,
    }
    return {name: value for name, value in changes.items() if now.get(name) != value}
