"""Looking at sessions for an agent: how one stands, and its parts page by page. Writes nothing, and runs nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from selfheal_tui.engine.history.saved_session import SavedSession
from selfheal_tui.engine.moment.origins import with_suites
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.store.sessions import SessionRow
from selfheal_tui.text import show_controls, strip_controls

from .told import safe

Part = Literal["report", "diff", "diagnosis", "question", "story"]
PARTS: dict[Part, tuple[str, str]] = {
    "report": ("application/json", "the newest run of its tests"),
    "diff": ("text/x-diff", "what was changed so far, as a unified diff"),
    "diagnosis": ("application/json", "why the tests fail"),
    "question": ("application/json", "the question that waits: what is proposed, and all candidates with their diffs"),
    "story": ("text/markdown", "what happened, step by step"),
}
"""Part -> its MIME type, and what it is."""
PAGE = 16_000
"""Characters of a part that the tool returns at a time."""
_LARGEST = 1_000_000
"""Characters of a part that a resource has at most."""


async def text_of(workbench: Workbench, session_id: str, part: Part) -> str:
    """Return a part of a session as text; empty where there is none. Raises: SelfHealError."""
    async with workbench.watch_session(session_id) as session:
        if part == "story":
            return strip_controls(await _story(session))[:_LARGEST]
        head = await session.head()
        moment = await session.snapshot(head) if head else (await session.beginning()).snapshot
        if part == "diff":
            return show_controls(unified_diff(moment.base, moment.program))[:_LARGEST]
        value = _value_of(moment, part)
        return json_text(safe(value), 1)[:_LARGEST] if value else ""


def _value_of(moment: Snapshot, part: Part) -> Any:
    from selfheal_tui.engine.loop.reviews.table import REVIEWS

    if part == "report":
        return with_suites(moment.report, moment.origins)
    if part == "diagnosis":
        return moment.diagnosis
    if moment.pending is None:
        return None
    spec = REVIEWS[moment.pending]
    proposal = spec.proposal(moment, "")
    return {"kind": moment.pending, "checkpoint_id": moment.checkpoint_id, **_without_texts(proposal)}


def _without_texts(proposal: dict[str, Any]) -> dict[str, Any]:
    """Return a proposal without whole files and runs of the tests: of a repair the diffs say it."""
    if "candidates" not in proposal:
        return proposal
    dropped = ("changes", "report", "parts", "key")
    candidates = {
        label: {name: value for name, value in one.items() if name not in dropped}
        for label, one in proposal["candidates"].items()
    }
    return {"candidates": candidates, **({"open_call": proposal["question"]} if "question" in proposal else {})}


async def _story(session: SavedSession) -> str:
    from selfheal_tui.engine.out.export.forms import exported
    from selfheal_tui.engine.out.tell import tell_story

    timeline = await session.timeline()
    if not timeline.stands:
        return ""
    story = await tell_story(session, timeline.stands)
    return exported(story, "md", os.environ, str(Path.home()), await session.root())


def page_of(text: str, offset: int) -> str:
    """Return a page of a text from a character on; its last line says where the next begins. Raises: InputError."""
    if not 0 <= offset <= len(text):
        raise InputError(f"There is no character {offset}: the text has {len(text)}.", "Begin with offset=0.")
    end = offset + PAGE
    more = f"\n[{len(text) - end} characters more: offset={end}]" if end < len(text) else ""
    return text[offset:end] + more


def row_told(row: SessionRow) -> dict[str, Any]:
    """Return how a session stands, in a few fields."""
    told = {
        "session_id": row.session_id,
        "title": row.title,
        "folder": row.folder,
        "outcome": row.outcome,
        "reason": row.reason,
        "waiting_for": row.waiting_for,
        "updated_at": row.updated_at,
        "driven_by": row.driver,
    }
    return dict(safe(told, "", 400))
