"""`selfheal sessions race`: fork one moment several ways, run the lanes side by side under one budget, compare them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from selfheal_tui.engine.moment.doubts import outcome_with_doubts
from selfheal_tui.engine.moment.events import Event, LaneResult, LaneTold, RaceFinished, RunFailed
from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.session.changes import split_assignment, typed_changes
from selfheal_tui.engine.session.lanes import PROMPTS, parse_lane
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import one_line, outcome_word, price_words, strip_controls

from .cancelled import tell_cancelled
from .event_stream import EventStream, add_events, events_of, say_result
from .find import find_moment, find_session
from .folding import folded
from .look import act_on
from .next_steps import going_on_command, keep_command
from .options import add_json, add_session, add_store_settings
from .place import add_on, opened, room_setup
from .progress import RunProgress
from .result import HEALED, UNHEALED, WAITING
from .start import tell_shell_python
from .trusting import load_from

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.race import LanePlace
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.settings import Settings

_BUDGET = {"max_calls": "model calls", "max_tokens": "tokens", "max_cost_usd": "dollars", "max_time_s": "seconds"}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument(
        "--at",
        metavar="CHECKPOINT",
        help="a moment or a branch: where the lanes start (default: where the session stands)",
    )
    parser.add_argument(
        "--lane",
        action="append",
        default=[],
        metavar="FIELD=VALUE...",
        help="what one lane does differently, as in fork --set, or prompts=DIR; once for each lane (without any: go "
        "on with the race that was interrupted)",
    )
    for name, unit in _BUDGET.items():
        flag = "--" + name.replace("_", "-")
        parser.add_argument(flag, metavar="N", help=f"budget of all lanes together, in {unit}")
    parser.add_argument("--keep", action="store_true", help="go on from the best lane, and hide the others")
    add_on(parser, "the lanes")
    add_json(parser)
    add_events(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Race, and say how the lanes ended."""
    settings, events = load_from(args), events_of(args)
    lanes = [parse_lane(text) for text in args.lane]
    budget = {name: value for name in _BUDGET if (value := getattr(args, name)) is not None}
    session_id = find_session(settings.sessions, args.session)
    tell_shell_python(settings)

    async def race(session: Session, place: LanePlace | None) -> tuple[RaceFinished, str, str]:
        stood = await _furthest(session)
        if not lanes and not args.at and not budget and await session.branches.race():
            ended = await _follow(session.resume(place), session.id, events)
        else:
            at = await _start(session, args.at)
            snapshot = await session.snapshot(at)
            changes = [lane_changes(lane, snapshot.program, snapshot.origins) for lane in lanes]
            ended = await _follow(session.race(at, changes, budget, place), session.id, events)
        winner = ended.lanes[0].branch if args.keep else ""
        if winner:
            await session.branches.keep(winner, [lane.branch for lane in ended.lanes])
        return ended, winner, "" if winner or stood is None else no_gain_words(ended.lanes, stood)

    try:
        with opened(args.on) as ray:
            place = _lanes_on(ray, settings) if ray is not None else None
            ended, winner, no_gain = act_on(settings, session_id, lambda session: race(session, place))
    except KeyboardInterrupt:
        command = going_on_command(session_id, args.on, settings) if args.on else ""
        return tell_cancelled(session_id, settings, as_json=args.json, events=events, command=command)
    result = race_json(session_id, ended, winner)
    text = race_text(session_id, ended, winner, sessions_flag(settings), no_gain)
    say_result(
        json_text(result) if args.json else folded(text, sys.stdout),
        {**result, "outcome": ended.lanes[0].outcome, "reason": ended.lanes[0].reason} if not args.json else result,
        as_json=args.json,
        events=events,
    )
    return exit_code(ended)


def _lanes_on(ray: Any, settings: Settings) -> LanePlace:
    from selfheal_tui.cluster.lanes_on_ray import LanesOnRay

    # What is traced is told from here.
    return LanesOnRay(ray, room_setup(replace(settings, otel=False)))


def lane_changes(lane: Mapping[str, Any], program: Collection[str], tests: Collection[str] = ()) -> dict[str, Any]:
    """Read a lane's words as `fork --set` reads them, `@FILE` too. Raises: InputError, SettingsError."""
    as_read = {name: value for name, value in lane.items() if name in (PROMPTS, "model")}
    assignments = [split_assignment(f"{name}={value}") for name, value in lane.items() if name not in as_read]
    return typed_changes(assignments, program, tests) | as_read


async def _furthest(session: Session) -> Snapshot | None:
    """Return the newest moment of a healed branch, else of the one on which the session stands; None before a run."""
    timeline = await session.timeline()
    healed = [one for one in timeline.branches.values() if one.outcome in WELL_ENDED and not one.hidden]
    head = healed[0].head if healed else await session.head()
    return await session.snapshot(head) if head else None


async def _start(session: Session, at: str | None) -> str:
    if at:
        return find_moment(await session.timeline(), at)
    head = await session.head()
    if head is None:
        raise InputError(f"Session {session.id} has not run yet.", "Resume it first.")
    return head


async def _follow(events: AsyncIterator[Event], session_id: str, stream: EventStream | None) -> RaceFinished:
    progress = RunProgress(sys.stderr)
    async with aclosing(cast("AsyncGenerator[Event, None]", events)) as run:
        try:
            async for event in run:
                if stream is not None:
                    stream.told(event, session_id)
                if isinstance(event, RaceFinished):
                    return event
                if isinstance(event, RunFailed):
                    raise event.error
                if isinstance(event, LaneTold):
                    progress.tell(event)
        finally:
            progress.close()
    raise AssertionError("a race ends with RaceFinished or RunFailed")


def exit_code(ended: RaceFinished) -> int:
    """Return 0 when a lane healed, 3 when one waits for a decision, else 1."""
    outcomes = {lane.outcome for lane in ended.lanes}
    return HEALED if outcomes & {*WELL_ENDED} else WAITING if "waiting" in outcomes else UNHEALED


def race_json(session_id: str, ended: RaceFinished, kept_branch: str = "") -> dict[str, Any]:
    """Build the JSON of a race."""
    return {
        "session_id": session_id,
        "checkpoint_id": ended.snapshot.checkpoint_id,
        "best": ended.lanes[0].branch,
        "kept": kept_branch or None,
        "lanes": [_lane(lane) for lane in ended.lanes],
        "spent": ended.spent,
        "over": ended.over,
    }


def _lane(lane: LaneResult) -> dict[str, Any]:
    return {
        "branch": lane.branch,
        "set": lane.says,
        "checkpoint_id": lane.checkpoint_id,
        "outcome": lane.outcome,
        "reason": lane.reason,
        "same": lane.same,
        "has": lane.has,
        "asks": lane.asks,
        "passed": lane.passed,
        "failed": lane.failed,
        "doubts": list(lane.doubts),
        "confidence": lane.confidence,
        "spent": lane.spent,
    }


def no_gain_words(lanes: Sequence[LaneResult], stood: Snapshot) -> str:
    """Say that no lane came further than `stood`, where the session was before; empty where one did."""
    passed = stood.report["passed"] if stood.report else 0
    if stood.outcome not in WELL_ENDED and any(
        lane.outcome in WELL_ENDED or lane.asks or max(lane.passed or 0, lane.would_pass or 0) > passed
        for lane in lanes
    ):
        return ""
    return (
        f"No lane gains anything over branch {one_line(stood.branch, 40)} ({outcome_word(stood.outcome or 'running')})."
    )


def race_text(
    session_id: str, ended: RaceFinished, kept_branch: str = "", place_flag: str = "", no_gain: str = ""
) -> str:
    """Say how the lanes ended, the best first; `place_flag` is what a later command needs to find the session.

    `no_gain` says that no lane came further than the session stood.
    """
    last = (
        f"Kept {kept_branch}; the others are hidden."
        if kept_branch
        else no_gain or f"Keep one with: {keep_command(session_id, ended.lanes[0].branch, place_flag)}"
    )
    return strip_controls("\n".join([*lane_lines(ended), last]))


def lane_lines(ended: RaceFinished) -> list[str]:
    """Say how each lane ended, the best first, and that they used more than their budget where they did."""
    width = max(len(one_line(lane.branch, 40)) for lane in ended.lanes)
    lines = []
    for lane in ended.lanes:
        spent = lane.spent
        cost = price_words(spent["cost_usd"])
        total = (lane.passed or 0) + (lane.failed or 0)
        asks = f" ({lane.asks})" if lane.asks else ""
        lines.append(
            f"{one_line(lane.branch, 40):<{width}}  "
            f"{outcome_with_doubts(lane.outcome, lane.doubts) + asks:<20} "
            f"{lane.passed or 0}/{total} pass  {spent['calls']} calls  {cost}  {spent['time_s']:.1f} s  "
            f"{one_line(lane.says, 60)}"
        )
        lines += [f"   {one_line(lane.has, 200)}"] if lane.has else []
        lines += [f"   {one_line(lane.reason, 200)}"] if lane.reason and lane.outcome not in WELL_ENDED else []
        lines += [f"   {one_line(lane.same, 200)}"] if lane.same else []
        lines += [f"   ⚠ {one_line(one['why'], 400)}" for one in lane.doubts if not lane.same]
    return [*lines, ended.over] if ended.over else lines
