"""Role: says why the suite fails, from the failing cases: a model's view, or the search's figures."""

from __future__ import annotations

from selfheal_tui.llm.registry import SEARCH
from selfheal_tui.sandbox.base import run_through

from ..describe import feedback_text, history_text, numbered, report_text, shown_tests
from ..reply import ask_model
from ..room import Shrinkable
from ..state import Diagnosis, Spent, no_spend
from .context import GIVES_WAY, RoleContext, last_change, load_records, tried_texts


async def find_cause(context: RoleContext) -> tuple[Diagnosis, Spent]:
    """Return a diagnosis and what it cost. Raises: ReplyInvalid, ProviderError, SandboxError."""
    model = context.model("debugger")
    if model == SEARCH:
        return await _by_search(context), no_spend()
    return await _by_model(context, model)


async def _by_model(context: RoleContext, model: str) -> tuple[Diagnosis, Spent]:
    assert context.report is not None
    records = await load_records(context.deps, context.state.get("head", ""))
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: the tests say what is right)",
        "program": numbered(context.workspace.program_texts),
        "tests": shown_tests(context.workspace.test_texts, context.report),
        "report": report_text(context.report, context.workspace.origins),
        "changes": last_change(records),
        "history": history_text(tried_texts(records)),
        "feedback": feedback_text(context.state.get("feedback", [])),
    }
    reply, spent = await ask_model(context.deps, context.emit, model, "debugger", values, context.salt, GIVES_WAY)
    return {**reply, "by": model}, spent  # type: ignore[typeddict-item]


async def _by_search(context: RoleContext) -> Diagnosis:
    from selfheal_tui.search.explain import diagnose
    from selfheal_tui.search.localise import localise

    assert context.report is not None
    suite = context.workspace.suite(context.deps.suite_limits, coverage=True)
    coverage = (await run_through(context.deps.sandbox, suite)).coverage
    program = context.workspace.program_texts
    return diagnose(context.report, localise(context.report, coverage, program), program)
