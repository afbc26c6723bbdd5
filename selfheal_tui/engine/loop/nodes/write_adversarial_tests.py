"""Node: a hostile reader of the code writes tests against it. An optional role: without it the run goes on."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from selfheal_tui.errors import ProviderError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.spec_text.find import docstrings

from ...dialogue.reply import InvalidReply
from ...dialogue.roles.adversary import TEST_PATH, write_attacks
from ...moment.events import Noticed
from ...moment.state import HealState, Spent
from ...suites.generated import collected, without_contradictions
from ...suites.test_cases import unused_path
from ...workshop.deps import Deps
from .common import CALLS_WITH_REPAIR, role_context, took

KIND = "adversarial"


async def write_adversarial_tests(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Store the suite `adversarial`, without the cases that the specification refutes or pytest cannot collect."""
    started, deps, tell = time.monotonic(), runtime.context, runtime.stream_writer
    context = await role_context(state, runtime)
    workspace = context.workspace
    suites = {kind: ref for kind, ref in state.get("suites", {}).items() if kind != KIND}
    others = {path: text for path, text in workspace.files.items() if workspace.origins.get(path) != KIND}
    path = unused_path(TEST_PATH, others)
    update: HealState = {"suites": suites, "written": "", "decision": None, "attempt": state.get("attempt", 0) + 1}
    if context.model("adversary") == SEARCH:
        return update | {"spent": took(started)}
    if why := deps.purse.kept_for_needed(state, CALLS_WITH_REPAIR):
        tell(Noticed(f"No adversarial tests. {why}"))
        return update | {"spent": took(started)}
    spent: Spent | None = None
    existing = {name: text for name, text in workspace.test_texts.items() if name in others}
    try:
        text, spent = await write_attacks(context, path, existing)
    except (InvalidReply, ProviderError) as error:
        tell(Noticed(f"No adversarial tests: {error.message}"))
        return update | {"spent": took(started, error.spent if isinstance(error, InvalidReply) else None)}
    # The user's tests and the docstrings of the program outrank what a model expects, as the specification does.
    own = "\n\n".join(text for name, text in existing.items() if name not in workspace.origins)
    sifted = without_contradictions(text, "\n\n".join([context.spec, docstrings(workspace.program_texts), own]))
    thrown_out = list(sifted.thrown_out)
    if not sifted.empty:
        sifted = await collected(deps.sandbox, workspace.suite(deps.suite_limits), path, sifted.text)
        thrown_out += sifted.thrown_out
    for why in thrown_out:
        tell(Noticed(why))
    if not sifted.empty:
        update |= {"suites": {**suites, KIND: await deps.blobs.put({path: sifted.text})}, "written": KIND}
    return update | {"thrown_out": [*state.get("thrown_out", []), *thrown_out], "spent": took(started, spent)}
