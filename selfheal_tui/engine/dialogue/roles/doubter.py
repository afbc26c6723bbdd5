"""Role: looks for a call that no case settles, in a program that passes every case; without a model."""

from __future__ import annotations

import time
from dataclasses import replace

from selfheal_tui.sandbox.base import SuiteFinished, run_through

from ...moment.state import Question, Unsettled
from ...moment.unsettled import rest_of_examples
from ...suites.answers import may_ask, question_of, settled_calls
from ...suites.unmet import examples_file, text_examples, unmet_in
from ...workshop.role_context import RoleContext

_EXAMPLES_S = 10.0
"""For all examples of a program; docs/loop.md says so."""
_EXAMPLE_S = 2.0
_MOST_TOLD = 20


async def find_doubt(context: RoleContext, ran: SuiteFinished) -> Question | None:
    """Return what to ask the human about the program, in a few seconds; `ran` is its suite with coverage.

    Raises: SandboxError.
    """
    if not may_ask(context.state):
        return None
    from selfheal_tui.search.doubt import doubt  # costs an import of the whole search

    suite = context.workspace.suite(context.deps.suite_limits)
    disagreement = await doubt(suite, ran.report, ran.coverage, context.deps.sandbox, settled_calls(context.state))
    return question_of(disagreement, of_program=True) if disagreement else None


async def find_unmet(context: RoleContext) -> tuple[list[Unsettled], str]:
    """Return the examples of the specification and of docstrings that the program does not give; in one short run.

    What the human has said, or does not know, is left out. The text says how many more there are, and how many gave no
    result. Raises: SandboxError.
    """
    workspace, limits = context.workspace, context.deps.suite_limits
    settled, unmet, untried, number = settled_calls(context.state), list[Unsettled](), 0, 0
    deadline = time.monotonic() + min(_EXAMPLES_S, limits.time_s)
    for module, examples in text_examples(workspace.program_texts, context.spec).items():
        number += len(examples)
        if (left := deadline - time.monotonic()) <= 0:
            untried += len(examples)
            continue
        files = examples_file(module, examples, workspace.files)
        short = replace(limits, time_s=left, case_time_s=min(_EXAMPLE_S, limits.case_time_s))
        suite = replace(workspace.suite(limits, changes=files), tests=tuple(files), limits=short)
        ran = await run_through(context.deps.sandbox, suite)
        others, silent = unmet_in(examples, "".join(files.values()), ran.report, workspace.program)
        unmet += [one for one in others if one["call"] not in settled]
        untried += silent
    return unmet[:_MOST_TOLD], rest_of_examples(len(unmet[_MOST_TOLD:]), untried, number)
