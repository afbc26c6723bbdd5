"""What all nodes share: the context of a role call, and how long the node took."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar, cast

from langgraph.runtime import Runtime

from selfheal_tui.errors import ProviderError
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.store.call_uses import Asker

from ...dialogue.reply import InvalidReply
from ...moment.budget import BudgetReached, reached, sentence
from ...moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    Event,
    Noticed,
    SearchProgressed,
    ThoughtStreamed,
    TokenStreamed,
)
from ...moment.state import HealState, Spent, add_spent, no_spend
from ...moment.workspace import load_workspace
from ...workshop.costs import unpriced
from ...workshop.deps import Deps
from ...workshop.role_context import RoleContext

T = TypeVar("T")
CALLS_WITH_REPAIR = 3
"""An optional call, and the diagnosis and the repair that it must leave room for."""


_OF_STRATEGY = (CallBegun, ThoughtStreamed, TokenStreamed, CallFinished, CallWaits, SearchProgressed)
"""Events that say which strategy asks or searches."""


async def role_context(state: HealState, runtime: Runtime[Deps]) -> RoleContext:
    """Load what a role sees of this moment."""
    deps, execution = runtime.context, runtime.execution_info
    return RoleContext(
        deps=deps,
        emit=_named(state, runtime.stream_writer),
        state=state,
        workspace=await load_workspace(deps.blobs, state),
        spec=await deps.blobs.get_text(state["spec_ref"]),
        report=await report_of(state, deps),
        asker=Asker(execution.checkpoint_id if execution else "", deps.programs.branch),
    )


async def report_of(state: HealState, deps: Deps) -> SuiteReport | None:
    """Return the report of the suite's last run; None before the first."""
    ref = state.get("report_ref", "")
    return cast(SuiteReport, await deps.blobs.get(ref)) if ref else None


def _named(state: HealState, emit: Callable[[Event], None]) -> Callable[[Event], None]:
    """Return `emit` for one of several strategies: what its model says comes under its name."""
    strategy = state.get("strategy", "")
    if not strategy or len(state.get("round", ())) < 2:
        return emit

    def told(event: Event) -> None:
        emit(replace(event, by=strategy) if isinstance(event, _OF_STRATEGY) else event)

    return told


def took(started: float, spent: Spent | None = None) -> Spent:
    """Add the time since `started` (time.monotonic) to a bill."""
    return add_spent(spent, {**no_spend(), "time_s": round(time.monotonic() - started, 3)})


async def optional(
    context: RoleContext, role: str, work: Coroutine[Any, Any, tuple[T, Spent]]
) -> tuple[T | None, Spent]:
    """Ask a role that the loop can do without; None, and a word about it, when it has no answer to give."""
    if why := context.deps.purse.kept_for_needed(context.state, CALLS_WITH_REPAIR):
        work.close()
        context.emit(Noticed(f"The {role} was not asked. {why}"))
        return None, no_spend()
    try:
        return await work
    except InvalidReply as error:
        context.emit(Noticed(f"The {role} is left out: {error.message}"))
        return None, error.spent
    except ProviderError as error:
        context.emit(Noticed(f"The {role} is left out: {error.message}"))
        return None, no_spend()


async def out_of_budget(state: HealState, deps: Deps, node: str) -> HealState | None:
    """Return the update that leads to the budget review when a budget is used up; `node` is what would run next.

    Without an iteration left the run ends, however it came here: from a rejected end, or by a fork. So does a lane when
    the race's budget is gone: asking for more would be asking on every lane.
    """
    limits, spent = state["limits"], state.get("spent") or no_spend()
    iteration, most = state.get("iteration", 0), limits["max_iterations"]
    if iteration >= most:
        return {
            "outcome": "gave_up",
            "reason": f"No iteration is left of {most}: a fork with a higher max_iterations goes on.",
        }
    if why := deps.purse.lanes_used_up():
        return {"outcome": "budget", "reason": why}
    names = reached(limits, spent)
    if limits["max_cost_usd"] is not None and unpriced(state["models"], deps.prices):
        # As good as spent: the next call would make it so, and nobody could say by how much.
        spent, names = {**spent, "cost_usd": None}, list(dict.fromkeys([*names, "max_cost_usd"]))
    if not names:
        return None
    best = state.get("best")
    question: BudgetReached = {
        "reason": sentence(limits, spent, names),
        "reached": names,
        "limits": limits,
        "spent": spent,
        "best_iteration": best["iteration"] if best else 0,
        "best_passed": best["passed"] if best else state.get("passed", 0),
        "next": node,
    }
    return {"budget_ref": await deps.blobs.put(question), "budget_next": node}
