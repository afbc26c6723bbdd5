"""What we rely on in LangGraph. When one of these fails after an upgrade, the code named in it must change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from selfheal_tui.store.saver import SessionSaver
from selfheal_tui.store.session_db import open_db


class State(TypedDict, total=False):
    n: int
    node: str
    answer: str


async def ask(state: State) -> State:
    return {"answer": interrupt({"n": state["n"]}), "node": "ask"}


async def end(state: State) -> State:
    return {"n": state["n"] + 1, "node": "end"}


def config(checkpoint_id: str | None = None) -> Any:
    here = {"thread_id": "t", "checkpoint_ns": ""} | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})
    return {"configurable": here, "metadata": {"branch": "main"}}


@asynccontextmanager
async def graph(tmp_path: Path, ours: bool = False) -> AsyncIterator[tuple[Any, BaseCheckpointSaver[str]]]:
    async with open_db(tmp_path / "x.db", create=True) as db:
        saver = SessionSaver(db) if ours else AsyncSqliteSaver(db.connection)
        await saver.setup()
        builder = StateGraph(State)
        builder.add_node("ask", ask)
        builder.add_node("end", end)
        builder.add_edge(START, "ask")
        builder.add_edge("ask", "end")
        yield builder.compile(checkpointer=saver), saver


async def test_second_answer_to_an_answered_interrupt_is_dropped(tmp_path: Path) -> None:
    """Why Session.decide forks before it answers again (langgraph #7361)."""
    async with graph(tmp_path) as (app, _):
        await app.ainvoke({"n": 0}, config(), durability="sync")
        asked = (await app.aget_state(config())).config["configurable"]["checkpoint_id"]
        await app.ainvoke(Command(resume="first"), config(asked), durability="sync")
        again = await app.ainvoke(Command(resume="second"), config(asked), durability="sync")
        assert again["answer"] == "first"


async def test_running_from_an_answered_checkpoint_forks_with_a_new_question(tmp_path: Path) -> None:
    """Session._take relies on it."""
    async with graph(tmp_path) as (app, _):
        await app.ainvoke({"n": 0}, config(), durability="sync")
        before = await app.aget_state(config())
        asked = before.config["configurable"]["checkpoint_id"]
        await app.ainvoke(Command(resume="first"), config(asked), durability="sync")
        await app.ainvoke(None, config(asked), durability="sync")
        fork = await app.aget_state(config())
        assert fork.parent_config["configurable"]["checkpoint_id"] == asked
        assert fork.interrupts[0].id != before.interrupts[0].id
        ended = await app.ainvoke(
            Command(resume="second"), config(fork.config["configurable"]["checkpoint_id"]), durability="sync"
        )
        assert ended["answer"] == "second"


async def test_metadata_holds_our_flat_facts(tmp_path: Path) -> None:
    """The timeline is drawn from them by plain SQL (store/history.py)."""
    async with graph(tmp_path, ours=True) as (app, saver):
        await app.ainvoke({"n": 0}, config(), durability="sync")
        saved = [t async for t in saver.alist(config())]
        assert [t.metadata["next"] for t in reversed(saved)] == ["__start__", "ask"]  # type: ignore[typeddict-item]
        assert {t.metadata["branch"] for t in saved} == {"main"}  # type: ignore[typeddict-item]
