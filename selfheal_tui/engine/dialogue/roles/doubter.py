"""Role: looks for a call that no case settles, in a program that passes every case; without a model."""

from __future__ import annotations

from selfheal_tui.sandbox.base import SuiteFinished
from selfheal_tui.search.doubt import doubt

from ...moment.state import Question
from ...suites.answers import may_ask, question_of
from ...workshop.role_context import RoleContext


async def find_doubt(context: RoleContext, ran: SuiteFinished) -> Question | None:
    """Return what to ask the human about the program, in a few seconds; `ran` is its suite with coverage.

    Raises: SandboxError.
    """
    if not may_ask(context.state):
        return None
    settled_calls = [call for call, _ in context.state.get("answers", [])]
    suite = context.workspace.suite(context.deps.suite_limits)
    disagreement = await doubt(suite, ran.report, ran.coverage, context.deps.sandbox, settled_calls)
    return question_of(disagreement, of_program=True) if disagreement else None
