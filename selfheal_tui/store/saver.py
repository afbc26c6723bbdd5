"""LangGraph's SQLite saver, made safe to cancel, strict about types, and readable without LangGraph.

Timeline facts ride in each checkpoint's metadata as flat scalars, so the tree is drawn by plain SQL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .bills import settle
from .damage import reading
from .history import BRANCH_HEAD_SQL, asked_kind
from .serde import StateSerde
from .session_db import SessionDB, Statement, uncancelled

_NOTE_SHOWN = 200
DROP_USED = """
delete from writes where thread_id=? and checkpoint_ns='' and checkpoint_id=? and channel<>'__interrupt__' and exists(
  select 1 from checkpoints c where c.thread_id=writes.thread_id and c.checkpoint_ns='' and
  c.checkpoint_id=writes.checkpoint_id and json_extract(cast(c.metadata as text), '$.branch')=?)
"""
"""The question stays: it tells that one was asked there."""


class SessionSaver(AsyncSqliteSaver):
    """Writes checkpoints through the session's one connection, under its one lock."""

    def __init__(self, db: SessionDB) -> None:
        super().__init__(db.connection, serde=StateSerde())
        self.lock = db.lock
        self._db = db
        self._unsettled: set[int] = set()
        """Bills counted by nodes whose writes failed."""

    def get_next_version(self, current: Any, channel: None) -> int:  # type: ignore[override]
        """Count a channel's versions: the 50 characters of the parent's, twice a channel, were most of a checkpoint."""
        return (current or 0) + 1

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Load a checkpoint; without an id the newest of the branch that the run is on, not of the whole session.

        So branches run side by side, each as if it were alone, and go on where each of them stopped.
        Raises: SessionError when it is damaged.
        """
        branch = config.get("metadata", {}).get("branch")
        here = config["configurable"]
        # A branch that is just being made has none: the session's newest tells that its start is in the past.
        if branch is not None and not here.get("checkpoint_id"):
            for (newest,) in await self._db.rows(BRANCH_HEAD_SQL, (branch,)):
                ns = here.get("checkpoint_ns", "")
                where = {"thread_id": here["thread_id"], "checkpoint_ns": ns, "checkpoint_id": newest}
                config = {"configurable": where}
        with reading(f"the state at checkpoint {config['configurable'].get('checkpoint_id', '(the newest)')}"):
            return await super().aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint with its timeline facts; runs to its end when cancelled."""
        full: Any = {**metadata, **timeline_facts(checkpoint)}
        return await uncancelled(self._put(config, checkpoint, full, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save a task's writes, what it spent among them; runs to its end when cancelled."""
        await uncancelled(self._put_writes(config, writes, task_id, task_path))

    # A node's result is safe with its writes. Where those failed LangGraph goes on all the same (it tells at the end of
    # the run): then it is safe with the checkpoint that follows. The bills it counted are struck out with it.

    async def _put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        async with self._settling(set(self._unsettled), _drop_used(config, get_checkpoint_metadata(config, metadata))):
            return await super().aput(config, checkpoint, metadata, versions)

    async def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> None:
        # The lock is taken at once: a checkpoint that waits behind must find these written, to drop them.
        counted = {number for channel, value in writes if channel == "spent" for number in value.get("bills", ())}
        try:
            async with self._settling(counted):
                await super().aput_writes(config, writes, task_id, task_path)
        except BaseException:
            self._unsettled |= counted
            raise

    @asynccontextmanager
    async def _settling(self, numbers: set[int], also: Sequence[Statement] = ()) -> AsyncIterator[None]:
        async with self._db.joined([*also, *settle(numbers)]):
            yield
        self._unsettled -= numbers


async def open_saver(db: SessionDB) -> SessionSaver:
    """Return the saver of an open file, its tables made."""
    saver = SessionSaver(db)
    await saver.setup()
    await db.write("create index if not exists checkpoint_parent on checkpoints(parent_checkpoint_id)")
    return saver


def _drop_used(config: RunnableConfig, facts: CheckpointMetadata) -> list[Statement]:
    """Return what drops the results that a checkpoint was made of: half of the file, and nothing reads them again.

    They are LangGraph's until the next checkpoint of the same branch is saved. A fork uses none up: it runs afresh.
    """
    here = config["configurable"]
    return [(DROP_USED, (here["thread_id"], here.get("checkpoint_id"), cast(Any, facts).get("branch")))]


def timeline_facts(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what the tree shows of a checkpoint, as flat scalars."""
    values = checkpoint["channel_values"]
    # The input's own checkpoint names no node yet: only its `__start__` channel tells that the run is not over.
    upcoming = sorted(key.removeprefix("branch:to:") for key in values if key.startswith(("branch:to:", "__start__")))
    # Nodes that are sent their input wait in a channel of their own.
    upcoming += sorted({send.node for send in values.get("__pregel_tasks", [])})
    node = values.get("node", "start")
    facts: dict[str, Any] = {
        "node": node,
        "next": ",".join(upcoming),
        "iteration": values.get("iteration", 0),
        "outcome": values.get("outcome", ""),
        "reason": values.get("reason", ""),
        "created_at": checkpoint["ts"],
        "graph_version": values.get("graph_version", 0),
    }
    if spent := values.get("spent"):
        tokens = spent["input_tokens"] + spent["output_tokens"]
        facts["spent"] = [spent["calls"], tokens, spent["cost_usd"], spent["time_s"]]
    if "passed" in values:
        facts |= {"passed": values["passed"], "failed": values.get("failed", 0)}
    if gist := values.get("gist"):
        facts["gist"] = gist
    heard = values.get("heard")
    if heard and heard["by"] == node:
        facts["heard"] = " · ".join(text for _, text in heard["notes"])[:_NOTE_SHOWN]
    decision = values.get("decision")
    if decision and (kind := asked_kind(node)):
        facts |= {
            "decision_kind": kind,
            "decision_verdict": decision["verdict"],
            "decision_note": decision["note"][:_NOTE_SHOWN],
            "decision_by": decision["by"],
            **({"decision_together": ", ".join(decision["together"])} if decision.get("together") else {}),
        }
        if agent := decision.get("agent"):
            facts["decision_agent"] = agent
        if answered := decision.get("answered"):
            facts["decision_answered"] = answered[:_NOTE_SHOWN]
        if edited := decision.get("edited"):
            facts["decision_edited"] = edited[:_NOTE_SHOWN]
        if comments := decision.get("comments"):
            facts["decision_comments"] = len(comments)
    return facts
