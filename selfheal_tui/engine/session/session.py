"""Driving one session: the only caller of LangGraph's astream and aupdate_state.

A run is an async iterator of events. It ends in a question (ReviewRequested), an end (RunFinished) or a failure that
can be resumed (RunFailed). Whatever was asked before can be answered again: that makes a new branch.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from langgraph.types import Command

from selfheal_tui.errors import InputError, ReplyInvalid, SelfHealError, SessionError
from selfheal_tui.store.acts import Act
from selfheal_tui.store.decisions import Decisions, Journalled
from selfheal_tui.store.session_db import SessionDB, store_error

from ..history.branch_names import fork_name, free_name, lane_name
from ..history.marks import PROMPTS as PROMPTS_OF
from ..history.saved_session import MAIN, SavedSession
from ..history.standings import compared
from ..loop.graph import Graph
from ..loop.nodes.answer import answered
from ..loop.reviews.table import REVIEWS
from ..moment.events import CheckpointSaved, Event, LaneTold, NodeStarted, ReviewRequested, RunFailed, RunFinished
from ..moment.review import Answer, Decision, ReviewKind
from ..moment.state import GRAPH_VERSION, HealState
from ..moment.timeline import Checkpoint, Timeline
from ..workshop.deps import Deps
from ..workshop.race_budget import Pool
from .continuation import continuation, own_node
from .deciding import DECISION_NAMES, asked_at, checked_decision
from .lanes import PROMPTS, check_lanes, race_limits
from .meter import Meter
from .race import SideBySide, lane_deps

_RECURSION_LIMIT = 100_000


class Session(SavedSession):
    """An open session; get one from `Workbench.open_session`."""

    def __init__(
        self, session_id: str, title: str, db: SessionDB, graph: Graph, deps: Deps, initial: HealState
    ) -> None:
        super().__init__(session_id, title, db, graph, deps, initial)
        self._decisions = Decisions(db)

    async def resume(self) -> AsyncGenerator[Event, None]:
        """Start, continue after a crash or a cancel, or repeat the pending question or the end."""
        async with aclosing(self._guarded(self._resume())) as events:
            async for event in events:
                yield event

    async def decide(self, checkpoint_id: str, answer: Answer) -> AsyncGenerator[Event, None]:
        """Answer the question asked at a checkpoint and run on; an answered one is answered again on a new branch.

        Raises: InputError when there is no question there, or the edit does not fit its schema.
        """
        checkpoint = await self.checkpoint(checkpoint_id)
        kind = asked_at(checkpoint)
        decision = await checked_decision(self._deps.blobs, kind, await self.snapshot(checkpoint_id), answer)
        branch = checkpoint.branch
        what: dict[str, Any] = {"words": f"your {DECISION_NAMES[decision['verdict']]} of the {kind}", "line": None}
        if checkpoint.pending:
            what["line"] = [checkpoint.id, branch, checkpoint.iteration]
        else:
            branch = free_name(decision["verdict"], await self.branches.names())
        await self.branches.began("decision", what, [branch])
        journalled = await self._decisions.record(checkpoint_id, branch, kind, dict(decision))
        async with aclosing(self._guarded(self._take(journalled))) as events:
            async for event in events:
                yield event

    async def fork(
        self, checkpoint_id: str, changes: Mapping[str, Any], label: str = "", run: bool = True
    ) -> AsyncGenerator[Event, None]:
        """Start a new branch at a checkpoint, with `changes` made there, and run it unless told not to.

        Raises: InputError for an unknown checkpoint, field or value, or a label that is taken.
        """
        checkpoint = await self.checkpoint(checkpoint_id)
        timeline = await self.timeline()
        if label in timeline.branches:
            raise InputError(f"There is a branch {label!r} already.", "Choose another label.")
        branch = label or fork_name(changes, timeline.branches)
        checkpoint = _begun(timeline, checkpoint)
        step = await self._step(checkpoint, changes)
        await self.branches.began("fork", {"words": f"the fork {branch}"}, [branch])
        async with aclosing(self._guarded(self._fork(checkpoint.id, branch, step, run))) as events:
            async for event in events:
                yield event

    async def race(
        self, checkpoint_id: str, lanes: Sequence[Mapping[str, Any]], budget: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Event, None]:
        """Fork a moment once for each of `lanes` (what a fork may change, and `prompts`) and run them side by side.

        `budget` (max_calls, max_tokens, max_cost_usd, max_time_s) is of all lanes together. A lane that asks waits with
        its question; the last event is RaceFinished, or RunFailed where no lane could start. Raises: InputError.
        """
        check_lanes(lanes)
        race_limits(budget or {})
        timeline = await self.timeline()
        checkpoint = _begun(timeline, await self.checkpoint(checkpoint_id))
        planned: dict[str, dict[str, Any]] = {}
        for changes in lanes:
            await self._step(checkpoint, changes)
            planned[lane_name(changes, {*timeline.branches, *planned})] = dict(changes)
        what = {"words": f"the race of {', '.join(planned)}", "at": checkpoint.id, "lanes": planned}
        await self.branches.began("race", {**what, "budget": dict(budget or {})}, list(planned))
        async with aclosing(self.resume()) as events:
            async for event in events:
                yield event

    async def _race(self, race: Act) -> AsyncGenerator[Event, None]:
        """Begin the lanes that are not there yet, run those that have not come to rest, and compare them."""
        start, lanes = await self.snapshot(race.what["at"]), await self.branches.lanes_of(race)
        checkpoint, there = await self.checkpoint(start.checkpoint_id), await self.branches.names()
        forked: dict[str, CheckpointSaved] = {}
        for branch, changes in lanes.items():
            if branch not in there:
                update, as_node = await self._step(checkpoint, changes)
                if prompts := changes.get(PROMPTS):
                    await self._db.set_meta(PROMPTS_OF + branch, str(prompts))
                forked[branch] = await self._branch_off(start.checkpoint_id, branch, update, as_node)
                yield LaneTold(branch, forked[branch])
        pool = Pool(race_limits(race.what["budget"]), dict.fromkeys(lanes, start.spent))
        running = {}
        for branch in lanes:
            head = await self.checkpoint(await self.head(branch) or "")
            pool.saved(branch, (await self.snapshot(head.id)).spent)
            if head.next and not head.pending:
                running[branch] = lane_deps(self._db, await self._deps_of(branch), branch, pool)
        side = SideBySide(pool)

        def run(branch: str, deps: Deps) -> AsyncGenerator[Event, None]:
            return self._guarded(self._run(None, branch, None, deps, forked.get(branch)))

        async with aclosing(side.run(running, run)) as told:
            async for event in told:
                yield event
        yield await compared(self, race, side.failures)

    async def _step(self, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> tuple[HealState, str]:
        """Return what a fork writes, and the node it counts as. Raises: InputError."""
        snapshot = await self.snapshot(checkpoint.id)
        fields = {name: value for name, value in changes.items() if name != PROMPTS}
        step = await continuation(self._deps.blobs, snapshot, checkpoint, fields)
        return step or ({}, own_node(snapshot, checkpoint))

    async def _deps_of(self, branch: str) -> Deps:
        """Return what the nodes of a branch may use; a lane may have prompts of its own."""
        self._deps.programs.branch = branch
        prompts = await self._db.get_meta(PROMPTS_OF + branch)
        return replace(self._deps, prompts_dir=Path(prompts)) if prompts else self._deps

    async def _resume(self) -> AsyncGenerator[Event, None]:
        head = await self.head()
        if head is None:
            async for event in self._run(self._initial, MAIN, None):
                yield event
            return
        if journalled := await self._decisions.open_one():
            async for event in self._take(journalled):
                yield event
            return
        if race := await self.branches.race():
            async for event in self._race(race):
                yield event
            return
        last = await self.checkpoint(head)
        if last.pending or not last.next:
            yield await self._ended(last)
            return
        # Without a checkpoint id: with one, finished siblings would run again on an accidental fork.
        async for event in self._run(None, last.branch, None):
            yield event

    async def _take(self, journalled: Journalled) -> AsyncGenerator[Event, None]:
        """Carry a journalled decision out; after a crash this picks up wherever it stopped."""
        asked = await self.checkpoint(journalled.asked_at)
        decision = cast(Decision, journalled.decision)
        kind = cast(ReviewKind, journalled.kind)
        own = asked.branch == journalled.branch
        taken = not asked.pending if own else journalled.branch in await self.branches.names()
        # A question that was answered once, and the answer taken back, cannot be resumed again either.
        resumes = own and not await self._decisions.was_answered(journalled)
        forked: CheckpointSaved | None = None
        if resumes and not taken:
            events = self._run(Command(resume=decision), journalled.branch, asked.id)
        else:
            if not taken:
                # A second resume of an answered interrupt is dropped, and running the review node again may let the
                # policy answer: so the branch starts as if the node had just ended with this decision.
                saved = await self._graph.aget_state(self._config(asked.id))
                update = answered(kind, cast(HealState, saved.values), decision)
                forked = await self._branch_off(asked.id, journalled.branch, update, REVIEWS[kind].node)
                yield forked
            await self._decisions.set_done(journalled.id)
            events = self._run(None, journalled.branch, None, told=forked)
        done = not resumes
        async with aclosing(events):
            async for event in events:
                if not done and isinstance(event, CheckpointSaved):
                    await self._decisions.set_done(journalled.id)
                    done = True
                yield event

    async def _branch_off(self, checkpoint_id: str, branch: str, update: HealState, as_node: str) -> CheckpointSaved:
        config = self._config(checkpoint_id, branch)
        saved = await self._graph.aupdate_state(config, {**update, "node": as_node}, as_node=as_node)
        return await self.saved(str(saved["configurable"]["checkpoint_id"]))

    async def _fork(
        self, checkpoint_id: str, branch: str, step: tuple[HealState, str], run: bool
    ) -> AsyncGenerator[Event, None]:
        update, as_node = step
        forked = await self._branch_off(checkpoint_id, branch, update, as_node)
        yield forked
        if run:
            async for event in self._run(None, branch, None, told=forked):
                yield event
        else:
            yield RunFinished(forked.snapshot)

    async def _run(
        self,
        graph_input: Any,
        branch: str,
        checkpoint_id: str | None,
        deps: Deps | None = None,
        told: CheckpointSaved | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Translate LangGraph's stream; a checkpoint is told of once it is on disk, each once; `told` was already."""
        deps = deps or await self._deps_of(branch)
        deps.bills.put_back()
        unsaid: list[str] = []
        meter = Meter(self._usage, branch)
        known = {checkpoint_id or "", told.checkpoint.id if told else ""}
        stream = self._graph.astream(
            graph_input,
            self._config(checkpoint_id, branch),
            context=deps,
            stream_mode=["custom", "tasks", "updates", "checkpoints"],
            version="v2",
            durability="sync",
        )
        async with aclosing(cast(Any, stream)) as parts:
            async for part in parts:
                kind, data = part["type"], part["data"]
                if kind == "checkpoints":
                    saved = str(data["config"]["configurable"]["checkpoint_id"])
                    if saved not in known:
                        known.add(saved)
                        unsaid.append(saved)
                    await meter.saved()
                    continue
                # LangGraph tells of a checkpoint before it is written, and on a fork even starts the next task before.
                while unsaid and await self._facts("and c.checkpoint_id=?", (unsaid[0],)):
                    yield await self.saved(unsaid.pop(0))
                if kind == "custom":
                    meter.heard(data)
                    yield data
                elif kind == "tasks" and "triggers" in data:
                    meter.started(str(data["name"]))
                    yield NodeStarted(data["name"])
        for checkpoint in unsaid:
            yield await self.saved(checkpoint)
        head = await self.head(branch)
        if head is None:
            raise SessionError("The run left no checkpoint.", "Please report this.")
        yield await self._ended(await self.checkpoint(head))

    async def _ended(self, last: Checkpoint) -> ReviewRequested | RunFinished:
        snapshot = await self.snapshot(last.id)
        await self._db.set_meta("error", "")
        await self._db.set_meta("reason", snapshot.reason)
        if last.pending:
            return ReviewRequested(last.id, last.branch, last.pending, snapshot)
        return RunFinished(snapshot)

    async def _guarded(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """Turn an expected failure into the run's last event; anything else is a bug and goes on."""
        failed: SelfHealError | None = None
        async with aclosing(events) as source:
            try:
                async for event in source:
                    yield event
            except SelfHealError as error:
                failed = error
            except sqlite3.Error as error:
                failed = store_error(self._db.path, error)
        if failed is not None:
            try:
                await self._db.set_meta("error", str(failed))
                if isinstance(failed, ReplyInvalid):
                    await self._deps.ledger.take_heart()
            except SessionError:
                pass  # the store itself is what failed; the event below says so
            yield RunFailed(failed)

    def _config(self, checkpoint_id: str | None, branch: str = MAIN) -> Any:
        configurable = {"thread_id": self.id, "checkpoint_ns": ""}
        if checkpoint_id:
            configurable["checkpoint_id"] = checkpoint_id
        metadata = {"branch": branch, "graph_version": GRAPH_VERSION}
        return {"configurable": configurable, "metadata": metadata, "recursion_limit": _RECURSION_LIMIT}


def _begun(timeline: Timeline, checkpoint: Checkpoint) -> Checkpoint:
    """The input's own checkpoint holds no state yet; its only child is the same moment with it. Raises: InputError."""
    if checkpoint.next != ("__start__",):
        return checkpoint
    following = timeline.children.get(checkpoint.id)
    if not following:
        raise InputError("The run has not begun at this checkpoint.", "Resume it first.")
    return timeline.checkpoints[following[0]]
