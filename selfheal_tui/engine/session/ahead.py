"""The first run of the tests, begun while LangGraph is imported: a person sees cases end a second earlier."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from ..loop.routes import entry
from ..moment.events import Event, NodeStarted
from ..moment.node_facts import START
from ..moment.state import HealState
from ..moment.timeline import Checkpoint
from ..moment.workspace import load_workspace
from ..workshop.deps import Deps
from ..workshop.suite_run import SuiteRun
from .late_graph import LateGraph

_SUITE_NODE = "run_suite"


def goes_on_with_suite(checkpoint: Checkpoint, state: HealState) -> bool:
    """Tell whether a run that goes on from here begins with the tests; the input's own checkpoint names no node."""
    return checkpoint.next == (_SUITE_NODE,) or (checkpoint.next == ("__start__",) and begins_with_suite(state))


def begins_with_suite(state: HealState) -> bool:
    """Tell whether a session of this first state begins with the tests."""
    return state.get("node") == START and entry(state) == _SUITE_NODE


@asynccontextmanager
async def running_ahead(state: HealState | None, graph: LateGraph, deps: Deps) -> AsyncIterator[Deps]:
    """Run the tests of a state until their node takes the run; None, or a graph that is there: nothing runs ahead.

    Whoever leaves kills what still runs.
    """
    if state is None or graph.is_there:
        yield deps
        return
    run = SuiteRun(deps.sandbox, deps.first_suite_of(state, await load_workspace(deps.blobs, state)))
    try:
        # Its processes start first: from then on they need us for moments only, and the import needs us most.
        await asyncio.sleep(0)
        yield replace(deps, ahead=run)
    finally:
        await run.aclose()


async def told_ahead(graph: LateGraph, deps: Deps) -> AsyncGenerator[Event, None]:
    """Yield what runs ahead until the graph is there; the node tells the rest, and how it ended."""
    if deps.ahead is None:
        return
    yield NodeStarted(_SUITE_NODE)
    async with aclosing(deps.ahead.cases(graph.begin())) as cases:
        async for case in cases:
            yield case
