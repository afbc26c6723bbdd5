"""One session: the only caller of LangGraph's astream and aupdate_state.

A run is an async iterator of events. It ends in a question (ReviewRequested), an end (RunFinished) or a failure that
can be resumed (RunFailed). Whatever was asked before can be answered again: that makes a new branch.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, cast

from langgraph.types import Command

from selfheal_tui.errors import InputError, ReplyInvalid, SelfHealError, SessionError
from selfheal_tui.sandbox.base import CaseFinished, SuiteReport
from selfheal_tui.store.acts import Act
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.call_uses import Asker, CallUses, UsedCall
from selfheal_tui.store.decisions import Decisions, Journalled
from selfheal_tui.store.history import BRANCH_HEAD_SQL, ROWS_SQL, checkpoint_facts
from selfheal_tui.store.ledger import Ledger, RecordedCall
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.session_db import SessionDB, store_error
from selfheal_tui.store.usage import UsageLog, UsageRow

from .branches import Branches
from .continuation import continuation, own_node
from .deps import Deps
from .events import (
    CallFinished,
    CallWaits,
    CheckpointSaved,
    Event,
    LaneResult,
    LaneTold,
    NodeStarted,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
)
from .follow import follow
from .graph import Graph
from .hunks import chosen_hunks
from .lanes import PROMPTS, check_lanes, lane_words, race_limits, ranked
from .marks import PROMPTS as PROMPTS_OF
from .marks import STANDS, load_marks
from .names import fork_name, free_name, lane_name
from .nodes.answer import answered
from .pool import Pool, spent_since
from .race import SideBySide
from .review import NOTE_LIMIT, VERDICTS, Answer, Decision, ReviewKind
from .schemas import edit_problems
from .snapshot import Snapshot
from .snapshots import load_snapshot
from .state import GRAPH_VERSION, HealState, add_spent, no_spend
from .timeline import Checkpoint, Timeline, build_timeline, uncollected
from .trial import SuiteTried, Tried, try_suite, try_text
from .workspace import Workspace, load_workspace

MAIN = "main"
_RECURSION_LIMIT = 100_000
_SAID = {"approve": "approval", "edit": "edit", "reject": "rejection", "stop": "stop"}


class Session:
    """An open session; get one from `Workbench.open_session`."""

    def __init__(
        self, session_id: str, title: str, db: SessionDB, graph: Graph, deps: Deps, initial: HealState
    ) -> None:
        self.id = session_id
        self.title = title
        self._db = db
        self._graph = graph
        self._deps = deps
        self._initial = initial
        self._decisions = Decisions(db)
        self._usage = UsageLog(db)
        self._call_uses = CallUses(db)
        self.branches = Branches(db)
        self._looked: dict[Any, tuple[tuple[Any, ...], Checkpoint]] = {}
        """Checkpoint id -> the row that it was read from, and what it says."""

    async def timeline(self) -> Timeline:
        """Return the tree of all checkpoints."""
        rows = await self._db.rows(ROWS_SQL.format(where=""))
        marks, stands = await load_marks(self._db), await self._db.get_meta(STANDS) or ""
        with uncollected():
            return build_timeline(self._checkpoints(rows), marks, stands)

    async def usage(self) -> list[UsageRow]:
        """Return what each node and role has used, branch by branch."""
        return await self._usage.rows()

    async def calls(self) -> list[RecordedCall]:
        """Return every recorded model call, over all branches, in the order they were made."""
        return await self._deps.ledger.all()

    async def askers(self) -> set[Asker]:
        """Return the moments that made calls."""
        return await self._call_uses.askers()

    async def used_calls(self, asker: Asker) -> list[UsedCall]:
        """Return what a moment asked; `calls.py` says which asker belongs to which checkpoint."""
        return await self._call_uses.of(asker)

    async def root(self) -> Path | None:
        """Return the folder the files came from; None for a demo or a spec. Raises: SessionError when damaged."""
        root = (await self._deps.blobs.get(self._initial["manifest_ref"]))["root"]
        return Path(root) if root else None

    async def head(self, branch: str = "") -> str | None:
        """Return the newest checkpoint's id of a branch, else of the one where the session stands; None before it."""
        rows = await self._db.rows(BRANCH_HEAD_SQL, (branch or await self.branches.stands(),))
        return str(rows[0][0]) if rows else None

    async def snapshot(self, checkpoint_id: str) -> Snapshot:
        """Return one moment with its bodies. Raises: InputError for an unknown id, SessionError when damaged."""
        checkpoint = await self.checkpoint(checkpoint_id)
        return await load_snapshot(self._deps.blobs, await self._state(checkpoint_id), checkpoint)

    async def try_suite(
        self, checkpoint_id: str, changes: Mapping[str, str]
    ) -> AsyncGenerator[CaseFinished | SuiteTried, None]:
        """Run the suite of a moment with `changes` (path -> text) laid over its files; the run stays where it is.

        Nothing is saved; closing the iterator kills what runs. Raises: InputError, SessionError, SandboxError.
        """
        workspace, report = await self._moment(checkpoint_id)
        tried = try_suite(self._deps.sandbox, workspace, self._deps.suite_limits, report, changes)
        async with aclosing(tried) as events:
            async for event in events:
                yield event

    async def try_text(
        self, checkpoint_id: str, text: str, changes: Mapping[str, str] | None = None, of: str = "the code"
    ) -> Tried:
        """Run a case by its name, or Python, beside a moment's program with `changes` laid over; the run stays.

        `of` says in words what it is tried on. Raises: InputError, SessionError, SandboxError.
        """
        workspace, report = await self._moment(checkpoint_id)
        known = [case["id"] for case in report["cases"]] if report else []
        return await try_text(self._deps.sandbox, workspace, self._deps.suite_limits, known, text, changes or {}, of)

    async def edit_of(self, moment: Snapshot) -> Any:
        """Return what the human made of the proposal that was decided on at a moment; None without an edit."""
        decision = moment.decision
        if decision is None or decision["verdict"] != "edit" or not decision["value_ref"]:
            return None
        return await self._deps.blobs.get(decision["value_ref"])

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
        kind = _asked(checkpoint)
        decision = await self._decision(kind, checkpoint_id, answer)
        branch = checkpoint.branch
        what: dict[str, Any] = {"words": f"your {_SAID[decision['verdict']]} of the {kind}", "line": None}
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

    async def follow(self) -> AsyncGenerator[Event, None]:
        """Tell what another process does with this session, which is open to read here; see `follow.follow`."""
        async with aclosing(follow(self._db, self)) as events:
            try:
                async for event in events:
                    yield event
            except sqlite3.Error as error:
                raise store_error(self._db.path, error) from error

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
        for branch, changes in lanes.items():
            if branch not in there:
                update, as_node = await self._step(checkpoint, changes)
                if prompts := changes.get(PROMPTS):
                    await self._db.set_meta(PROMPTS_OF + branch, str(prompts))
                yield LaneTold(branch, await self._branch_off(start.checkpoint_id, branch, update, as_node))
        pool = Pool(race_limits(race.what["budget"]), dict.fromkeys(lanes, start.spent))
        running = {}
        for branch in lanes:
            head = await self.checkpoint(await self.head(branch) or "")
            pool.saved(branch, (await self.snapshot(head.id)).spent)
            if head.next and not head.pending:
                deps = await self._deps_of(branch)
                running[branch] = replace(
                    deps,
                    programs=Programs(self._db, branch),
                    ledger=Ledger(self._db, branch),
                    bills=Bills(self._db, branch),
                    pool=pool,
                )
        side = SideBySide(pool)

        def run(branch: str, deps: Deps) -> AsyncGenerator[Event, None]:
            return self._guarded(self._run(None, branch, None, deps))

        async with aclosing(side.run(running, run)) as told:
            async for event in told:
                yield event
        yield await self._compared(race, side.failures)

    async def raced(self) -> RaceFinished | None:
        """Return how the newest race ended; None unless it is what the session did last, and every lane is at rest."""
        race = await self.branches.newest_run()
        if race is None or race.kind != "race":
            return None
        lanes = await self.branches.lanes_of(race)
        heads = [await self.head(branch) for branch in lanes]
        moments = [await self.checkpoint(head) for head in heads if head]
        if not lanes or len(moments) < len(lanes) or any(at.next and not at.pending for at in moments):
            return None
        return await self._compared(race, {})

    async def _compared(self, race: Act, failures: Mapping[str, SelfHealError]) -> RaceFinished:
        start, lanes = await self.snapshot(race.what["at"]), await self.branches.lanes_of(race)
        results = []
        for branch, changes in lanes.items():
            head = await self.checkpoint(await self.head(branch) or "")
            snapshot, failed = await self.snapshot(head.id), failures.get(branch)
            results.append(
                LaneResult(
                    branch,
                    lane_words(changes),
                    head.id,
                    "failed" if failed else "waiting" if head.pending else head.outcome or "running",
                    str(failed) if failed else snapshot.reason if head.outcome else "",
                    head.pending,
                    head.passed,
                    head.failed,
                    spent_since(start.spent, snapshot.spent),
                )
            )
        return RaceFinished(start, ranked(results), reduce(add_spent, (lane.spent for lane in results), no_spend()))

    async def _step(self, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> tuple[HealState, str]:
        """Return what a fork writes, and the node it counts as. Raises: InputError."""
        snapshot = await self.snapshot(checkpoint.id)
        fields = {name: value for name, value in changes.items() if name != PROMPTS}
        return await continuation(self._deps.blobs, snapshot, checkpoint, fields) or (
            {},
            own_node(snapshot, checkpoint),
        )

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
        newest = await self.branches.newest_run()
        if newest is not None and newest.kind == "race":
            async for event in self._race(newest):
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
        if resumes and not taken:
            events = self._run(Command(resume=decision), journalled.branch, asked.id)
        else:
            if not taken:
                # A second resume of an answered interrupt is dropped, and running the review node again may let the
                # policy answer: so the branch starts as if the node had just ended with this decision.
                saved = await self._graph.aget_state(self._config(asked.id))
                update = answered(kind, cast(HealState, saved.values), decision)
                yield await self._branch_off(asked.id, journalled.branch, update, f"review_{kind}")
            await self._decisions.set_done(journalled.id)
            events = self._run(None, journalled.branch, None)
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
        return await self._saved(str(saved["configurable"]["checkpoint_id"]))

    async def _fork(
        self, checkpoint_id: str, branch: str, step: tuple[HealState, str], run: bool
    ) -> AsyncGenerator[Event, None]:
        update, as_node = step
        forked = await self._branch_off(checkpoint_id, branch, update, as_node)
        yield forked
        if run:
            async for event in self._run(None, branch, None):
                yield event
        else:
            yield RunFinished(forked.snapshot)

    async def _run(
        self, graph_input: Any, branch: str, checkpoint_id: str | None, deps: Deps | None = None
    ) -> AsyncGenerator[Event, None]:
        """Translate LangGraph's stream; a checkpoint is told of once it is on disk, each once."""
        deps = deps or await self._deps_of(branch)
        deps.bills.put_back()
        unsaid: list[str] = []
        node, began = "", time.monotonic()
        told: set[str] = {checkpoint_id} if checkpoint_id else set()
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
                    if saved not in told:
                        told.add(saved)
                        unsaid.append(saved)
                    if node:
                        self._usage.add(branch, node, runs=1, time_s=time.monotonic() - began)
                        node = ""
                    await self._usage.flush()
                    continue
                # LangGraph tells of a checkpoint before it is written, and on a fork even starts the next task before.
                while unsaid and await self._facts("and c.checkpoint_id=?", (unsaid[0],)):
                    yield await self._saved(unsaid.pop(0))
                if kind == "custom":
                    note_usage(self._usage, branch, node, data)
                    yield data
                elif kind == "tasks" and "triggers" in data:
                    if not node:
                        node, began = str(data["name"]), time.monotonic()
                    yield NodeStarted(data["name"])
        for checkpoint in unsaid:
            yield await self._saved(checkpoint)
        head = await self.head(branch)
        if head is None:
            raise SessionError("The run left no checkpoint.", "Please report this.")
        yield await self._ended(await self.checkpoint(head))

    async def _saved(self, checkpoint_id: str) -> CheckpointSaved:
        return CheckpointSaved(await self.checkpoint(checkpoint_id), await self.snapshot(checkpoint_id))

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

    async def _decision(self, kind: ReviewKind, checkpoint_id: str, answer: Answer) -> Decision:
        verdict, note = answer.get("verdict"), answer.get("note", "").strip()[:NOTE_LIMIT]
        if verdict not in VERDICTS:
            raise InputError(f"There is no verdict {verdict!r}.", f"There are: {', '.join(VERDICTS)}.")
        if verdict == "reject" and not note and kind not in ("budget", "stalled"):
            raise InputError(
                "A rejection needs a reason.", "Say what is wrong (--note TEXT): the next attempt goes by it."
            )
        snapshot = await self.snapshot(checkpoint_id)
        if kind == "tests" and not snapshot.written:
            raise InputError(f"No question is asked at checkpoint {checkpoint_id}.", "No tests were written there.")
        pick, value_ref = answer.get("pick", ""), ""
        if pick and pick not in snapshot.candidates:
            raise InputError(f"There is no candidate {pick!r}.", f"There are: {', '.join(snapshot.candidates)}.")
        if verdict == "edit":
            value = dict(answer.get("value") or {})
            if kind in ("stalled", "end"):
                raise InputError(f"There is nothing to edit at the {kind}.", "Approve, reject or stop.")
            if kind == "repair" and "hunks" in value:
                value = _chosen(snapshot, pick, value)
            if kind == "repair" and "answer" in value and snapshot.question is None:
                raise InputError("Nothing was asked about these repairs.", "Approve, edit, reject or stop.")
            changeable = _changeable(kind, snapshot, pick)
            problems = edit_problems(kind, value, changeable, snapshot.tests)
            if problems:
                where = f"{problems[0].field} " if problems[0].field else ""
                raise InputError(
                    f"The edit cannot be used: {where}{problems[0].message}.", "Change it and send it again."
                )
            value_ref = await self._deps.blobs.put(_edited(kind, value, snapshot))
        decision: Decision = {"verdict": verdict, "value_ref": value_ref, "pick": pick, "note": note, "by": "human"}
        if kind == "code" and verdict == "edit":
            texts = cast(dict[str, str], (answer.get("value") or {})["changes"])
            decision["changes"] = {path: await self._deps.blobs.put_text(text) for path, text in texts.items()}
        if lines := answer.get("rule_lines", 0):
            if kind != "repair" or verdict != "approve":
                raise InputError("A rule is born from the approval of a repair.", "Approve one with it.")
            if lines < 1:
                raise InputError(f"A rule for {lines} changed lines covers nothing.", "Give a number from 1.")
            decision["rule_lines"] = lines
        return decision

    async def _state(self, checkpoint_id: str) -> HealState:
        saved = await self._graph.aget_state(self._config(checkpoint_id))
        return cast(HealState, saved.values) if saved.values.get("manifest_ref") else self._initial

    async def _moment(self, checkpoint_id: str) -> tuple[Workspace, SuiteReport | None]:
        await self.checkpoint(checkpoint_id)
        state, blobs = await self._state(checkpoint_id), self._deps.blobs
        ref = state.get("report_ref", "")
        return await load_workspace(blobs, state), cast(SuiteReport, await blobs.get(ref)) if ref else None

    async def checkpoint(self, checkpoint_id: str) -> Checkpoint:
        """Return the facts of one moment. Raises: InputError for an unknown id."""
        facts = await self._facts("and c.checkpoint_id=?", (checkpoint_id,))
        if not facts:
            raise InputError(f"Session {self.id} has no checkpoint {checkpoint_id!r}.", "See: selfheal sessions show")
        return _checkpoint(facts[0])

    def _checkpoints(self, rows: list[tuple[Any, ...]]) -> list[Checkpoint]:
        """Return the rows' checkpoints; of a long history few rows are new since the last look."""
        new = [row for row in rows if row[0] not in self._looked or self._looked[row[0]][0] != row]
        for row, facts in zip(new, checkpoint_facts(new), strict=True):
            self._looked[row[0]] = row, _checkpoint(facts)
        return [self._looked[row[0]][1] for row in rows]

    async def _facts(self, where: str = "", values: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        return checkpoint_facts(await self._db.rows(ROWS_SQL.format(where=where), values))

    def _config(self, checkpoint_id: str | None, branch: str = MAIN) -> Any:
        configurable = {"thread_id": self.id, "checkpoint_ns": ""}
        if checkpoint_id:
            configurable["checkpoint_id"] = checkpoint_id
        metadata = {"branch": branch, "graph_version": GRAPH_VERSION}
        return {"configurable": configurable, "metadata": metadata, "recursion_limit": _RECURSION_LIMIT}


def note_usage(log: UsageLog, branch: str, node: str, event: object) -> None:
    """Note what an event says of a model call."""
    match event:
        case CallWaits():
            log.add(branch, node, event.role, event.model, retries=1)
        case CallFinished(replayed=True):
            log.add(branch, node, event.role, event.model, replayed_calls=1)
        case CallFinished(usage=used):
            log.add(
                branch,
                node,
                event.role,
                event.model,
                calls=1,
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cost_usd=used.cost_usd or 0.0,
                unpriced_calls=used.cost_usd is None,
                degraded=bool(event.degraded),
            )


def _checkpoint(facts: Mapping[str, Any]) -> Checkpoint:
    upcoming = tuple(facts["next"].split(",")) if facts.get("next") else ()
    decided = None
    if "decision_verdict" in facts:
        decided = {k: str(facts.get(f"decision_{k}", "")) for k in ("kind", "verdict", "note", "by")}
    asked = None
    if facts["asking"]:
        asked = next((n.removeprefix("review_") for n in upcoming if n.startswith("review_")), None)
    return Checkpoint(
        id=str(facts["checkpoint_id"]),
        parent_id=facts["parent_id"],
        branch=str(facts.get("branch", MAIN)),
        step=int(facts.get("step", 0)),
        node=str(facts.get("node", "start")),
        next=upcoming,
        iteration=int(facts.get("iteration", 0)),
        created_at=str(facts.get("created_at", "")),
        passed=facts.get("passed"),
        failed=facts.get("failed"),
        decision=decided,
        pending=cast("ReviewKind | None", asked),
        outcome=str(facts.get("outcome", "")),
        spent=_spent(facts.get("spent")),
    )


def _spent(noted: Any) -> tuple[int, int, float | None, float] | None:
    if not isinstance(noted, list) or len(noted) != 4:
        return None
    calls, tokens, cost, time_s = noted
    return int(calls), int(tokens), None if cost is None else float(cost), float(time_s)


def _edited(kind: ReviewKind, value: dict[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    match kind:
        case "diagnosis":
            return {**value, "by": "human"}
        case "budget":
            return value
        case "repair" if "answer" in value:
            return {"answer": str(value["answer"]).strip()}
        case "tests":
            return {**snapshot.suite_files, **value["changes"]}
    declined = {"declined": value["declined"]} if value.get("declined") else {}
    return {"changes": value["changes"], **declined}


def _chosen(snapshot: Snapshot, pick: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edit that takes only some hunks of a candidate. Raises: InputError."""
    repair = snapshot.candidates.get(pick or "1")
    numbers = value["hunks"]
    if repair is None or set(value) != {"hunks"}:
        raise InputError("Hunks are chosen of a proposed repair, and go alone.", "Give the changes instead.")
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise InputError("`hunks` must be a list of whole numbers.", "As in [1, 3].")
    changes, declined = chosen_hunks({**snapshot.tests, **snapshot.program}, repair["changes"], set(numbers))
    return {"changes": changes, "declined": declined}


def _changeable(kind: ReviewKind, snapshot: Snapshot, pick: str) -> Collection[str]:
    """Return the paths that an edit may change."""
    if kind == "tests":
        return snapshot.suite_files
    repair = snapshot.candidates.get(pick or "1") if kind == "repair" else None
    return repair["changes"] if repair and repair.get("of_test") else snapshot.program


def _begun(timeline: Timeline, checkpoint: Checkpoint) -> Checkpoint:
    """The input's own checkpoint holds no state yet; its only child is the same moment with it. Raises: InputError."""
    if checkpoint.next != ("__start__",):
        return checkpoint
    following = timeline.children.get(checkpoint.id)
    if not following:
        raise InputError("The run has not begun at this checkpoint.", "Resume it first.")
    return timeline.checkpoints[following[0]]


def _asked(checkpoint: Checkpoint) -> ReviewKind:
    for node in checkpoint.next:
        if node.startswith("review_"):
            return cast(ReviewKind, node.removeprefix("review_"))
    raise InputError(
        f"No question is asked at checkpoint {checkpoint.id}.",
        "See `pending` in: selfheal sessions show --json",
    )
