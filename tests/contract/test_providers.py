"""Every provider keeps one contract; the vendors' real SDK clients talk to a local server in their own protocols."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.base import Departure, TextDelta, Usage
from selfheal_tui.llm.prices import priced
from selfheal_tui.llm.registry import open_provider
from selfheal_tui.plugins.testing.providers import OF_OPENED
from tests.wire.rig import KEY, WIRED, Rig, clean, request, rig, scripted_rig, until

ANSWER = '{\n "cause": "naïve ✓ 😀 {}\\n\\u0041",\n "lines": [3, 14]\n}'
OPEN = ("anthropic", "ollama", "openai", "qwen", "scripted")

Open = Callable[..., AbstractAsyncContextManager[Rig]]


@pytest.fixture(params=OPEN)
def any_rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Open:
    """Open each provider in turn."""
    if request.param == "scripted":
        return lambda *entries: scripted_rig(tmp_path, *entries)
    return lambda *entries, **script: rig(request.param, monkeypatch, *entries, **script)


@pytest.mark.parametrize("name", OF_OPENED)
async def test_it_keeps_what_plug_ins_promise(name: str, any_rig: Open) -> None:
    async with any_rig({"role": "debugger", "reply": ANSWER}) as opened:
        await OF_OPENED[name](opened.provider)


async def test_usage_and_pieces_are_those_of_the_model(any_rig: Open) -> None:
    used = {"input_tokens": 100, "output_tokens": 7}
    async with any_rig({"role": "debugger", "reply": ANSWER, "usage": used}) as opened:
        done = await opened.ask()
    assert len(opened.pieces) > 1 and done.text == ANSWER
    assert (done.stop_reason, done.usage.input_tokens, done.usage.output_tokens) == ("end", 100, 7)
    assert not done.usage.estimated


async def test_entry_is_found_by_role_and_content(any_rig: Open) -> None:
    entries = (
        {"role": "repairer", "reply": "wrong role"},
        {"role": "debugger", "when": ["ZeroDivisionError"], "reply": "wrong content"},
        {"role": "debugger", "reply": "right"},
    )
    async with any_rig(*entries) as opened:
        assert (await opened.ask()).text == "right"
        assert (await opened.ask(request("It says ZeroDivisionError."))).text == "wrong content"


async def test_calls_side_by_side_do_not_mix(any_rig: Open) -> None:
    entries = [{"role": "debugger", "when": [f"number {n}."], "reply": f"answer {n} " * 30} for n in range(6)]
    async with any_rig(*entries) as opened:
        calls = [Rig(opened.provider).ask(request(f"number {n}.")) for n in range(6)]
        replies = await asyncio.gather(*calls)
    assert [reply.text for reply in replies] == [f"answer {n} " * 30 for n in range(6)]


@pytest.fixture(params=WIRED)
def wired(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open each provider that talks to a server."""
    return lambda *entries, **script: rig(request.param, monkeypatch, *entries, **script)


async def test_cut_at_max_tokens_is_length(wired: Open) -> None:
    async with wired({"reply": '{"cause": "half', "stop": "length"}) as opened:
        done = await opened.ask(request(max_tokens=300))
    assert (done.stop_reason, done.text) == ("length", '{"cause": "half')


async def test_length_without_text_is_no_fault(wired: Open) -> None:
    async with wired({"reply": "", "thinking": "Hm. " * 50, "stop": "length"}) as opened:
        done = await opened.ask()
    assert (done.stop_reason, done.text, opened.pieces) == ("length", "", [])


@pytest.mark.parametrize("name", ["anthropic", "openai"])
async def test_refusal_is_a_stop_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"fault": "refusal"}) as opened:
        done = await opened.ask()
    assert (done.stop_reason, done.text) == ("refusal", "I cannot help with that.")
    assert done.why in ("Against the rules.", "I cannot help with that.")


@pytest.mark.parametrize("chunk_bytes", [1, 3, 7])
async def test_characters_split_across_chunks_stay_whole(wired: Open, chunk_bytes: int) -> None:
    async with wired({"reply": ANSWER, "chunk_bytes": chunk_bytes, "piece": 5}) as opened:
        assert (await opened.ask()).text == ANSWER


async def test_thinking_is_no_part_of_the_reply(wired: Open) -> None:
    async with wired({"reply": ANSWER, "thinking": '{"cause": "a thought"}'}) as opened:
        assert (await opened.ask()).text == ANSWER


@pytest.mark.parametrize("name", ["ollama", "openai"])
@pytest.mark.parametrize("piece", [1, 4, 500])
async def test_think_block_in_the_text_is_taken_out(name: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = '\n<think>Is it {"cause": "x"}? </thin</think>\n\n{"cause": "<think> is kept", "lines": []}'
    async with rig(name, monkeypatch, {"reply": reply, "piece": piece}) as opened:
        assert (await opened.ask()).text == '{"cause": "<think> is kept", "lines": []}'


async def test_unknown_events_are_ignored(wired: Open) -> None:
    async with wired({"reply": ANSWER, "fault": "unknown_event_types"}) as opened:
        assert (await opened.ask()).text == ANSWER


@pytest.mark.parametrize("fault", ["never_ends", "reset_at_end"])
async def test_whole_reply_counts_whatever_becomes_of_the_connection(
    wired: Open, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfheal_tui.llm.sdk._LINGER_S", 0.1)
    used = {"input_tokens": 100, "output_tokens": 7}
    async with wired({"reply": ANSWER, "usage": used, "fault": fault}) as opened:
        done = await opened.ask()
    assert (done.text, done.usage.input_tokens, done.usage.output_tokens) == (ANSWER, 100, 7)


async def test_usage_that_is_not_told_is_marked_as_a_guess(wired: Open) -> None:
    async with wired({"reply": ANSWER, "fault": "no_usage"}) as opened:
        usage = (await opened.ask()).usage
    assert usage.estimated and usage.input_tokens > 10 and usage.output_tokens == -(-len(ANSWER) // 4)


@pytest.mark.parametrize(("name", "cached"), [("anthropic", 40), ("openai", 40), ("ollama", 0)])
async def test_cached_tokens_are_part_of_the_input(name: str, cached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"input_tokens": 100, "output_tokens": 7, "cached_tokens": 40}
    async with rig(name, monkeypatch, {"reply": ANSWER, "usage": used}) as opened:
        assert (await opened.ask()).usage == Usage(100, 7, None, cached)


async def test_anthropic_tells_apart_what_was_read_from_its_cache_and_written_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = {"input_tokens": 1000, "output_tokens": 50, "cached_tokens": 100, "cache_write_tokens": 200}
    async with rig("anthropic", monkeypatch, {"reply": ANSWER, "usage": used}) as opened:
        usage = (await opened.ask()).usage
    assert usage == Usage(1000, 50, None, 100, 200)
    cost_usd = priced("anthropic", "claude-sonnet-4-5", usage).cost_usd
    assert cost_usd == pytest.approx((700 * 3 + 100 * 0.3 + 200 * 3.75 + 50 * 15) / 1e6)


@pytest.mark.parametrize("fault", ["stall", {"stall_at": 900}])
async def test_cancelling_closes_the_connection(wired: Open, fault: Any) -> None:
    async with wired({"reply": ANSWER * 50, "fault": fault}) as opened:
        assert opened.server is not None
        running = asyncio.ensure_future(opened.ask())
        await until(lambda: bool(opened.server and opened.server.chats and (fault == "stall" or opened.pieces)))
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()
        await asyncio.wait_for(opened.server.chats[0].disconnected.wait(), 5)
        # The next call on the same provider is none the worse for it.
        opened.server.script.entries[0].fault = None
        assert (await opened.ask()).text == ANSWER * 50
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_closing_the_stream_closes_the_connection(wired: Open) -> None:
    async with wired({"reply": ANSWER * 50, "fault": {"stall_at": 900}}) as opened:
        assert opened.server is not None
        async with aclosing(opened.provider.stream(request())) as parts:  # type: ignore[type-var]
            assert isinstance(await anext(parts), Departure)
            assert isinstance(await anext(parts), TextDelta)
        await asyncio.wait_for(opened.server.chats[0].disconnected.wait(), 5)
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_the_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("anthropic", "openai", "qwen"):
        async with rig(name, monkeypatch, {"reply": ANSWER}, key="") as opened:
            await opened.ask()
            assert opened.server is not None and opened.server.requests[0].key == KEY


async def test_anthropic_takes_a_gateways_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("anthropic", monkeypatch, {"reply": ANSWER}, key="gateway-token-1") as opened:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "gateway-token-1")
        provider = open_provider("anthropic:tiny")
        assert (await Rig(provider, opened.server).ask()).text == ANSWER
        await provider.aclose()


async def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER}, key="") as opened:
        monkeypatch.delenv("OPENAI_API_KEY")
        provider = open_provider("openai:tiny")
        assert (await Rig(provider, opened.server).ask()).text == ANSWER
        await provider.aclose()


# What is missing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variable"),
    [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY"), ("qwen", "DASHSCOPE_API_KEY")],
)
def test_missing_key_is_named(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    with pytest.raises(SettingsError, match=f"needs a key and {variable} is not set") as caught:
        open_provider(f"{name}:tiny")
    assert variable in caught.value.hint
    monkeypatch.setenv(variable, "sk-secret\nexport OTHER=1")
    with pytest.raises(SettingsError, match=f"{variable} holds characters that a key cannot have") as caught:
        open_provider(f"{name}:tiny")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "package", "remedy"),
    [
        ("openai", "openai", "pip install 'selfheal-tui[openai]'"),
        ("qwen", "openai", "pip install 'selfheal-tui[openai]'"),
        ("anthropic", "anthropic", "pip install anthropic"),
        ("ollama", "ollama", "pip install ollama"),
    ],
)
def test_missing_package_is_named(name: str, package: str, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    with monkeypatch.context() as patched, pytest.raises(SettingsError) as caught:
        patched.setattr(importlib.util, "find_spec", lambda n, *rest: None if n == package else real(n, *rest))
        open_provider(f"{name}:tiny")
    assert caught.value.message == f"The {package} package is not installed."
    assert remedy in caught.value.hint


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://box", "http://", "http://box:x", "http://u:pw@"])
def test_wrong_address_is_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL is not a web address") as caught:
        open_provider("openai:tiny")
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["nonsense://me:pw@box:1", "socks5://me:pw@box:1"])
def test_unusable_proxy_is_named(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://box/v1")
    if importlib.util.find_spec("socksio") is not None and proxy.startswith("socks"):
        pytest.skip("SOCKS proxies can be used here")
    for model in ("anthropic:tiny", "openai:tiny"):
        with pytest.raises(SettingsError, match="ALL_PROXY names") as caught:
            open_provider(model)
        assert "pw" not in str(caught.value)
    open_provider("ollama:tiny")  # on this machine: behind no proxy


def test_opening_imports_no_sdk() -> None:
    import subprocess
    import sys

    code = (
        "import os, sys; os.environ.update(ANTHROPIC_API_KEY='k'*20, OPENAI_API_KEY='k'*20)\n"
        "from selfheal_tui.llm.registry import open_provider\n"
        "for name in ('anthropic', 'ollama', 'openai'): open_provider(name + ':m')\n"
        "print([m for m in ('anthropic', 'ollama', 'openai', 'httpx', 'httpx2', 'pydantic') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
