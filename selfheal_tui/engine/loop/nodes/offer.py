"""Lessons between sessions: what others have to offer to this task, and what this one leaves for them."""

from __future__ import annotations

import asyncio
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.errors import SessionError
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line

from ...moment.events import Noticed
from ...moment.lessons import taken_words
from ...moment.state import Diagnosis, HealState
from ...moment.taken import Standing, standing_repairs
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from ...workshop.role_context import load_newest_taken, load_records

_CASES = 10
_LONGEST = 800


async def offered(runtime: Runtime[Deps], state: HealState, report: SuiteReport) -> list[str]:
    """Return the lessons of other sessions that fit this failure; a book that cannot be read offers none."""
    deps = runtime.context
    bad = [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")][:_CASES]
    spec = await deps.blobs.get_text(state["spec_ref"])
    words = " ".join([state["title"], spec, *(f"{case['id']} {case['message']}" for case in bad)])
    try:
        lessons = await asyncio.to_thread(deps.lessons.find, words)
    except SessionError as error:
        runtime.stream_writer(Noticed(str(error)))
        return []
    return [
        one_line(f"{lesson.task}: {lesson.text}", _LONGEST)
        for lesson in lessons
        if lesson.session_id != deps.session_id
    ]


async def leave(runtime: Runtime[Deps], state: HealState) -> None:
    """Write down what healed this session, for others; a book that cannot be written is told of."""
    deps = runtime.context
    healing = await load_newest_taken(deps, state.get("head", ""))
    if healing is None or not state.get("diagnosis_ref"):
        return
    diagnosis = cast(Diagnosis, await deps.blobs.get(state["diagnosis_ref"]))
    record, repair = healing
    note = f" The human said: {one_line(record['note'], 200)}" if record["note"] and record["by"] == "human" else ""
    workspace = await load_workspace(deps.blobs, state)
    records = [one for one, _ in await load_records(deps, state["head"])]
    standing = standing_repairs(records, workspace.base, workspace.program_texts)
    alone = taken_words(repair) if len(standing) == 1 and standing[0].cause else ""
    text = " ".join(_lesson(one, alone) for one in standing) + note
    words = " ".join([diagnosis["category"], diagnosis["strategy"], *repair.get("fixes", [])])
    try:
        await asyncio.to_thread(deps.lessons.add, state["title"], text, deps.session_id, words)
    except SessionError as error:
        runtime.stream_writer(Noticed(str(error)))


def _lesson(one: Standing, words: str) -> str:
    """Return why a repair mended and what it changed; `words` for its lines where there are better ones."""
    healed = f"Healed by{' hand' if one.by_hand else ''}: {words or one.lines}"
    return f"{one_line(one.cause, 300)} {healed}" if one.cause else healed
