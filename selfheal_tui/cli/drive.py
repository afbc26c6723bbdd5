"""Driving a session without the app: progress on stderr, one result on stdout, an exit code."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.budget import notice
from selfheal_tui.engine.moment.events import CheckpointSaved, Event, RaceFinished
from selfheal_tui.engine.session.following import follow_run
from selfheal_tui.environments import other_python_words
from selfheal_tui.extensions import enabled_record, other_plugins_words, take_problems
from selfheal_tui.money import json_text
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.text import strip_controls, with_session

from . import UNREAD
from .allowing import remember_allowed, tell_allowed, tell_remembered
from .cancelled import tell_cancelled
from .compose import build_workbench, close_workbench
from .event_stream import EventStream, say_result
from .folding import width_of
from .human import result_text
from .next_steps import Rest, left_moment, next_command, rest_of
from .progress import RunProgress
from .result import build_result, result_of

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench

Find = Callable[["Workbench"], Awaitable[str]]
"""Returns the id of the session to drive: a new or an existing one."""
Act = Callable[["Session"], Awaitable[AsyncIterator[Event]]]
"""Returns the events of what is to be done with the session."""


async def resume(session: Session) -> AsyncIterator[Event]:
    """Go on where the session stopped: the `Act` of most commands."""
    return session.resume()


def drive_headless(
    settings: Settings, find: Find, act: Act, *, as_json: bool, events: EventStream | None = None
) -> int:
    """Find a session, act on it to the next pause or end, print the result; return the exit code.

    Ctrl-C cancels the run, keeps what was saved and names the command that goes on; a reader of the progress that goes
    away cancels it without a word. `events` is told of each event.
    """
    tell_allowed(settings)
    session_ids: list[str] = []
    try:
        result, code, rest = asyncio.run(_drive(settings, find, act, session_ids, events))
    except KeyboardInterrupt:
        return tell_cancelled(session_ids[0] if session_ids else "", settings, as_json=as_json, events=events)
    except BrokenPipeError:
        return UNREAD
    if as_json:
        result["next"] = next_command(result, settings, rest)
        result["left_for_you"] = left_moment(result, rest) or None
    text = json_text(result) if as_json else result_text(result, settings, rest, width_of(sys.stdout))
    say_result(text, result, as_json=as_json, events=events)
    return code


async def _drive(
    settings: Settings, find: Find, act: Act, session_ids: list[str], events: EventStream | None
) -> tuple[dict[str, Any], int, Rest]:
    workbench = build_workbench(settings)
    try:
        session_ids.append(await find(workbench))
        await remember_allowed(workbench, session_ids[0], settings)
        async with workbench.open_session(session_ids[0]) as session:
            await tell_remembered(session, settings)
            if settings.sandbox == "local" and (words := other_python_words(await session.python(), settings.python)):
                print(f"selfheal: {words}", file=sys.stderr)
            if words := other_plugins_words(session.began_with, enabled_record()):
                print(f"selfheal: {strip_controls(words)}", file=sys.stderr)
            last, newest = await follow(await act(session), session.id, events)
            if isinstance(last, RaceFinished):
                result, code, lanes = await _raced(session, last)
                return result, code, (await rest_of(session, None, last, settings))._replace(lanes=lanes)
            if newest is None and (head := await session.head()):
                newest = await session.snapshot(head)
            result, code = result_of(last, newest, session_ids[0])
            address = shlex.quote(session_ids[0]) + sessions_flag(settings)
            result["reason"] = with_session(result["reason"], address)
            return result, code, await rest_of(session, newest, last, settings)
    finally:
        await close_workbench(workbench)


async def _raced(session: Session, race: RaceFinished) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    """Return the best lane's result, with how all lanes ended, which also in lines: one is still to be kept."""
    from .race import exit_code, lane_lines, race_json

    best = race.lanes[0]
    result = build_result(await session.snapshot(best.checkpoint_id), session.id, review=best.asks)
    return {**result, "lanes": race_json(session.id, race)["lanes"]}, exit_code(race), tuple(lane_lines(race))


async def follow(
    events: AsyncIterator[Event], session_id: str, stream: EventStream | None = None
) -> tuple[Event | None, Snapshot | None]:
    """Consume a run, telling its progress on stderr; return its last event and the newest snapshot saved."""
    budget_notice = ""
    progress = RunProgress(sys.stderr)

    async def hear(event: Event) -> None:
        nonlocal budget_notice
        if stream is not None:
            stream.told(event, session_id)
        if isinstance(event, CheckpointSaved):
            budget_notice = _tell_budget(progress, event.snapshot, budget_notice)
        progress.tell(event)
        for sentence in take_problems():
            progress.say(sentence)

    try:
        return await follow_run(events, hear)
    finally:
        progress.close()


def _tell_budget(progress: RunProgress, snapshot: Snapshot, last_notice: str) -> str:
    """Say once for each tenth that most of a budget is gone; return what was said last."""
    words = notice(snapshot.limits, snapshot.spent)
    if words and words[:1] != last_notice[:1] and not snapshot.outcome:
        progress.say(f"budget: {words} used")
        return words
    return last_notice
