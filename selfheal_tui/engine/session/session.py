"""Driving one session: the only caller of LangGraph's astream and aupdate_state.

A run is an async iterator of events. It ends in a question (ReviewRequested), an end (RunFinished) or a failure that
can be resumed (RunFailed). Whatever was asked before can be answered again: that makes a new branch.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from selfheal_tui.errors import InputError, ReplyInvalid, SelfHealError, SessionError
from selfheal_tui.llm.registry import check_ready
from selfheal_tui.store.acts import RACE, Act, ActDetails
from selfheal_tui.store.decisions import Decisions, Journalled, new_decision
from selfheal_tui.store.history import MAIN
from selfheal_tui.store.ledger import forget_given_up
from selfheal_tui.store.marks import CHOICES, COMMENTS, TEXTS, TRIES
from selfheal_tui.store.marks import PROMPTS as PROMPTS_OF
from selfheal_tui.store.session_db import SessionDB, header_values, store_error, uncancelled

from ..history.branch_names import act_words, fork_name, free_name, lane_name
from ..history.saved_session import SavedSession, checkpoint_of
from ..history.unsent import as_sent
from ..loop.nodes.answer import answered
from ..loop.reviews.table import REVIEWS
from ..moment.events import CheckpointSaved, Event, LaneTold, NodeStarted, ReviewRequested, RunFailed, RunFinished
from ..moment.gist import fork_words
from ..moment.limits import race_limits
from ..moment.review import OF_CODE, OF_TESTS, Answer, Decision, ReviewKind, stop
from ..moment.state import GRAPH_VERSION, HealState, RunLimits, Spent, add_spent
from ..moment.timeline import Checkpoint, Timeline
from ..workshop.costs import check_prices
from ..workshop.deps import Deps
from ..workshop.purse import spent_beyond
from ..workshop.race_budget import LanePart, RaceBudget
from .ahead import begins_with_suite, goes_on_with_suite, running_ahead, told_ahead
from .continuation import continuation, own_node
from .deciding import DECISION_NAMES, asked_at, checked_decision
from .hook_story import SessionPlace
from .hook_watch import HookWatch
from .hooks import Hooks
from .lanes import PROMPTS, check_lanes
from .late_graph import LateGraph
from .meter import Meter
from .otel import Otel
from .race import CameHome, LaneAway, LanePlace, SideBySide, lane_deps
from .stopping import cut_off, stopped, stopped_after

_RECURSION_LIMIT = 100_000


class Session(SavedSession):
    """An open session; get one from `Workbench.open_session`."""

    def __init__(
        self,
        session_id: str,
        title: str,
        db: SessionDB,
        graph: LateGraph,
        deps: Deps,
        initial: HealState,
        thread_id: str,
        otel: Otel | None = None,
        hooks: Hooks | None = None,
        sessions: Path | None = None,
    ) -> None:
        """`sessions` is the folder of all sessions, which hooks are told.

        `thread_id` is LangGraph's name for the history; a copied folder has another name than that.
        """
        super().__init__(session_id, title, db, deps, initial)
        self._graph = graph
        self._thread_id = thread_id
        self._decisions = Decisions(db)
        self._otel = otel
        self.hooks = hooks
        """The user's; None where there are none."""
        self._sessions = sessions or Path()

    async def resume(self, place: LanePlace | None = None) -> AsyncGenerator[Event, None]:
        """Start, continue after a crash or a cancel, or repeat the pending question or the end.

        `place`: where the lanes of a race run; None for here.
        """
        async with aclosing(self._driven(self._resume(place))) as events:
            async for event in events:
                yield event

    def take_best(self) -> bool:
        """Let the searches that run end with the best they have, which is tried and asked about as ever.

        Returns whether one ran: without one nothing is changed.
        """
        return self._deps.searches.take_best()

    async def decide(self, checkpoint_id: str, answer: Answer) -> AsyncGenerator[Event, None]:
        """Answer the question asked at a checkpoint and run on; an answered one is answered again on a new branch.

        Raises: InputError when there is no question there, or the edit does not fit its schema.
        """
        question = await self.saved(checkpoint_id)
        checkpoint = question.checkpoint
        kind = asked_at(checkpoint)
        decision = await checked_decision(self._deps.blobs, kind, question.snapshot, answer)
        if kind == "budget" and decision["verdict"] == "edit":
            limits = cast(RunLimits, {**question.snapshot.limits, **(answer.get("value") or {})})
            check_prices(question.snapshot.models, limits, self._deps.prices)
        branch = checkpoint.branch
        answered = bool(decision.get("answered"))
        words = "your answer" if answered else f"your {DECISION_NAMES[decision['verdict']]} of the {kind}"
        act: ActDetails = {"words": words, "line": None}
        if checkpoint.pending:
            act["line"] = [checkpoint.id, branch, checkpoint.iteration]
        else:
            branch = free_name("answer" if answered else decision["verdict"], await self.branches.names())
        comments = decision.get("comments") or await self.comments.load(checkpoint_id)
        texts = await self.texts.load(checkpoint_id)
        of_forks = [text for text in texts if text["part"] in (OF_TESTS, OF_CODE)]
        act["meta"] = {
            **as_sent(COMMENTS + checkpoint_id, comments),
            **as_sent(TEXTS + checkpoint_id, texts, of_forks),
            **as_sent(CHOICES + checkpoint_id, await self.choices.load(checkpoint_id)),
            **as_sent(TRIES + checkpoint_id, await self.tries.load(checkpoint_id)),
        }
        await self.branches.began("decision", act, [branch], new_decision(checkpoint_id, branch, kind, decision))
        async with aclosing(self.resume()) as events:
            async for event in events:
                yield event

    async def stop(self, best: str = "") -> AsyncGenerator[Event, None]:
        """End a run that was interrupted, as a stop at a question does: what was saved is kept, `undo` goes back.

        A question that came up meanwhile is answered so; `best` is the best edit of the search that was interrupted.
        Raises: InputError where nothing is saved yet, and in a race.
        """
        if journalled := await self._decisions.open_one():
            async with aclosing(self._take(journalled)) as taking:
                async for event in taking:
                    yield event
                    if isinstance(event, CheckpointSaved):
                        break
        head = await self.head()
        last = await self.checkpoint(head) if head is not None else None
        if last is None or last.next == ("__start__",):
            raise InputError("Nothing is saved yet that could be kept.", "Pause it, or leave.")
        if await self.branches.race():
            raise InputError("A race is not stopped as a whole.", "Pause it; then keep a lane, or undo the race.")
        if last.pending:
            following = self.decide(last.id, stop())
        elif not last.next:
            following = self.resume()
        else:
            act: ActDetails = {"words": "your stop of the run", "line": [last.id, last.branch, last.iteration]}
            await self.branches.began("stop", act, [last.branch])
            following = self._driven(self._stop(last, best))
        async with aclosing(following) as events:
            async for event in events:
                yield event

    async def _stop(self, last: Checkpoint, best: str) -> AsyncGenerator[Event, None]:
        ended = await self._branch_off(last.id, last.branch, stopped(last, best), stopped_after(last))
        yield ended
        async with aclosing(self._run(None, last.branch, None, begun=ended)) as events:
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
        start = await self.saved(_begun(timeline, checkpoint).id)
        step = await self._step(start, changes)
        await self.branches.began("fork", {"words": act_words(changes, branch)}, [branch])
        async with aclosing(self._driven(self._fork(start.checkpoint.id, branch, step, run))) as events:
            async for event in events:
                yield event

    async def begin_with(self, changes: Mapping[str, Any]) -> None:
        """Give a session that has not run yet other settings. Raises: InputError, SettingsError."""
        beginning = (await self.beginning()).snapshot
        start = checkpoint_of({"checkpoint_id": "", "parent_id": None, "asking": False})
        update, _ = await self._step(CheckpointSaved(start, beginning), changes)
        kept = {name: value for name, value in update.items() if name not in ("gist", "outcome", "reason")}
        self._initial = cast(HealState, {**self._initial, **kept})
        await self._db.set_header({"initial": json.dumps(self._initial)})

    async def race(
        self,
        checkpoint_id: str,
        lanes: Sequence[Mapping[str, Any]],
        budget: Mapping[str, Any] | None = None,
        place: LanePlace | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Fork a moment once for each of `lanes` (what a fork may change, and `prompts`) and run them side by side.

        `budget` (max_calls, max_tokens, max_cost_usd, max_time_s) is of all lanes together. A lane that asks waits with
        its question; the last event is RaceFinished, or RunFailed where no lane could start. `place`: where the lanes
        run; None for here. Raises: InputError.
        """
        check_lanes(lanes)
        race_limits(budget or {})
        timeline = await self.timeline()
        start = await self.saved(_begun(timeline, await self.checkpoint(checkpoint_id)).id)
        planned: dict[str, dict[str, Any]] = {}
        for changes in lanes:
            await self._step(start, changes, place)
            planned[lane_name(changes, {*timeline.branches, *planned})] = dict(changes)
        act: ActDetails = {
            "words": f"the race of {', '.join(planned)}",
            "at": start.checkpoint.id,
            "lanes": planned,
            "budget": dict(budget or {}),
        }
        await self.branches.began(RACE, act, list(planned))
        async with aclosing(self.resume(place)) as events:
            async for event in events:
                yield event

    async def run_lane(self, lane: LaneAway, prompts: Path | None = None) -> AsyncGenerator[Event, None]:
        """Run one lane of a race in a copy of its session, within its part of the budget; the others run elsewhere."""
        newest = await self.saved(await self.head(lane.branch) or "")
        pool = LanePart(lane.part, {lane.branch: lane.before})
        deps = lane_deps(self._db, await self._deps_of(lane.branch), lane.branch, pool)
        if prompts is not None:
            deps = replace(deps, prompts_dir=prompts)
        pool.begin(lane.branch, newest.snapshot.spent, await spent_beyond(newest.checkpoint.id, deps.bills))
        async with aclosing(self._guarded(self._run(None, lane.branch, None, deps))) as events:
            async for event in events:
                if isinstance(event, CheckpointSaved):
                    pool.worked(lane.branch, event.snapshot.spent)
                yield event

    async def _race(self, race: Act, place: LanePlace | None = None) -> AsyncGenerator[Event, None]:
        """Begin the lanes that are not there yet, run those that have not come to rest, and compare them."""
        start, lanes = await self.saved(race.details["at"]), await self.branches.lanes_of(race)
        begun = await self.branches.names()
        forked: dict[str, CheckpointSaved] = {}
        for branch, changes in lanes.items():
            if branch in begun:
                # Also of a lane at rest: all are told in their order, which gives them their numbers.
                yield LaneTold(branch, await self.saved(await self.head(branch) or ""))
            else:
                update, as_node = await self._step(start, changes, place)
                if prompts := changes.get(PROMPTS):
                    await self._db.set_meta(PROMPTS_OF + branch, str(prompts))
                forked[branch] = await self._branch_off(start.checkpoint.id, branch, update, as_node)
                yield LaneTold(branch, forked[branch])
        pool = RaceBudget(race_limits(race.details["budget"]), dict.fromkeys(lanes, start.snapshot.spent))
        running: dict[str, Deps] = {}
        bills: dict[str, Spent] = {}
        side = SideBySide(pool)
        for branch in lanes:
            newest = await self.saved(await self.head(branch) or "")
            deps = lane_deps(self._db, await self._deps_of(branch), branch, pool)
            beyond = await spent_beyond(newest.checkpoint.id, deps.bills)
            pool.begin(branch, newest.snapshot.spent, beyond)
            side.newest[branch] = newest.snapshot
            if newest.checkpoint.next and not newest.checkpoint.pending:
                running[branch] = deps
                bills[branch] = add_spent(newest.snapshot.spent, beyond)
        parts = dict(zip(running, pool.parts(len(running)), strict=True))

        def run(branch: str, deps: Deps) -> AsyncGenerator[Event, None]:
            if place is None:
                return self._guarded(self._run(None, branch, None, deps, forked.get(branch)))
            own_prompts = deps.prompts_dir if PROMPTS in lanes[branch] else None
            away = place.run(self._db, LaneAway(branch, parts[branch], bills[branch]), own_prompts)
            return self._guarded(self._away(branch, away))

        async with aclosing(side.run(running, run)) as events:
            async for event in events:
                yield event
        for branch in side.cut:
            async with aclosing(self._cut_off(branch, running[branch], side)) as told:
                async for ended in told:
                    yield LaneTold(branch, ended)
        yield await self.compared(race, side.failures)

    async def _away(self, branch: str, events: AsyncGenerator[Event | CameHome, None]) -> AsyncGenerator[Event, None]:
        """Tell of a lane that runs elsewhere as of one that runs here: each moment once it is in the file."""
        async with aclosing(events) as told:
            async for event in told:
                if not isinstance(event, CameHome):
                    yield event
                    continue
                for checkpoint_id in event.checkpoint_ids:
                    saved = await self.saved(checkpoint_id)
                    await self._settle_notes(saved)
                    yield saved
        yield await self._ended(await self.saved(await self.head(branch) or ""))

    async def _cut_off(self, branch: str, deps: Deps, side: SideBySide) -> AsyncGenerator[Event, None]:
        """End a lane that was cut off in the middle of its work; one that had come to rest just then is left so."""
        last = await self.checkpoint(await self.head(branch) or "")
        if last.pending or not last.next:
            return
        update = cut_off(last, side.cut_why, side.cut[branch])
        ended = await self._branch_off(last.id, branch, update, stopped_after(last))
        yield ended
        async with aclosing(self._guarded(self._run(None, branch, None, deps, ended))) as events:
            async for event in events:
                yield event

    async def _step(
        self, start: CheckpointSaved, changes: Mapping[str, Any], place: LanePlace | None = None
    ) -> tuple[HealState, str]:
        """Return what a fork writes, and the node it counts as; what runs elsewhere needs the keys there.

        Raises: InputError.
        """
        fields = {name: value for name, value in changes.items() if name != PROMPTS}
        step = await continuation(self._deps.blobs, start.snapshot, start.checkpoint, fields)
        if step and fields.keys() & {"model", "max_cost_usd"}:
            update, now = step[0], start.snapshot
            chosen = update.get("models", now.models)
            if place is None:
                check_ready(model for role, model in chosen.items() if model != now.models.get(role))
            check_prices(update.get("models", now.models), update.get("limits", now.limits), self._deps.prices)
        update, as_node = step or ({}, own_node(start.snapshot, start.checkpoint))
        return update | {"gist": fork_words(changes, start.snapshot.diagnosis, start.snapshot.program)}, as_node

    async def _deps_of(self, branch: str) -> Deps:
        """Return what the nodes of a branch may use; a lane may have prompts of its own."""
        self._deps.programs.branch = branch
        prompts = await self._db.get_meta(PROMPTS_OF + branch)
        return replace(self._deps, prompts_dir=Path(prompts)) if prompts else self._deps

    async def _resume(self, place: LanePlace | None = None) -> AsyncGenerator[Event, None]:
        head = await self.head()
        if journalled := await self._decisions.open_one():
            following = self._take(journalled)
        elif head is None:
            first = self._initial if begins_with_suite(self._initial) else None
            following = self._run(self._initial, MAIN, None, ahead_of=first)
        elif race := await self.branches.race():
            following = self._race(race, place)
        else:
            last = await self.checkpoint(head)
            if last.pending or not last.next:
                yield await self._ended(await self.saved(head))
                return
            # Without a checkpoint id: with one, finished siblings would run again on an accidental fork.
            state = await self._state_at(head)
            ahead_of = state if goes_on_with_suite(last, state) else None
            following = self._run(None, last.branch, None, ahead_of=ahead_of)
        # Closed with this one: else the nodes would go on beside whoever opens the file next.
        async with aclosing(following) as events:
            async for event in events:
                yield event

    async def _take(self, journalled: Journalled) -> AsyncGenerator[Event, None]:
        """Carry a journalled decision out; after a crash this picks up wherever it stopped."""
        question = await self.checkpoint(journalled.asked_at)
        decision = cast(Decision, journalled.decision)
        kind = cast(ReviewKind, journalled.kind)
        own = question.branch == journalled.branch
        has_taken_effect = not question.pending if own else journalled.branch in await self.branches.names()
        # A question that was answered once, and the answer taken back, cannot be resumed again either.
        resumes = own and not await self._decisions.was_answered(journalled)
        forked: CheckpointSaved | None = None
        if resumes and not has_taken_effect:
            from langgraph.types import Command

            events = self._run(Command(resume=decision), journalled.branch, question.id)
        else:
            if not has_taken_effect:
                # A second resume of an answered interrupt is dropped, and running the review node again may let the
                # policy answer: so the branch starts as if the node had just ended with this decision.
                update = answered(kind, await self._state_at(question.id), decision)
                forked = await self._branch_off(question.id, journalled.branch, update, REVIEWS[kind].node)
                yield forked
            await self._decisions.set_done(journalled.id)
            events = self._run(None, journalled.branch, None, begun=forked)
        done = not resumes
        async with aclosing(events):
            async for event in events:
                if not done and isinstance(event, CheckpointSaved):
                    await self._decisions.set_done(journalled.id)
                    done = True
                yield event

    async def _branch_off(self, checkpoint_id: str, branch: str, update: HealState, as_node: str) -> CheckpointSaved:
        config = self._config(checkpoint_id, branch)
        values = {"gist": "", "node": as_node, **update}
        saved = await (await self._graph()).aupdate_state(config, values, as_node=as_node)
        return await self.saved(str(saved["configurable"]["checkpoint_id"]))

    async def _fork(
        self, checkpoint_id: str, branch: str, step: tuple[HealState, str], run: bool
    ) -> AsyncGenerator[Event, None]:
        update, as_node = step
        forked = await self._branch_off(checkpoint_id, branch, update, as_node)
        yield forked
        if run:
            async with aclosing(self._run(None, branch, None, begun=forked)) as events:
                async for event in events:
                    yield event
        else:
            yield RunFinished(forked.snapshot)

    async def _run(
        self,
        graph_input: Any,
        branch: str,
        checkpoint_id: str | None,
        deps: Deps | None = None,
        begun: CheckpointSaved | None = None,
        ahead_of: HealState | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Translate LangGraph's stream; each checkpoint is yielded once, when it is on disk.

        `begun` is the newest checkpoint of the branch where it was yielded before. `ahead_of` is the state that the run
        goes on from, where that is a run of the tests: it starts before LangGraph is there.
        """
        deps = deps or await self._deps_of(branch)
        deps.bills.put_back()
        async with running_ahead(ahead_of, self._graph, deps) as deps:
            for events in (
                told_ahead(self._graph, deps),
                self._translate(graph_input, branch, checkpoint_id, deps, begun),
            ):
                async with aclosing(events):
                    async for event in events:
                        yield event

    async def _translate(
        self,
        graph_input: Any,
        branch: str,
        checkpoint_id: str | None,
        deps: Deps,
        begun: CheckpointSaved | None,
    ) -> AsyncGenerator[Event, None]:
        began_ahead = deps.ahead.began_s if deps.ahead is not None else None
        graph = await self._graph()
        unwritten: list[str] = []
        meter = Meter(self._usage, branch)
        newest = begun
        announced = {checkpoint_id or "", begun.checkpoint.id if begun else ""}
        stream = graph.astream(
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
                    announced_id = str(data["config"]["configurable"]["checkpoint_id"])
                    if announced_id not in announced:
                        announced.add(announced_id)
                        unwritten.append(announced_id)
                    await meter.saved()
                    continue
                # LangGraph tells of a checkpoint before it is written, and on a fork even starts the next task before.
                while unwritten and (saved := await self._saved(unwritten[0])):
                    del unwritten[0]
                    newest = saved
                    await self._settle_notes(saved)
                    yield saved
                if kind == "custom":
                    meter.heard(data)
                    yield data
                elif kind == "tasks" and "triggers" in data:
                    meter.started(str(data["name"]), began_ahead)
                    if began_ahead is None:  # else it was told
                        yield NodeStarted(data["name"])
                    began_ahead = None
        for written_id in unwritten:
            newest = await self.saved(written_id)
            await self._settle_notes(newest)
            yield newest
        head = await self.head(branch)
        if head is None:
            raise SessionError("The run left no checkpoint.", "Please report this.")
        yield await self._ended(
            await self._refreshed(newest) if newest and newest.checkpoint.id == head else await self.saved(head)
        )

    async def _settle_notes(self, saved: CheckpointSaved) -> None:
        """Write down that the notes were used which the step has read that ended with this moment."""
        heard = saved.snapshot.heard
        if heard and heard["by"] == saved.checkpoint.node:
            await self._deps.notes.settle(note_id for note_id, _ in heard["notes"])

    async def _ended(self, saved: CheckpointSaved) -> ReviewRequested | RunFinished:
        last, snapshot = saved.checkpoint, saved.snapshot
        await self._db.set_header({"error": "", "reason": snapshot.reason})
        await uncancelled(self._db.fold_in())
        if last.pending:
            return ReviewRequested(last.id, last.branch, last.pending, snapshot)
        return RunFinished(snapshot)

    async def _driven(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """Guard a whole run, and let the user's hooks and tracer see its events where there are any."""
        watch = await self._hook_watch()
        async with aclosing(self._traced(events)) as source:
            async for event in source:
                if watch is not None:
                    await watch.told(event)
                yield event

    async def _hook_watch(self) -> HookWatch | None:
        if self.hooks is None:
            return None
        place = SessionPlace(self.id, self.title, self._sessions, await self.root(), self.hooks.flags)
        head = await self.head() if self.hooks.has("budget_near") else None
        return HookWatch(self.hooks, place, await self.snapshot(head) if head else None, self.checkpoint)

    async def _traced(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        async with aclosing(self._guarded(events)) as source:
            if self._otel is None:
                async for event in source:
                    yield event
                return
            with self._otel.watching(self.id, self.title) as spans:
                async for event in source:
                    spans.told(event)
                    yield event

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
                afresh = [forget_given_up()] if isinstance(failed, ReplyInvalid) else []
                await self._db.write_all(
                    [*header_values({"error": str(failed), "error_subject": failed.subject}), *afresh]
                )
            except SessionError:
                pass  # the store itself is what failed; the event below says so
            yield RunFailed(failed)

    def _config(self, checkpoint_id: str | None, branch: str = MAIN) -> Any:
        configurable = {"thread_id": self._thread_id, "checkpoint_ns": ""}
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
