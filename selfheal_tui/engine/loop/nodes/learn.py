"""Node: what the decision on a repair teaches goes into the log of lessons."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from selfheal_tui.setting_values import SEARCH

from ...dialogue.roles.summarizer import fold
from ...moment.lessons import LESSONS_KEPT, kept, lesson_of
from ...moment.state import HealState
from ...workshop.deps import Deps
from ...workshop.role_context import load_records
from .common import optional, role_context, took


async def learn(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Add the newest decision; a log that is too long is folded by the summarizer, without a model by rule."""
    started = time.monotonic()
    records = await load_records(runtime.context, state.get("head", ""), 1)
    if not records or state.get("again"):
        return {}
    lessons = [*state.get("lessons", []), lesson_of(*records[0])]
    update: HealState = {"lessons": kept(lessons)}
    if len(set(lessons)) <= LESSONS_KEPT:
        return update
    context = await role_context(state, runtime)
    if context.model("summarizer") != SEARCH:
        folded, spent = await optional(context, "summarizer", fold(context, lessons))
        update["spent"] = took(started, spent)
        if folded:
            update["lessons"] = folded
    return update
