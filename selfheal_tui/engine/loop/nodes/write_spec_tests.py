"""Node: tests before any code: the specification's own examples, and what a model makes of the specification alone."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from ...dialogue.reply import InvalidReply, OutOfBudget
from ...dialogue.roles.spec_tester import TEST_PATH, write_tests
from ...moment.events import Noticed
from ...moment.state import HealState, no_spend
from ...suites.examples import examples_suite
from ...suites.generated import UsableTests, without_contradictions
from ...suites.test_cases import unused_path
from ...task.task import GENERATED_PATH
from ...workshop.deps import Deps
from .common import role_context, took

_CALLS_WITH_PROGRAM = 2
"""The spec_tester's, and the generator's, which is needed."""


async def write_spec_tests(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Store the suites `examples` and `spec`; what contradicts an example never gets in.

    Without readable tests the run goes on with the examples alone; without those either, the error stands.
    """
    started, blobs = time.monotonic(), runtime.context.blobs
    context = await role_context(state, runtime)
    suites = {kind: ref for kind, ref in state.get("suites", {}).items() if kind not in ("examples", "spec")}
    own_paths = [path for path in context.workspace.files if path not in context.workspace.origins]
    path = unused_path(TEST_PATH, own_paths)
    examples = examples_suite(context.spec, GENERATED_PATH.removesuffix(".py"), [*own_paths, path])
    why = context.deps.purse.kept_for_needed(state, _CALLS_WITH_PROGRAM) if examples else ""
    try:
        text, spent = ("", no_spend()) if why else await write_tests(context)
        sifted = _none(f"The spec_tester was not asked. {why}") if why else without_contradictions(text, context.spec)
    except InvalidReply as error:
        if not examples and isinstance(error, OutOfBudget):
            return {"outcome": "budget", "reason": error.message, "spent": took(started, error.spent)}
        if not examples:
            raise
        sifted, spent = _none(error.message), error.spent
    for why in sifted.thrown_out:
        runtime.stream_writer(Noticed(why))
    if examples:
        suites["examples"] = await blobs.put(examples)
    if not sifted.empty:
        suites["spec"] = await blobs.put({path: sifted.text})
    return {
        "suites": suites,
        "written": "" if sifted.empty else "spec",
        "thrown_out": [*state.get("thrown_out", []), *sifted.thrown_out],
        "attempt": state.get("attempt", 0) + 1,
        "decision": None,
        "spent": took(started, spent),
    }


def _none(why: str) -> UsableTests:
    return UsableTests("", (f"{why} The examples of the specification judge alone.",))
