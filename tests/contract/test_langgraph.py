"""What we rely on in LangGraph's runs. When one of these fails after an upgrade, the code named in it must change.

Over LangGraph's own saver; what its saver and SQLite do is in test_langgraph_store.py.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.errors import GraphBubbleUp, GraphInterrupt, GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send, default_retry_on, interrupt
from langsmith import utils as langsmith_utils

from selfheal_tui.engine.dialogue.tracing import SWITCHES, set_tracing
from selfheal_tui.engine.loop.graph import NODES, build_graph
from selfheal_tui.engine.moment.state import merge_round
from selfheal_tui.store.session_db import open_db

ROOT = Path(__file__).parents[2]
Node = Callable[..., Awaitable[Any]]


class State(TypedDict, total=False):
    """What the graphs here work on."""

    n: int
    answer: str
    found: Annotated[dict[str, str], merge_round]


class Fan(State, total=False):
    """With a list that a fan-out joins."""

    name: str


def config(checkpoint_id: str | None = None, branch: str = "main") -> Any:
    here = {"thread_id": "t", "checkpoint_ns": ""} | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})
    return {"configurable": here, "metadata": {"branch": branch}}


def id_of(snapshot: Any) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


@asynccontextmanager
async def line(
    tmp_path: Path, *nodes: tuple[str, Node], routes: dict[str, Any] | None = None
) -> AsyncIterator[tuple[Any, BaseCheckpointSaver[Any]]]:
    """Open a graph of nodes one after the other over LangGraph's saver; `routes` replaces the edge after a node."""
    async with open_db(tmp_path / "x.db", create=True) as db:
        saver = AsyncSqliteSaver(db.connection)
        await saver.setup()
        builder: Any = StateGraph(Fan)
        for name, node in nodes:
            builder.add_node(name, node)
        names = [START, *(name for name, _ in nodes), END]
        for before, after in pairwise(names):
            if before in (routes or {}):
                builder.add_conditional_edges(before, (routes or {})[before], [name for name, _ in nodes])
            else:
                builder.add_edge(before, after)
        yield builder.compile(checkpointer=saver), saver


async def ask(state: State) -> State:
    return {"answer": interrupt({"n": state["n"]})}


async def add(state: State) -> State:
    return {"n": state["n"] + 1}


ASKING = (("ask", ask), ("add", add))


async def asked_in(app: Any) -> Any:
    """Run to the question; return the moment."""
    await app.ainvoke({"n": 0}, config(), durability="sync")
    return await app.aget_state(config())


async def test_second_answer_to_an_answered_interrupt_is_dropped(tmp_path: Path) -> None:
    """Why Session.decide forks before it answers again (langgraph #7361)."""
    async with line(tmp_path, *ASKING) as (app, _):
        asked = id_of(await asked_in(app))
        await app.ainvoke(Command(resume="first"), config(asked), durability="sync")
        again = await app.ainvoke(Command(resume="second"), config(asked), durability="sync")
        assert again["answer"] == "first"


async def test_running_from_an_answered_checkpoint_forks_with_a_new_question(tmp_path: Path) -> None:
    """Session._fork relies on it: the same node runs again on a branch of its own."""
    async with line(tmp_path, *ASKING) as (app, _):
        before = await asked_in(app)
        await app.ainvoke(Command(resume="first"), config(id_of(before)), durability="sync")
        await app.ainvoke(None, config(id_of(before)), durability="sync")
        fork = await app.aget_state(config())
        assert fork.parent_config["configurable"]["checkpoint_id"] == id_of(before)
        assert fork.interrupts[0].id != before.interrupts[0].id
        ended = await app.ainvoke(Command(resume="second"), config(id_of(fork)), durability="sync")
        assert ended["answer"] == "second"


@pytest.mark.parametrize(("by_id", "durable"), [(False, True), (True, False)])
async def test_a_plain_answer_is_on_disk_before_its_node_runs_one_by_id_is_not(
    tmp_path: Path, by_id: bool, durable: bool
) -> None:
    """Session._take resumes with the plain value, and the journal of decisions does not rely on either."""
    runs = asyncio.Event()

    async def ask_and_work(state: State) -> State:
        answer = interrupt("?")
        runs.set()
        await asyncio.Event().wait()
        return {"answer": answer}

    async with line(tmp_path, ("ask", ask_and_work)) as (app, saver):
        asked = await asked_in(app)
        answer: Any = {asked.interrupts[0].id: "yes"} if by_id else "yes"
        work = asyncio.create_task(app.ainvoke(Command(resume=answer), config(), durability="sync"))
        await runs.wait()
        saved = await saver.aget_tuple(config())
        assert saved is not None
        on_disk = [value for _, channel, value in saved.pending_writes or () if channel == "__resume__"]
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        assert bool(on_disk) is durable


async def test_sync_durability_saves_a_node_before_the_next_begins(tmp_path: Path) -> None:
    """Session._run asks for it: the default loses paid work when it is killed."""
    seen: list[Any] = []

    async def look(state: State) -> State:
        with closing(sqlite3.connect(tmp_path / "x.db")) as beside:
            seen.append(beside.execute("select count(*) from checkpoints").fetchone()[0])
        return {}

    async with line(tmp_path, ("look", look), ("add", add), ("look again", look)) as (app, _):
        await app.ainvoke({"n": 0}, config(), durability="sync")
        assert seen == [2, 4]


@pytest.mark.parametrize(("addressed", "runs", "forks"), [(False, ["a", "b", "b"], 0), (True, ["a", "b", "a", "b"], 1)])
async def test_a_broken_fan_out_goes_on_without_a_checkpoint_id(
    tmp_path: Path, addressed: bool, runs: list[str], forks: int
) -> None:
    """Session._resume gives none: with one, siblings that were paid for run again, on a fork nobody asked for."""
    ran: list[str] = []

    async def start(state: State) -> State:
        return {}

    async def work(state: Fan) -> State:
        ran.append(state["name"])
        if state["name"] == "b" and ran.count("b") == 1:
            raise OSError("broken")
        return {"found": {state["name"]: "x"}}

    def route(state: State) -> list[Send]:
        return [Send("work", {"name": name}) for name in ("a", "b")]

    async with line(tmp_path, ("start", start), ("work", work), routes={"start": route}) as (app, _):
        with pytest.raises(OSError, match="broken"):
            await app.ainvoke({"n": 0}, {**config(), "max_concurrency": 1}, durability="sync")
        stopped = id_of(await app.aget_state(config()))
        ended = await app.ainvoke(None, config(stopped if addressed else None), durability="sync")
        assert sorted(ran) == sorted(runs) and ended["found"] == {"a": "x", "b": "x"}
        sources = [moment.metadata["source"] async for moment in app.aget_state_history(config())]
        assert sources.count("fork") == forks


async def test_a_renamed_node_makes_a_paused_run_look_finished(tmp_path: Path) -> None:
    """Node names are frozen and GRAPH_VERSION is checked on opening; an outcome in the state says what has ended."""
    async with line(tmp_path, *ASKING) as (app, _):
        assert (await asked_in(app)).next == ("ask",)
    async with line(tmp_path, ("question", ask), ("add", add)) as (app, _):
        assert (await app.aget_state(config())).next == ()


async def test_an_answered_moment_still_shows_its_interrupt(tmp_path: Path) -> None:
    """Why store/history.py asks whether a child of the same branch is there, too."""
    async with line(tmp_path, *ASKING) as (app, _):
        asked = id_of(await asked_in(app))
        await app.ainvoke(Command(resume="yes"), config(), durability="sync")
        assert (await app.aget_state(config(asked))).interrupts


async def test_a_node_that_asks_runs_again_from_its_start(tmp_path: Path) -> None:
    """Why review nodes do nothing but ask."""
    ran: list[int] = []

    async def count_and_ask(state: State) -> State:
        ran.append(1)
        return {"answer": interrupt("?")}

    async with line(tmp_path, ("ask", count_and_ask)) as (app, _):
        await asked_in(app)
        await app.ainvoke(Command(resume="yes"), config(), durability="sync")
        assert len(ran) == 2


def test_an_interrupt_is_an_exception_that_a_blanket_except_swallows() -> None:
    """Why no node catches Exception: the question would be lost."""
    assert issubclass(GraphInterrupt, GraphBubbleUp) and issubclass(GraphBubbleUp, Exception)


async def test_an_empty_answer_is_no_answer(tmp_path: Path) -> None:
    """Session always resumes with a Decision, which is never empty."""
    async with line(tmp_path, *ASKING) as (app, _):
        await asked_in(app)
        await app.ainvoke(Command(resume={}), config(), durability="sync")
        assert (await app.aget_state(config())).next == ("ask",)


async def test_an_update_counts_as_the_end_of_the_node_it_names_and_goes_through_reducers(tmp_path: Path) -> None:
    """engine/session/continuation.py says for each field which node that is; None clears a round."""
    async with line(tmp_path, ("a", add), ("b", add), ("c", add)) as (app, _):
        await app.ainvoke({"n": 0, "found": {"old": "x"}}, config(), durability="sync")
        await app.aupdate_state(config(), {"found": {"new": "y"}}, as_node="a")
        moment = await app.aget_state(config())
        assert moment.next == ("b",) and moment.values["found"] == {"old": "x", "new": "y"}
        await app.aupdate_state(config(), {"found": None}, as_node="b")
        moment = await app.aget_state(config())
        assert moment.next == ("c",) and moment.values["found"] == {}


async def test_a_fork_is_the_newest_repeats_step_numbers_and_names_its_branch(tmp_path: Path) -> None:
    """Why the tree is drawn from parents, and the branch's name rides in the metadata (store/saver.py)."""
    async with line(tmp_path, ("a", add), ("b", add)) as (app, _):
        await app.ainvoke({"n": 0}, config(), durability="sync")
        history = [moment async for moment in app.aget_state_history(config())]
        after_a = next(moment for moment in history if moment.next == ("b",))
        forked = await app.aupdate_state(config(id_of(after_a), "other"), {"n": 10}, as_node="a")
        newest = await app.aget_state(config())
        assert id_of(newest) == forked["configurable"]["checkpoint_id"] and newest.metadata["branch"] == "other"
        ended = next(moment for moment in history if not moment.next)
        assert newest.metadata["step"] == ended.metadata["step"], "the same number on two branches"
        await app.ainvoke(None, config(branch="other"), durability="sync")
        told = [moment.metadata["branch"] async for moment in app.aget_state_history(config())]
        assert told.count("other") == 2 and "main" in told


async def test_a_fork_evaluates_routes_without_a_context(tmp_path: Path) -> None:
    """Why limits and budgets live in the state (engine/loop/routes.py)."""

    def route(state: State, runtime: Runtime[Any]) -> str:
        return "b"

    async with line(tmp_path, ("a", add), ("b", add), routes={"a": route}) as (app, _):
        await app.ainvoke({"n": 0}, config(), context={"limit": 1}, durability="sync")
        with pytest.raises(ValueError, match="Missing required config key"):
            await app.aupdate_state(config(), {"n": 5}, as_node="a")


def test_our_graph_is_flat() -> None:
    """Time travel into subgraphs is broken (langgraph #8458)."""
    graph = build_graph(InMemorySaver())
    assert not list(graph.get_subgraphs())
    assert {node.__name__ for node in NODES} == set(graph.nodes) - {START}


async def test_steps_are_limited_unless_told(tmp_path: Path) -> None:
    """Session gives a limit far above what ours (iterations, calls, time) allow."""
    builder: Any = StateGraph(State)
    builder.add_node("add", add)
    builder.add_edge(START, "add")
    builder.add_edge("add", "add")
    with pytest.raises(GraphRecursionError):
        await builder.compile().ainvoke({"n": 0}, {"recursion_limit": 5})


async def test_tokens_come_through_custom_and_not_through_messages(tmp_path: Path) -> None:
    """Without LangChain's chat models `messages` stays empty: nodes write our events."""

    async def speak(state: State, runtime: Runtime[Any]) -> State:
        runtime.stream_writer({"token": "hello"})
        return {}

    async with line(tmp_path, ("speak", speak)) as (app, _):
        parts = [
            part
            async for part in app.astream({"n": 0}, config(), stream_mode=["messages", "custom"], durability="sync")
        ]
        assert parts == [("custom", {"token": "hello"})]


async def test_nothing_is_tried_again_unless_asked_and_then_a_refusal_too(tmp_path: Path) -> None:
    """Why llm/ has its own rule for what is tried again, and no node has LangGraph's."""

    class Refused(Exception):
        status_code = 401

    ran: list[int] = []

    async def call(state: State) -> State:
        ran.append(1)
        raise Refused

    assert default_retry_on(Refused())
    async with line(tmp_path, ("call", call)) as (app, _):
        with pytest.raises(Refused):
            await app.ainvoke({"n": 0}, config(), durability="sync")
    assert ran == [1]


@pytest.mark.parametrize("name", ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"])
def test_each_variable_alone_would_send_code_away(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Why set_tracing writes all of them: one left alone wins over another that says no."""
    for switch in SWITCHES:
        monkeypatch.setenv(switch, "")
    monkeypatch.setenv(name, "true")
    langsmith_utils.get_env_var.cache_clear()
    assert langsmith_utils.tracing_is_enabled()
    set_tracing(False)
    langsmith_utils.get_env_var.cache_clear()
    assert not langsmith_utils.tracing_is_enabled()


async def test_a_cancelled_node_loses_nothing_before_it(tmp_path: Path) -> None:
    """Pausing a run cancels it; it goes on with the node that was cut off."""
    began, ran = asyncio.Event(), list[str]()

    async def first(state: State) -> State:
        ran.append("first")
        return {"n": 1}

    async def slow(state: State) -> State:
        ran.append("slow")
        if not began.is_set():
            began.set()
            await asyncio.Event().wait()
        return {"n": state["n"] + 1}

    async with line(tmp_path, ("first", first), ("slow", slow)) as (app, _):
        work = asyncio.create_task(app.ainvoke({"n": 0}, config(), durability="sync"))
        await began.wait()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        ended = await app.ainvoke(None, config(), durability="sync")
        assert ended["n"] == 2 and ran == ["first", "slow", "slow"]


def test_nothing_with_another_licence_is_depended_on() -> None:
    """langgraph-api and its runtimes are Elastic-2.0, textual-diff-view AGPL-3."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = {one.split(">")[0].split("=")[0].split("[")[0].strip() for one in wanted}
    assert not names & {"langgraph-api", "langgraph-runtime-inmem", "langgraph-cli", "textual-diff-view"}
