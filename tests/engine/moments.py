"""One moment of a session, to call a single node on: real store, real sandbox, scripted models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.runtime import Runtime

from selfheal_tui.engine.loop.nodes.run_suite import run_suite
from selfheal_tui.engine.moment.events import Event, Noticed
from selfheal_tui.engine.moment.state import HealState
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.deps import Deps

Node = Callable[[HealState, Runtime[Deps]], Awaitable[HealState]]


@dataclass
class Moment:
    """A state, and what a node may use at it."""

    deps: Deps
    state: HealState
    events: list[Event] = field(default_factory=list)

    async def after(self, node: Node, **changes: Any) -> HealState:
        """Run a node with changes laid over the state; return its update, which joins the state."""
        self.state = cast(HealState, {**self.state, **changes})
        update = await node(self.state, Runtime(context=self.deps, stream_writer=self.events.append))
        self.state = cast(HealState, {**self.state, **update})
        return update

    async def body(self, ref: str) -> Any:
        """Return what lies under a ref."""
        return await self.deps.blobs.get(ref)

    @property
    def notices(self) -> list[str]:
        """What went otherwise than asked."""
        return [event.text for event in self.events if isinstance(event, Noticed)]


@asynccontextmanager
async def open_moment(workbench: Workbench, task: Task, options: RunOptions, **changes: Any) -> AsyncIterator[Moment]:
    """Open the moment after the suite's first run, with changes laid over the state before it."""
    session_id = await workbench.create(task, options)
    async with workbench.open_session(session_id) as session:
        await session._graph()
        moment = Moment(session._deps, cast(HealState, {**session._initial, **changes}))
        await moment.after(run_suite)
        yield moment
