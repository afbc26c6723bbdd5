"""Role: looks for a call that no case settles, in a program that passes every case; without a model."""

from __future__ import annotations

from dataclasses import replace

from selfheal_tui.sandbox.base import SuiteFinished, run_through
from selfheal_tui.search.doubt import doubt

from ...moment.state import Question, Unsettled
from ...suites.answers import may_ask, question_of, settled_calls
from ...suites.unmet import examples_file, text_examples, unmet_in
from ...workshop.role_context import RoleContext


async def find_doubt(context: RoleContext, ran: SuiteFinished) -> Question | None:
    """Return what to ask the human about the program, in a few seconds; `ran` is its suite with coverage.

    Raises: SandboxError.
    """
    if not may_ask(context.state):
        return None
    suite = context.workspace.suite(context.deps.suite_limits)
    disagreement = await doubt(suite, ran.report, ran.coverage, context.deps.sandbox, settled_calls(context.state))
    return question_of(disagreement, of_program=True) if disagreement else None


async def find_unmet(context: RoleContext) -> list[Unsettled]:
    """Return the examples of the specification and of docstrings that the program does not give; in one short run.

    What the human has said, or does not know, is left out. Raises: SandboxError.
    """
    workspace, unmet = context.workspace, list[Unsettled]()
    settled = settled_calls(context.state)
    for module, examples in text_examples(workspace.program_texts, context.spec).items():
        files = examples_file(module, examples, workspace.files)
        suite = workspace.suite(context.deps.suite_limits, changes=files)
        ran = await run_through(context.deps.sandbox, replace(suite, tests=tuple(files)))
        unmet += unmet_in(examples, ran.report, workspace.program)
    return [one for one in unmet if one["call"] not in settled]
