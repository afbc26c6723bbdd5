"""The whole loop through each vendor's SDK, against a local server that speaks its protocol; keys are in nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.task.demos import load_demo
from tests.e2e import killed_runs
from tests.e2e.forked_commands import Ended, run_command
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


async def _run(server: WireServer, folder: Path, *words: str) -> Ended:
    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    environment = {**os.environ, **server.environment(KEY), "QWEN_BASE_URL": f"{server.url}/v1"}
    environment["DASHSCOPE_API_KEY"] = KEY
    argv = ["fix", "shop.py", "--sessions", "runs", *words]
    return await run_command(argv, environment, folder / "stdout", folder=folder)


@pytest.mark.parametrize("provider", MODELS)
async def test_a_program_is_healed_through_it(provider: str, tmp_path: Path) -> None:
    async with WireServer(_script()) as server:
        done = await _run(server, tmp_path, "--model", f"{provider}:tiny", "--autonomy", "full_auto", "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["outcome"] == "healed" and result["spent"]["calls"] == 2
    assert "Asks again in" in done.err
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in text for text in [*written, done.out.encode(), done.err.encode()])


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
        assert done.code == 0, done.err
        paths = {recorded.path for recorded in server.chats}
    assert paths == {"/v1/messages", "/api/chat"}


def _only(provider: str, server: WireServer) -> dict[str, str]:
    """Return an environment with the address and the key of one provider, and of no other."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL", "_HOST"))}
    names = {
        "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
        "ollama": ("OLLAMA_HOST",),
        "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
        "qwen": ("QWEN_BASE_URL", "DASHSCOPE_API_KEY"),
    }[provider]
    told = server.environment(KEY)
    return {**kept, **{name: told[name] for name in names}}


async def _selfheal(folder: Path, environment: dict[str, str], *words: str) -> dict[str, Any]:
    """Run a command to its end, headless and in full autonomy; return its result."""
    argv = [*words, "--autonomy", "full_auto", "--json", "--sessions", "runs"]
    done = await run_command(argv, environment, folder / "stdout", folder=folder)
    assert done.code == 0, done.err
    result: dict[str, Any] = json.loads(done.out)
    return result


@pytest.mark.parametrize("provider", sorted(set(MODELS) - {"qwen"}))  # the same code as openai
async def test_new_writes_tests_and_code_and_heals_it_with_one_address_and_key(provider: str, tmp_path: Path) -> None:
    async with WireServer(killed_runs.script()) as server:
        result = await _selfheal(
            tmp_path, _only(provider, server), "new", killed_runs.SPEC, "--model", f"{provider}:tiny"
        )
        roles = [recorded.role for recorded in server.chats]
    assert (result["outcome"], result["files"]) == ("healed", {"solution.py": killed_runs.RIGHT})
    assert result["spent"]["calls"] == killed_runs.CALLS
    # The server knows no adversary and no critic: the loop goes on without them.
    loop = ["debugger", "repairer"]
    known = [role for role in roles if role not in ("adversary", "critic")]
    assert known == ["spec_tester", "generator", "generator", *loop, *loop]
    assert {"adversary", "critic"} < set(roles)


@pytest.mark.parametrize("provider", sorted(set(MODELS) - {"qwen"}))  # the same code as openai
async def test_demo_takes_the_model_that_is_there(provider: str, tmp_path: Path) -> None:
    """`auto` finds the one address and key of the environment."""
    task = load_demo("intervals")
    source = task.files["intervals.py"]
    mended = source.replace("start < blocks[-1][1]", "start <= blocks[-1][1]")
    assert mended != source
    script = Script.of(
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}},
        {"role": "repairer", "reply": {"summary": "Join.", "files": [{"path": "intervals.py", "text": mended}]}},
    )
    async with WireServer(script) as server:
        result = await _selfheal(tmp_path, _only(provider, server), "demo", "--model", "auto")
        vendors = {recorded.vendor for recorded in server.chats}
    assert (result["outcome"], result["files"]["intervals.py"]) == ("healed", mended)
    assert result["spent"]["calls"] == 2
    assert vendors == {"openai" if provider == "qwen" else provider}


async def test_one_writes_and_another_finds_the_cause(tmp_path: Path) -> None:
    async with WireServer(killed_runs.script()) as server:
        models = ("--model", "ollama:tiny", "--model", "debugger=anthropic:tiny")
        environment = {**_only("ollama", server), **_only("anthropic", server)}
        result = await _selfheal(tmp_path, environment, "new", killed_runs.SPEC, *models)
        asked = {(recorded.role, recorded.vendor) for recorded in server.chats}
    assert result["outcome"] == "healed"
    others = {(role, "ollama") for role in ("spec_tester", "generator", "adversary", "repairer", "critic")}
    assert asked == {("debugger", "anthropic"), *others}


async def test_a_wrong_key_is_one_sentence_and_can_be_resumed(tmp_path: Path) -> None:
    script = Script.of({"fault": 401}, models=["tiny"])
    async with WireServer(script) as server:
        done = await _run(server, tmp_path, "--model", "anthropic:tiny", "--autonomy", "full_auto", "--headless")
    assert done.code == 4
    assert KEY not in done.out + done.err and "Traceback" not in done.err


async def test_models_are_listed_and_pulled_from_the_command_line(tmp_path: Path) -> None:
    script = Script.of(models=["tiny"], sizes={"tiny": 1024**3}, pulls={"new:8b": {}, "full": {"fault": "disk_full"}})

    async def selfheal(server: WireServer, *words: str) -> Ended:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            "OLLAMA_HOST": server.url, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url,
        }  # fmt: skip
        return await run_command(["models", *words], environment, tmp_path / "stdout", folder=tmp_path)

    async with WireServer(script) as server:
        listed, pulled, full, none = [
            await selfheal(server, *words)
            for words in (["--json"], ["pull", "new:8b"], ["pull", "full"], ["pull", "search"])
        ]
        table = await selfheal(server)
    models = {one["model"]: one for one in json.loads(listed.out)["models"]}
    assert list(models) == ["search", "anthropic:tiny", "ollama:tiny"] and not listed.err
    assert models["ollama:tiny"] == {
        "model": "ollama:tiny", "context_tokens": 32768, "output_tokens": None, "input_usd": 0.0, "output_usd": 0.0,
        "thinks": False, "efforts": [], "ends": None, "has_ended": False, "size_bytes": 1024**3,
        "fits": models["ollama:tiny"]["fits"], "here": models["ollama:tiny"]["here"],
    }  # fmt: skip
    assert pulled.code == 0 and "new:8b is there" in pulled.out
    assert "new:8b: pulling manifest" in pulled.err and "\x1b" not in pulled.err
    assert full.code == 4 and full.err.splitlines()[-1].endswith("goes on where it stopped.")
    assert none.code == 2 and "cannot be pulled" in none.err
    assert table.out.splitlines()[0].endswith("NOTES")
    assert "ollama:new:8b" in table.out and "OPENAI_API_KEY" in table.out
    assert not any(KEY in done.out + done.err for done in (listed, pulled, full, none, table))
