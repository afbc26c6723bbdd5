"""LangGraph's SQLite saver, made safe to cancel, strict about types, and readable without LangGraph.

Timeline facts ride in each checkpoint's metadata as flat scalars, so the tree is drawn by plain SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .session_db import SessionDB, uncancelled

_NOTE_SHOWN = 200


class SessionSaver(AsyncSqliteSaver):
    """Writes checkpoints through the session's one connection, under its one lock."""

    def __init__(self, db: SessionDB) -> None:
        super().__init__(db.connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self.lock = db.lock

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint with its timeline facts; runs to its end when cancelled."""
        full: Any = {**metadata, **_facts(checkpoint)}
        return await uncancelled(super().aput(config, checkpoint, full, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save a task's writes; runs to its end when cancelled."""
        await uncancelled(super().aput_writes(config, writes, task_id, task_path))


def _facts(checkpoint: Checkpoint) -> dict[str, Any]:
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
        "created_at": checkpoint["ts"],
        "graph_version": values.get("graph_version", 0),
    }
    if "passed" in values:
        facts |= {"passed": values["passed"], "failed": values.get("failed", 0)}
    decision = values.get("decision")
    if decision and node.startswith("review_"):
        facts |= {
            "decision_kind": node.removeprefix("review_"),
            "decision_verdict": decision["verdict"],
            "decision_note": decision["note"][:_NOTE_SHOWN],
            "decision_by": decision["by"],
        }
    return facts
