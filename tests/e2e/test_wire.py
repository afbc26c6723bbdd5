"""The whole loop through each vendor's SDK, against a local server that speaks its protocol; keys are in nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply
from tests.wire.script import Script
from tests.wire.server import WireServer

KEY = "sk-canary-0123456789abcdef"
MODELS = {"anthropic": "tiny", "ollama": "tiny", "openai": "tiny", "qwen": "tiny"}


def _script() -> Script:
    return Script.of(
        {"role": "debugger", "reply": DIAGNOSIS, "fault": 529, "times": 1},
        {"role": "repairer", "reply": repair_reply(FIXED)},
        models=["tiny"],
    )


async def _run(server: WireServer, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    import asyncio

    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    environment = {**os.environ, **server.environment(KEY), "QWEN_BASE_URL": f"{server.url}/v1"}
    environment["DASHSCOPE_API_KEY"] = KEY
    command = [sys.executable, "-m", "selfheal_tui", "fix", "shop.py", "--sessions", "runs", *words]
    return await asyncio.to_thread(
        subprocess.run, command, cwd=folder, env=environment, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.parametrize("provider", MODELS)
async def test_a_program_is_healed_through_it(provider: str, tmp_path: Path) -> None:
    async with WireServer(_script()) as server:
        done = await _run(server, tmp_path, "--model", f"{provider}:tiny", "--autonomy", "full_auto", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["outcome"] == "healed" and result["spent"]["calls"] == 2
    assert "Asks again in" in done.stderr
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in text for text in [*written, done.stdout.encode(), done.stderr.encode()])


async def test_two_providers_share_a_run(tmp_path: Path) -> None:
    async with WireServer(_script()) as server:
        done = await _run(
            server,
            tmp_path,
            "--model",
            "ollama:tiny",
            "--model",
            "debugger=anthropic:tiny",
            "--autonomy",
            "full_auto",
            "--json",
        )
        assert done.returncode == 0, done.stderr
        paths = {recorded.path for recorded in server.chats}
    assert paths == {"/v1/messages", "/api/chat"}


async def test_a_wrong_key_is_one_sentence_and_can_be_resumed(tmp_path: Path) -> None:
    script = Script.of({"fault": 401}, models=["tiny"])
    async with WireServer(script) as server:
        done = await _run(server, tmp_path, "--model", "anthropic:tiny", "--autonomy", "full_auto", "--headless")
    assert done.returncode == 4
    assert KEY not in done.stdout + done.stderr and "Traceback" not in done.stderr
