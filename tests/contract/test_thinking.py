"""Models that think: they get room for it, are told how much, show it, and every token of it is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.llm.base import Notice, Usage
from selfheal_tui.llm.faults import ConnectionFailed
from selfheal_tui.llm.openai import OpenAIProvider
from selfheal_tui.llm.service import Service
from tests.wire.rig import FAST, KEY, WIRED, Rig, request, rig

ANSWER = '{"cause": "The discount is added.", "lines": [6]}'
THOUGHTS = "Let me see. " * 20


@pytest.mark.parametrize("name", WIRED)
async def test_what_a_model_thinks_is_shown_and_no_part_of_the_reply(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"reply": ANSWER, "thinking": THOUGHTS, "thinking_tokens": 5000}
    async with rig(name, monkeypatch, entry, thinks=True) as opened:
        done = await opened.ask(request(max_tokens=1000))
    assert "".join(opened.thoughts) == THOUGHTS and (done.text, done.stop_reason) == (ANSWER, "end")
    assert done.usage.output_tokens == 5000 + len(ANSWER) // 4, "thinking is paid for"
    assert done.usage.thinking_tokens == (0 if name == "ollama" else 5000)


@pytest.mark.parametrize("name", ["ollama", "openai"])
@pytest.mark.parametrize("piece", [1, 7, 500])
async def test_thinking_in_the_text_is_shown_too(name: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"reply": f"<think>{THOUGHTS}</think>{ANSWER}", "piece": piece}
    async with rig(name, monkeypatch, entry) as opened:
        assert (await opened.ask()).text == ANSWER
    assert "".join(opened.thoughts) == THOUGHTS


@pytest.mark.parametrize("name", WIRED)
async def test_a_cut_reply_gets_twice_the_room_when_it_is_asked_for_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with rig(name, monkeypatch, {"reply": ANSWER, "thinking_tokens": 30_000}, thinks=True) as opened:
        cut = await opened.ask(request(max_tokens=1000))
        whole = await opened.ask(request(max_tokens=1000, wider=True))
    assert (cut.text, cut.stop_reason, cut.usage.output_tokens) == ("", "length", 17_384)
    assert (whole.text, whole.stop_reason) == (ANSWER, "end")


async def test_a_model_that_does_not_think_gets_room_for_its_answer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("anthropic", "ollama"):
        async with rig(name, monkeypatch, {"reply": ANSWER}) as opened:
            await opened.ask(request(max_tokens=1000, effort="high"))
        body: dict[str, Any] = opened.bodies[0]
        assert body.get("max_tokens", body.get("options", {}).get("num_predict")) == 1000
        assert "thinking" not in body and "think" not in body and "effort" not in body.get("output_config", {})


async def test_anthropic_is_told_how_much_to_think_as_far_as_the_model_knows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with rig("anthropic", monkeypatch, {"reply": ANSWER}, thinks=True) as opened:
        for effort in ("", "minimal", "high", "none"):
            await opened.ask(request(max_tokens=1000, effort=effort))
        assert opened.server is not None
        asked = [recorded.path for recorded in opened.server.requests if recorded.method == "GET"]
    assert [body["output_config"].get("effort") for body in opened.bodies] == [None, "low", "high", "low"]
    shown = {"type": "adaptive", "display": "summarized"}
    assert [body.get("thinking") for body in opened.bodies] == [shown, shown, shown, None]
    assert [body["max_tokens"] for body in opened.bodies] == [17_384, 5_096, 33_768, 1_000]
    assert asked == ["/v1/models/tiny"], "what a model can do is asked once"


async def test_openai_and_others_are_told_by_reasoning_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER}) as opened:
        await opened.ask(request(effort="low"))
        await opened.ask(request())
        assert opened.server is not None
        service = Service("OpenAI", f"{opened.server.url}/v1", "OPENAI_BASE_URL", KEY, "OPENAI_API_KEY", is_vendor=True)
        vendor = OpenAIProvider("openai", service)
        for model, effort in (("gpt-6.1-terra", "high"), ("gpt-4.1", "high"), ("gpt-5-chat-latest", "high")):
            await Rig(vendor, opened.server).ask(request(model=model, effort=effort, max_tokens=1000))
        await vendor.aclose()
    assert [body.get("reasoning_effort") for body in opened.bodies] == ["low", None, "high", None, None]
    assert [body["max_completion_tokens"] for body in opened.bodies[2:]] == [33_768, 1000, 1000]


async def test_ollama_is_asked_for_no_grammar_where_the_model_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, thinks=True) as opened:
        await opened.ask(request(model="qwen3:8b"))
        await opened.ask(request(model="qwen3:8b", effort="none"))
        await opened.ask(request(model="gpt-oss:20b", effort="high"))
        await opened.ask(request(model="gpt-oss:20b", effort="max"))
    assert [body.get("format") for body in opened.bodies] == [None] * 4
    assert [body.get("think") for body in opened.bodies] == [None, False, "high", "high"]


async def test_an_answer_that_ollama_files_under_thinking_is_taken_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": "", "thinking": f"So: {ANSWER}"}, thinks=True) as opened:
        assert (await opened.ask()).text == f"So: {ANSWER}"


@pytest.mark.parametrize(("name", "fault"), [
    ("anthropic", "refuse_effort"), ("anthropic", "refuse_thinking"), ("openai", "refuse_effort"),
    ("ollama", "refuse_thinking"),
])  # fmt: skip
async def test_a_server_that_refuses_is_not_told_again(name: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request(effort="high", model="gpt-oss:20b")
    async with rig(name, monkeypatch, {"reply": ANSWER, "fault": fault}, thinks=True) as opened:
        for _ in range(2):
            assert (await opened.ask(asked)).text == ANSWER
    assert len(opened.bodies) == 3


@pytest.mark.parametrize("name", WIRED)
async def test_a_reply_without_text_that_is_counted_is_a_reply(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is paid for: to ask four times, as after a broken connection, would multiply a bill that nobody sees."""
    used = {"input_tokens": 1000, "output_tokens": 300}
    async with rig(name, monkeypatch, {"fault": "silent", "usage": used}) as opened:
        done = await opened.ask()
    assert (done.text, done.stop_reason, done.usage) == ("", "end", Usage(1000, 300))


@pytest.mark.parametrize("name", ["anthropic", "openai"])
async def test_pings_while_a_model_thinks_in_silence_are_signs_of_life(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"reply": ANSWER, "pings": 8, "delay_s": 0.1, "piece": 500}
    limits = replace(FAST, total_s=10.0)
    async with rig(name, monkeypatch, entry, limits=limits) as opened:
        assert (await opened.ask()).text == ANSWER, "0.9 s without text, where 0.3 s without a byte are the limit"


@pytest.mark.parametrize("name", WIRED)
async def test_thinking_that_is_cut_off_is_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"reply": "", "thinking": THOUGHTS, "fault": "no_end"}
    async with rig(name, monkeypatch, entry, thinks=True) as opened:
        with pytest.raises(ConnectionFailed) as caught:
            await opened.ask()
    assert caught.value.usage.output_tokens >= len(THOUGHTS) // 4


async def test_of_a_model_that_ends_the_user_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("anthropic", monkeypatch, {"reply": ANSWER}, ends={"tiny": "2026-11-30"}) as opened:
        notices = []
        for _ in range(2):
            async for part in opened.provider.stream(request()):
                if isinstance(part, Notice):
                    notices.append(part.text)
    assert notices == ["Anthropic offers tiny until 2026-11-30: choose a newer one in time."]
