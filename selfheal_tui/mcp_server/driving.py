"""Driving sessions for an agent: a new one, one that stopped, one whose question is answered, one that nobody keeps."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.engine.moment.review import Answer, approve
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.session.following import follow_run
from selfheal_tui.engine.session.options import chosen_models, startable_options
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.settings import Settings

from .front import Front
from .work import Tell

HUMANS_ALONE = ("budget",)
"""Kinds of question that an agent never answers but with a stop: more of a budget is the human's to give."""


@dataclass(frozen=True, slots=True)
class Stood:
    """How a run stands after it was driven."""

    result: dict[str, Any]
    """As `--json` prints it."""
    newest: Snapshot | None
    """The newest moment, where one was saved."""


async def healed(front: Front, settings: Settings, load: Callable[[], Task], max_time_s: float, tell: Tell) -> Stood:
    """Create a session and drive it to its first question or its end. `max_time_s` only lowers the limit; 0 leaves it.

    Raises: SelfHealError.
    """
    task = await asyncio.to_thread(load)
    models, _ = await chosen_models(settings.models())
    options = startable_options(settings, models)
    if max_time_s:
        least = min(max_time_s, options.limits["max_time_s"] or max_time_s)
        options = replace(options, limits={**options.limits, "max_time_s": least})
    async with front.workbench(settings) as workbench:
        # First: a sandbox that cannot be had must not leave a session behind.
        workbench.warm_up(task)
        session_id = await workbench.create(task, options)
        tell(f"session {session_id}")
        return await _driven(front, settings, workbench, session_id, None, tell)


async def gone_on(
    front: Front, settings: Settings, session_id: str, answer: tuple[str, Answer] | None, tell: Tell
) -> Stood:
    """Go on with a session; `answer`: to the question at a checkpoint, where one is given. Raises: SelfHealError."""
    async with front.workbench(settings) as workbench:
        return await _driven(front, settings, workbench, session_id, answer, tell)


async def _driven(
    front: Front,
    settings: Settings,
    workbench: Workbench,
    session_id: str,
    answer: tuple[str, Answer] | None,
    tell: Tell,
) -> Stood:
    async with workbench.open_session(session_id) as session:
        events: AsyncIterator[Event] = session.resume()
        if answer is not None:
            await _check_waits(session, *answer)
            events = session.decide(*answer)
        return await _stood(front, settings, session, events, tell)


async def _stood(front: Front, settings: Settings, session: Session, events: AsyncIterator[Event], tell: Tell) -> Stood:
    async def hear(event: Event) -> None:
        tell(front.progress_line(event))

    last, newest = await follow_run(events, hear)
    if newest is None and (head := await session.head()):
        newest = await session.snapshot(head)
    return Stood(await front.result(session, last, newest, settings), newest)


async def _check_waits(session: Session, checkpoint_id: str, answer: Answer) -> None:
    """Check that this very question waits: an agent answers no old one again, and gives itself no budget."""
    kind = (await session.checkpoint(checkpoint_id)).pending
    if kind is None:
        raise InputError(
            f"No question waits at checkpoint {checkpoint_id}.",
            f"The tool `session` with session={session.id!r} says which one does.",
        )
    if kind in HUMANS_ALONE and answer["verdict"] != "stop":
        raise InputError("More of a budget is the human's to give.", "Stop the run, or leave the question to them.")


async def searched(
    front: Front, settings: Settings, load: Callable[[], Task], kinds: Sequence[str], tell: Tell
) -> Stood:
    """Drive a session that nobody keeps, without a model, until a question that is none of `kinds`, or its end.

    Questions of `kinds` are approved. Raises: SelfHealError.
    """
    task = await asyncio.to_thread(load)
    alone = replace(
        settings,
        model=SEARCH,
        role_models={},
        autonomy="review_repairs",
        strategies="minimal",
        advisors="",
        lessons=False,
        tracing=False,
        otel=False,
    )
    options = startable_options(alone, alone.models())
    with tempfile.TemporaryDirectory(prefix="selfheal-") as folder:
        async with front.workbench(alone) as workbench:
            beside = workbench.beside(Path(folder))
            try:
                beside.warm_up(task)
                session_id = await beside.create(task, options)
                async with beside.open_session(session_id) as session:
                    stood = await _stood(front, alone, session, session.resume(), tell)
                    while (review := stood.result["review"]) and review["kind"] in kinds:
                        events = session.decide(review["checkpoint_id"], approve())
                        stood = await _stood(front, alone, session, events, tell)
                    return stood
            finally:
                await beside.aclose()
