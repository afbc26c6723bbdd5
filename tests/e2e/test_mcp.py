"""The real `selfheal mcp` over stdin and stdout: only the protocol is on stdout, and nothing is left when it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from selfheal_tui.store.sessions import SessionStore
from tests.engine.driving import BUGGY, TESTS
from tests.processes import descendants

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90.0
SERVE = [sys.executable, "-m", "selfheal_tui", "mcp"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text("print('imported')\n" + BUGGY, "utf-8")
    (folder / "test_shop.py").write_text(TESTS, "utf-8")
    return folder


def environment(project: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "SELFHEAL_SESSIONS": str(project.parent / "sessions")}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_agent_heals_until_the_humans_question_over_stdio(project: Path, mode: str) -> None:
    server = StdioServerParameters(command=SERVE[0], args=SERVE[1:], cwd=project, env=environment(project))
    async with asyncio.timeout(PATIENCE_S), Client(server, mode=mode) as client:
        report = await client.call_tool("run_tests", {})
        assert (report.structured_content or {})["failed"] == 1
        asked = (await client.call_tool("heal", {})).structured_content or {}
        assert asked["review"]["kind"] == "diagnosis"
        read = await client.read_resource(f"selfheal://sessions/{asked['session_id']}/report")
        assert "test_discount" in str(read.contents[0])
    assert (project / "shop.py").read_text("utf-8").endswith(BUGGY)


async def test_a_signal_ends_what_is_in_flight_and_the_session_stays(project: Path) -> None:
    (project / "test_shop.py").write_text(TESTS + "\n\ndef test_slow():\n    while True:\n        pass\n", "utf-8")
    process = await asyncio.create_subprocess_exec(
        *SERVE, stdin=-1, stdout=-1, stderr=-1, cwd=project, env={**environment(project), "SELFHEAL_CASE_TIME_S": "25"}
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None

    def send(method: str, number: int | None = None, **params: Any) -> None:
        assert process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        process.stdin.write(json.dumps(message | ({"id": number} if number else {})).encode() + b"\n")

    async with asyncio.timeout(PATIENCE_S):
        info = {"name": "test", "version": "1"}
        send("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        assert json.loads(await process.stdout.readline())["id"] == 1
        send("notifications/initialized")
        send("tools/call", 2, name="heal", arguments={}, _meta={"progressToken": "p"})
        while "running the tests" not in json.loads(await process.stdout.readline())["params"]["message"]:
            pass
        below = descendants(process.pid)
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 128 + signal.SIGTERM
        assert "Traceback" not in (await process.stderr.read()).decode()
        while any(Path(f"/proc/{one}").exists() for one in below):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    (row,) = SessionStore(project.parent / "sessions").rows()
    assert row.driver == ""
