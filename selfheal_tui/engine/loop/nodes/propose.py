"""Node, once for each strategy of a round, side by side: propose a repair and rehearse it in the sandbox."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.errors import ProviderError
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.side_by_side import side_by_side
from selfheal_tui.text import one_line

from ...dialogue.reply import InvalidReply, OutOfBudget, ReplayOnly
from ...dialogue.roles.repairer import Proposals, propose_repairs
from ...moment.events import CandidateRehearsed, StrategyEnded
from ...moment.failures import Failure
from ...moment.state import HealState, Repair
from ...workshop.deps import Deps
from ...workshop.minimised import LABEL, minimised
from ...workshop.near_miss import mended
from ...workshop.rehearsal import Rehearsal
from .common import role_context, took


async def propose(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Return rehearsed candidates of one strategy, or why it has none; a strategy that fails stops no other."""
    started, deps, strategy = time.monotonic(), runtime.context, state["strategy"]
    context = await role_context(state, runtime)
    try:
        proposals = await propose_repairs(context, strategy)
    except InvalidReply as error:
        unreadable = not error.declined and not isinstance(error, OutOfBudget)
        proposals = Proposals([], error.spent, error.message, final=error.declined, unreadable=unreadable)
    except ProviderError as error:
        if isinstance(error, ReplayOnly) or _is_last(deps, state):
            raise
        proposals = Proposals([], None, f"{error.message} {error.hint}".strip())
    before = cast(SuiteReport, await deps.blobs.get(state["report_ref"]))
    rehearsal = Rehearsal(deps, state, context.workspace, before, runtime.stream_writer)
    proposed: dict[str, str] = {}
    async with aclosing(side_by_side(rehearsal.run, proposals.repairs)) as rehearsed:
        number = 0
        async for tried in rehearsed:
            number += 1
            label = strategy if len(proposals.repairs) == 1 else f"{strategy} {number}"
            batch: list[tuple[str, Repair]] = [(label, tried)]
            if better := await mended(context, rehearsal, tried):
                batch.append((f"{label} + search", better))
            if smaller := await minimised(rehearsal, tried):
                batch.append((f"{label}, {LABEL}", smaller))
            for name, repair in batch:
                proposed[name] = await deps.blobs.put(repair)
                runtime.stream_writer(CandidateRehearsed(name, len(repair["fixes"]), len(repair["breaks"])))
    update: HealState = {"proposed": proposed, "spent": took(started, proposals.spent)}
    if not proposed:
        runtime.stream_writer(StrategyEnded(strategy, proposals.why_none))
        failure: Failure = {"why": one_line(proposals.why_none, 600), "final": proposals.final}
        if proposals.unchanged:
            failure["unchanged"] = True
        if proposals.unreadable:
            failure["unreadable"] = True
        if proposals.search_s:
            failure["search_s"] = proposals.search_s
        update["failures"] = {strategy: failure}
    return update


def _is_last(deps: Deps, state: HealState) -> bool:
    """Tell whether all strategies of the round have now failed for want of a provider: then the run pauses.

    On resume only this task runs again. Raising earlier would cancel the others in the middle of paid calls.
    """
    this_round = deps.programs.branch, state["iteration"], state.get("attempt", 0)
    failed = deps.failed_strategies.setdefault(this_round, set())
    failed.add(state["strategy"])
    return failed >= set(state["round"])
