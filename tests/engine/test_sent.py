"""What left this machine is in the session: per request the files, the address and the bytes that a server received."""

from __future__ import annotations

import asyncio
import json
import lzma
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.history.calls import MomentCall, calls_until
from selfheal_tui.engine.history.sent import SentCall, sent_calls, sent_to
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.llm import retry
from selfheal_tui.store.sent import SentRequest
from selfheal_tui.store.sessions import SessionStore
from tests.wire.rig import clean
from tests.wire.script import Script
from tests.wire.server import WireServer

from .driving import (
    ANSWERS,
    BUGGY,
    DIAGNOSIS,
    FIXED,
    TESTS,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_failure,
    to_repair,
    to_review,
)
from .test_migrations import OLD, SESSION

LOOK = {"thought": "Who buys?", "action": "read_file", "path": "notes.txt"}
NOTES = "Ann buys apples every day.\nBob buys bread on Monday.\n"
HEALS: tuple[dict[str, Any], ...] = (
    {"role": "debugger", "reply": DIAGNOSIS},
    {"role": "repairer", "reply": repair_reply(FIXED)},
)


@asynccontextmanager
async def served(monkeypatch: pytest.MonkeyPatch, *entries: dict[str, Any]) -> AsyncIterator[WireServer]:
    clean(monkeypatch)
    monkeypatch.setattr(retry, "_FIRST_WAIT_S", 0.001)
    async with WireServer(Script.of(*entries, models=["tiny"])) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.replace("//", "//me:secret@"))
        yield server


async def created(workbench: Workbench, autonomy: str = "full_auto") -> str:
    task = replace(shop_task(), files={"shop.py": BUGGY, "test_shop.py": TESTS, "notes.txt": NOTES})
    chosen = options("ollama:tiny", autonomy)
    return await workbench.create(task, replace(chosen, models={**chosen.models, "critic": "search"}))


def received(server: WireServer) -> list[int]:
    return [int(recorded.headers["content-length"]) for recorded in server.chats]


def paths(request: SentRequest) -> list[str]:
    return [file["path"] if file["whole"] else f"part of {file['path']}" for file in request.files]


async def test_each_call_has_what_its_server_received(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, {**HEALS[0], "fault": 529, "times": 1}, HEALS[1]) as server:
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            ended = await to_end(session.resume())
            calls = await calls_until(session, ended.snapshot.checkpoint_id)
            told = await sent_calls(session)
        assert [len(call.sent) for call in calls] == [2, 1], "a retry counts"
        sent = [request for call in calls for request in call.sent]
        assert [request.size_bytes for request in sent] == received(server)
        assert {request.address for request in sent} == {server.url}
        assert [request.outcome for request in sent] == ["failed", "answered", "answered"]
        assert all(paths(request) == ["shop.py", "test_shop.py"] for request in sent)
        total = sum(received(server))
        assert calls[0].sent_words == (
            f"shop.py, test_shop.py to {server.url}, {sum(received(server)[:2]):,} bytes in 2 requests"
        )
        assert [call.requests for call in told] == [call.sent for call in calls]
        (to,) = sent_to(told)
        assert (to.address, to.calls, to.requests, to.size_bytes) == (server.url, 2, 3, total)
    file = workbench.store.home / session_id / "session.db"
    assert b"secret" not in file.read_bytes()


async def test_what_a_tool_showed_is_counted(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {**HEALS[0], "when": "every day"}, {"role": "debugger", "reply": LOOK}, HEALS[1]
    async with served(monkeypatch, *entries), workbench.open_session(await created(workbench)) as session:
        ended = await to_end(session.resume())
        calls = await calls_until(session, ended.snapshot.checkpoint_id)
    assert [[paths(request) for request in call.sent] for call in calls[:2]] == [
        [["shop.py", "test_shop.py"]],
        [["notes.txt", "shop.py", "test_shop.py"]],
    ]


async def test_it_is_on_disk_before_the_server_hears_of_it(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_disk: list[int] = []
    async with served(monkeypatch, *HEALS) as server:
        session_id = await created(workbench)
        file = workbench.store.home / session_id / "session.db"

        async def watch(recorded: Any, part: float) -> None:
            if part == 0.0:
                with closing(sqlite3.connect(file)) as connection:
                    on_disk.append(connection.execute("select size_bytes from sent order by id desc").fetchone()[0])

        server.watch = watch
        async with workbench.open_session(session_id) as session:
            await to_end(session.resume())
        assert on_disk == received(server) != []


async def test_what_nobody_answered_is_told_too(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that always fails, then one that stays silent until the run is cancelled, then one that answers."""
    async with served(monkeypatch, {**HEALS[0], "fault": 500, "times": 4}, *HEALS) as server:
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            await to_failure(session.resume())
            (lost,) = await sent_calls(session)
            assert not lost.answered and [r.outcome for r in lost.requests] == ["failed"] * 4
            assert [r.size_bytes for r in lost.requests] == received(server)
            await to_end(session.resume())
            told = await sent_calls(session)
        assert [(call.role, call.answered, len(call.requests)) for call in told] == [
            ("debugger", False, 4),
            ("debugger", True, 1),
            ("repairer", True, 1),
        ]
        assert sum(to.size_bytes for to in sent_to(told)) == sum(received(server))


async def test_a_cancelled_call_has_sent_what_it_sent(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, {**HEALS[0], "fault": "stall"}) as server:
        async with workbench.open_session(await created(workbench)) as session:
            run = asyncio.ensure_future(drain(session.resume()))
            async with asyncio.timeout(20):
                while not server.chats:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            (lost,) = await sent_calls(session)
        assert (lost.answered, [r.outcome for r in lost.requests]) == (False, [""])
        assert [r.size_bytes for r in lost.requests] == received(server)


async def test_unreadable_replies_were_asked_for_all_the_same(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    correction = {**HEALS[0], "when": "could not be used"}
    async with served(monkeypatch, correction, {"role": "debugger", "reply": "I cannot say."}, HEALS[1]) as server:
        async with workbench.open_session(await created(workbench)) as session:
            ended = await to_end(session.resume())
            calls = await calls_until(session, ended.snapshot.checkpoint_id)
        assert [[r.size_bytes for r in call.sent] for call in calls] == [[size] for size in received(server)]
        assert [bool(call.degraded) for call in calls] == [True, True, False]


async def test_a_replayed_call_sends_nothing(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same question on a fork is served from the ledger."""
    async with served(monkeypatch, *HEALS) as server:
        async with workbench.open_session(await created(workbench, "review_repairs")) as session:
            asked = await to_review(session.resume())
            await to_review(session.decide(asked.checkpoint_id, review.approve()))
            before = len(server.chats)
            run = next(c for c in await session.timeline() if c.node == "run_suite")
            again = await to_review(session.fork(run.id, {}))
            calls = await calls_until(session, again.checkpoint_id)
            told = await sent_calls(session)
        assert len(server.chats) == before == 2
        last = calls[-1]
        assert (last.replayed, last.sent, last.sent_words) == (True, (), "nothing (replayed)")
        assert [call.words for call in told].count("nothing (replayed)") == 1
        (to,) = sent_to(told)
        assert (to.calls, to.size_bytes) == (2, sum(received(server)))


async def test_a_line_that_is_undone_renamed_and_done_again_keeps_what_it_sent(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def words(session: Session, branch: str) -> list[str]:
        head = (await session.timeline()).branches[branch].head
        return [call.sent_words for call in await calls_until(session, head)]

    async with (
        served(monkeypatch, *HEALS),
        workbench.open_session(await created(workbench, "review_repairs")) as session,
    ):
        await to_repair(session, session.resume())
        before, sums = await words(session, "main"), sent_to(await sent_calls(session))
        assert len(before) == 2 and all("shop.py" in one for one in before)
        await session.branches.undo()
        assert await words(session, "main") == before[:1] and await words(session, "undone-1") == before
        await session.branches.redo()
        assert await words(session, "main") == before
        await session.branches.undo()
        await session.branches.rename("undone-1", "second")
        assert await words(session, "second") == before
        assert sent_to(await sent_calls(session)) == sums


async def test_what_left_for_a_deleted_branch_has_left_all_the_same(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(monkeypatch, *HEALS) as server:
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            await to_end(session.resume())
            ran = next(c.id for c in await session.timeline() if c.node == "run_suite")
            await drain(session.fork(ran, {"afresh": "yes"}, "other"))
            before = sent_to(await sent_calls(session))
            await session.branches.delete("other")
        async with workbench.open_session(session_id) as session:  # the branch is off the disk now
            told = await sent_calls(session)
            calls = await calls_until(session, await session.head("main") or "")
        assert [call.answered for call in told] == [True] * 4
        assert [to.size_bytes for to in sent_to(told)] == [to.size_bytes for to in before] == [sum(received(server))]
        assert [len(call.sent) for call in calls] == [1, 1]


async def test_it_goes_along_with_a_session_that_is_handed_on(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with served(monkeypatch, *HEALS):
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            await to_end(session.resume())
            here = await sent_calls(session)
    packed = tmp_path / "handed.on"
    write_session_file(workbench.store.home / session_id, packed, {}, "")
    other = Workbench(tmp_path / "elsewhere")
    imported = await read_session(SessionStore(tmp_path / "elsewhere"), packed)
    async with other.watch_session(imported.session_id) as session:
        assert await sent_calls(session) == here != []
    await other.aclose()


async def test_a_script_sends_nothing(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS), "full_auto"))
    async with workbench.open_session(session_id) as session:
        await drain(session.resume())
        told = await sent_calls(session)
    assert {call.words for call in told if call.role != "critic"} == {"nothing (a script answered)"}
    assert sent_to(told) == []


def old_session(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions" / SESSION
    folder.mkdir(parents=True)
    (folder / "session.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    return folder


async def test_an_older_session_says_that_it_is_not_recorded(workbench: Workbench, tmp_path: Path) -> None:
    file = old_session(tmp_path) / "session.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("update call set model='ollama:tiny'")
        connection.commit()
    async with workbench.watch_session(SESSION) as session:
        told = await sent_calls(session)
    assert [call.words for call in told] == ["not recorded"] * 5


async def test_a_session_of_the_same_store_without_the_table_opens(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(monkeypatch, *HEALS):
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            await to_end(session.resume())
    with closing(sqlite3.connect(workbench.store.home / session_id / "session.db")) as connection:
        connection.execute("drop table sent")
        connection.commit()
    for opened in (workbench.watch_session(session_id), workbench.open_session(session_id)):
        async with opened as session:
            told: list[SentCall] = await sent_calls(session)
            moments: list[MomentCall] = await calls_until(session, await session.head() or "")
        assert {call.words for call in told} == {call.sent_words for call in moments} == {"not recorded"}


async def test_the_command_tells_it(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(monkeypatch, {**HEALS[0], "fault": 529, "times": 1}, HEALS[1]) as server:
        session_id = await created(workbench)
        async with workbench.open_session(session_id) as session:
            await to_end(session.resume())
    place = ("--sessions", str(workbench.store.home))
    assert await asyncio.to_thread(main, ["sessions", "show", session_id, "--sent", "--json", *place]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(call["role"], call["bytes"], len(call["requests"])) for call in told["calls"]] == [
        ("debugger", sum(received(server)[:2]), 2),
        ("repairer", received(server)[2], 1),
    ]
    (to,) = told["addresses"]
    assert (to["address"], to["calls"], to["requests"], to["bytes"]) == (server.url, 2, 3, sum(received(server)))
    assert [file["path"] for file in to["files"]] == ["shop.py", "test_shop.py"]
    assert await asyncio.to_thread(main, ["sessions", "show", session_id, "--sent", *place]) == 0
    text = capsys.readouterr().out
    assert f"  {server.url}  2 calls, 3 requests, {sum(received(server)):,} bytes" in text.splitlines()
    assert "secret" not in text and max(map(len, text.splitlines())) <= 82
    assert await asyncio.to_thread(main, ["sessions", "show", session_id, "--sent", "--at", "x", *place]) == 2
