"""Role: folds a log of lessons that has grown too long into a few that still help."""

from __future__ import annotations

from selfheal_tui.text import strip_controls

from ...moment.lessons import LESSONS_KEPT
from ...moment.state import Spent
from ...workshop.role_context import RoleContext
from ..reply import ask_model


async def fold(context: RoleContext, lessons: list[str]) -> tuple[list[str], Spent]:
    """Return at most LESSONS_KEPT lessons and what it cost. Raises: ReplyInvalid, ProviderError."""
    values = {
        "spec": context.spec or "(none: the tests say what is right)",
        "lessons": "\n".join(f"{number}. {lesson}" for number, lesson in enumerate(lessons, 1)),
        "most": str(LESSONS_KEPT),
    }
    reply, spent = await ask_model(context, "summarizer", values, context.salt)
    return [strip_controls(str(lesson)) for lesson in reply["lessons"]][:LESSONS_KEPT], spent
