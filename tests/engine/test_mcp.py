"""`selfheal mcp` as an agent sees it: the SDK's own client, in memory, over real sessions and the real sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation, ListRootsResult, Root

from selfheal_tui.api.session import Session
from selfheal_tui.cli.mcp import add_arguments, front_of
from selfheal_tui.cli.parser import build_parser
from selfheal_tui.mcp_server.server import HealServer
from selfheal_tui.mcp_server.work import Works
from selfheal_tui.store.sessions import SessionStore
from tests.engine.driving import ANSWERS, BUGGY, TESTS, script

HOSTILE = """
from shop import total


def test_a_screen_is_cleared():
    print("\\x1b[2J\\x1b]0;owned\\x07" + "A" * 100_000)
    assert total([1], 1) == 0, "\\x1b[31m\\u202egnp.exe"


def test_no_discount():
    assert total([1, 2], 0) == 3
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project's folder, in which the server is started."""
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text(BUGGY, "utf-8")
    (folder / "test_shop.py").write_text(TESTS, "utf-8")
    monkeypatch.chdir(folder)
    return folder


def allow(tmp_path: Path, text: str) -> None:
    """Write the user's own settings."""
    file = tmp_path / "config" / "selfheal" / "selfheal.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@asynccontextmanager
async def connected(*words: str, mode: str = "legacy", roots: list[Path] | None = None) -> AsyncIterator[Client]:
    """Connect a client to a server that was started with these words."""
    parser = build_parser("selfheal mcp", "")
    add_arguments(parser)
    server = HealServer(front_of(parser.parse_args([*words])), Works())

    async def list_roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in roots or ()])  # type: ignore[arg-type]

    info = Implementation(name="a \x1b[1mrobot", version="1")
    asked = list_roots if roots is not None else None
    async with Client(server, mode=mode, client_info=info, list_roots_callback=asked) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that has to work; return what it tells."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content == json.loads(text_of(result))
    return result.structured_content or {}


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that has to refuse; return its sentence."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, text_of(result)
    return text_of(result)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_what_fails_is_told_without_control_characters_and_at_no_length(project: Path, mode: str) -> None:
    (project / "test_shop.py").write_text(HOSTILE, "utf-8")
    many = "from shop import total\n" + "".join(
        f"def test_{n}():\n    assert total([{n}], 1) == 0\n" for n in range(3, 33)
    )
    (project / "test_many.py").write_text(many, "utf-8")
    messages: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message)

    async with connected(mode=mode) as client:
        result = await client.call_tool("run_tests", {}, progress_callback=hear)
        report, text = result.structured_content or {}, text_of(result)
        one = await told(client, "run_tests", tests=["test_shop.py::test_a_screen_is_cleared"])
    assert (report["verdict"], report["passed"], report["failed"], len(report["cases"])) == ("failed", 1, 31, 10)
    assert report["not_shown"][0] == "21 failing cases more: run_tests with tests=[its id]"
    assert len(text) < 20_000 and messages and "cases have run" in str(messages)
    (case,) = one["cases"]
    assert (
        case["id"].endswith("test_a_screen_is_cleared") and case["location"] and "characters left out" in case["output"]
    )
    assert not {"\x1b", "\u202e", "\x07"} & set(str(report) + str(one)), "what would move a cursor or reorder text"


async def test_suspicious_lines_have_scores_and_what_edits_there_do(project: Path) -> None:
    async with connected() as client:
        found = await told(client, "localise")
        assert found["places"][0] == {"line": "shop.py:6", "why": "`+` becomes `-`: every case passes"}
        assert {"path", "line", "score", "why", "source"} <= found["suspicious_lines"][0].keys()
        assert found["tests"]["failing"] == ["test_shop.py::test_discount"]
        (project / "shop.py").write_text(BUGGY.replace("amount + discount", "amount - discount"), "utf-8")
        assert (await told(client, "localise"))["outcome"] == "nothing_to_heal"


async def test_repairs_are_found_without_a_session_and_without_a_change_on_disk(project: Path, tmp_path: Path) -> None:
    allow(tmp_path, "model: anthropic:claude-x\n")  # which has no key here: it must not be asked
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    async with connected() as client:
        found = await told(client, "search_repairs")
    first = found["candidates"][0]
    assert (first["fixes"], first["breaks"], first["with_it"]) == (
        ["test_shop.py::test_discount"],
        [],
        "2 of 2 cases pass",
    )
    assert "+    return amount - discount" in first["diff"] and first["confidence"] > 0.5
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before
    assert not (tmp_path / "sessions").exists()


async def test_a_question_is_the_humans_until_their_own_settings_let_agents_answer(
    project: Path, tmp_path: Path
) -> None:
    (project / "selfheal.yaml").write_text("agent_decides: true\nautonomy: full_auto\n", "utf-8")
    async with connected() as client:
        asked = await told(client, "heal")
        session, question = asked["session_id"], asked["review"]
        assert (asked["outcome"], question["kind"]) == ("waiting", "diagnosis")
        answer = {"session": session, "checkpoint_id": question["checkpoint_id"], "verdict": "approve"}
        refused = await refusal(client, "decide", **answer)
        assert refused.endswith(f"The human runs: selfheal sessions decide {session} approve")
        assert "config/selfheal/selfheal.yaml" in refused and str(project) not in refused
        allow(tmp_path, "agent_decides: true\n")
        repair = await told(client, "decide", **answer)
        assert repair["review"]["kind"] == "repair"
        assert "No question waits" in await refusal(client, "decide", **answer), "an old question is no agent's"
        answer["checkpoint_id"] = repair["review"]["checkpoint_id"]
        assert "either `answer` or `changes`" in await refusal(client, "decide", **{**answer, "verdict": "edit"})
        healed = await told(client, "decide", **{**answer, "pick": "1", "note": "the sign"})
        assert healed["outcome"] == "healed" and "+    return amount - discount" in healed["diff"]
        assert healed["next_for_the_human"].startswith(f"selfheal sessions apply {session}")
        story = text_of(await client.call_tool("session", {"session": session, "part": "story"}))
        assert "approved by agent a robot" in story, "nobody takes it for the human's answer"
        read = await client.read_resource(f"selfheal://sessions/{session}/diff")
        assert "+    return amount - discount" in str(read.contents[0])
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert f"selfheal://sessions/{session}/report" in listed
    assert (project / "shop.py").read_text("utf-8") == BUGGY


async def test_a_budget_is_raised_by_the_human_alone(project: Path, tmp_path: Path) -> None:
    allow(tmp_path, "agent_decides: true\n")
    model = script(tmp_path / "replies.yaml", *ANSWERS)
    async with connected("--model", model, "--max-tokens", "1") as client:
        asked = await told(client, "heal")
        while asked["review"]["kind"] != "budget":
            of = {"session": asked["session_id"], "checkpoint_id": asked["review"]["checkpoint_id"]}
            asked = await told(client, "decide", **of, verdict="approve")
        of = {"session": asked["session_id"], "checkpoint_id": asked["review"]["checkpoint_id"]}
        assert "the human's to give" in await refusal(client, "decide", **of, verdict="approve")
        assert (await told(client, "decide", **of, verdict="stop"))["outcome"] in ("stopped", "budget")


async def test_full_autonomy_counts_from_the_users_own_file(project: Path, tmp_path: Path) -> None:
    allow(tmp_path, "autonomy: full_auto\n")
    async with connected("--model", script(tmp_path / "replies.yaml", *ANSWERS)) as client:
        assert (await told(client, "heal", wrong=["total([9], 1) == 8"]))["outcome"] == "healed"


@pytest.mark.usefixtures("searches_anew")
async def test_a_cancelled_session_is_kept_and_goes_on(project: Path) -> None:
    begun = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        if message and not message.startswith("session "):
            begun.set()

    async with connected() as client:
        call = asyncio.create_task(client.call_tool("heal", {}, progress_callback=hear))
        await asyncio.wait_for(begun.wait(), 60)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        (row,) = (await told(client, "session"))["sessions"]
        went_on = await told(client, "resume", session=row["session_id"])
        assert went_on["review"]["kind"] == "diagnosis"
        status = await told(client, "session", session=row["session_id"])
        assert status["waiting_for"] == "diagnosis" and "driven_by" not in status


@pytest.mark.parametrize("path", ["/etc", "..", "../shop.txt", "link", "no.py", "", "a\0b", "x" * 5000])
async def test_a_path_beyond_the_folder_or_none_at_all_is_refused_in_a_sentence(project: Path, path: str) -> None:
    (project.parent / "shop.txt").write_text("secret", "utf-8")
    (project / "link").symlink_to(project.parent)
    async with connected() as client:
        for tool, arguments in (("run_tests", {"paths": [path]}), ("heal", {"tests": [f"{path}::test_x"]})):
            sentence = await refusal(client, tool, **arguments)
            assert "secret" not in sentence and "Error executing" not in sentence and len(sentence) < 6000


async def test_a_project_that_begins_above_the_folder_is_not_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pyproject.toml").write_text("", "utf-8")
    (project / "part").mkdir()
    (project / "part" / "test_part.py").write_text("from shop import total\ndef test_a(): assert total([1], 1) == 0\n")
    (project / "part" / "other.py").write_text("import shop\n")
    monkeypatch.chdir(project / "part")
    monkeypatch.syspath_prepend(str(project))
    async with connected() as client:
        sentence = await refusal(client, "run_tests", paths=["other.py"], tests=["test_part.py", "../test_shop.py"])
        assert "lies beyond" in sentence


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_with_roots_reaches_these_and_nothing_else(project: Path, tmp_path: Path, mode: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "shop.py").write_text(BUGGY, "utf-8")
    (other / "test_shop.py").write_text(TESTS, "utf-8")
    async with connected(mode=mode, roots=[other]) as client:
        assert (await told(client, "run_tests"))["failed"] == 1
        assert "lies beyond" in await refusal(client, "run_tests", paths=[str(project)])


async def test_sessions_of_other_folders_are_not_there(project: Path, tmp_path: Path, monkeypatch: Any) -> None:
    async with connected() as client:
        session = (await told(client, "heal"))["session_id"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    async with connected() as client:
        assert (await told(client, "session"))["sessions"] == []
        for tool in ("session", "resume"):
            assert "no session" in await refusal(client, tool, session=session)
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError, match="no session"):
            await client.read_resource(f"selfheal://sessions/{session}/report")
    assert SessionStore(tmp_path / "sessions").row(session).waiting_for == "diagnosis"
    assert Session.open(tmp_path / "sessions" / session).decisions() == ()


async def test_a_long_part_comes_in_pages(project: Path, tmp_path: Path) -> None:
    (project / "test_shop.py").write_text(
        TESTS.replace("    assert total([7", "    print('é' * 40_000)\n    assert total([7")
    )
    model = script(tmp_path / "replies.yaml", *ANSWERS)
    async with connected("--model", model) as client:
        session = (await told(client, "heal"))["session_id"]
        whole, offset = "", 0
        while True:
            page = text_of(await client.call_tool("session", {"session": session, "part": "report", "offset": offset}))
            text, mark, rest = page.rpartition("\n[")
            if not (mark and "characters more: offset=" in rest):
                whole += page
                break
            whole, offset = whole + text, int(rest.rpartition("=")[2].rstrip("]"))
        assert len(json.loads(whole)["cases"]) == 2 and offset > 0
        assert "There is no character" in await refusal(client, "session", session=session, part="report", offset=10**9)


async def test_settings_of_the_folder_that_do_not_count_are_told(project: Path) -> None:
    (project / "selfheal.yaml").write_text("python: .venv/bin/python\nallow_network: true\n", "utf-8")
    async with connected() as client:
        report = await told(client, "run_tests")
    assert any("allow_network = true" in line for line in report["settings_left_out"])
    assert report["settings_left_out"][-1].endswith("selfheal config --trust")
