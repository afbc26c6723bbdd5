"""Ollama's models, at the wire: taking turns, where they run, what is installed, what can be used, pulls."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from selfheal_tui.llm import auto, ollama_models
from selfheal_tui.llm.faults import BadAnswer, ConnectionFailed, ModelMissing, ProviderFault, ServerFailed
from selfheal_tui.llm.machine import Memory
from selfheal_tui.llm.model_list import ListedModel, list_models
from selfheal_tui.llm.pull import GOES_ON, PullProgress, pull
from selfheal_tui.llm.time_limits import TimeLimits
from tests.wire.rig import KEY, Rig, clean, open_with, rig, until
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

ANSWER = '{"cause": "The discount is added.", "lines": [6]}'
GB = 1024**3


@asynccontextmanager
async def _ollama(monkeypatch: pytest.MonkeyPatch, **script: Any) -> AsyncIterator[WireServer]:
    """Serve as an Ollama that OLLAMA_HOST names, and as nothing else."""
    clean(monkeypatch)
    async with WireServer(Script.of({"reply": ANSWER}, **script)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


# turns ----------------------------------------------------------------------------------------------------------


async def _most_at_once(opened: Rig, calls: int) -> int:
    """Ask several times side by side, through two providers; return how many requests were ever under way together."""
    assert opened.server is not None
    other = Rig(open_with("ollama", opened.provider.limits), opened.server)  # type: ignore[attr-defined]
    under_way: set[int] = set()
    most = 0

    async def watch(recorded: Recorded, share: float) -> None:
        nonlocal most
        under_way.add(id(recorded))
        most = max(most, len(under_way))
        if share == 1.0:
            under_way.remove(id(recorded))

    opened.server.watch = watch
    try:
        asking = (Rig(one.provider, opened.server) for one in [opened, other] * (calls // 2))
        replies = await asyncio.gather(*(one.ask() for one in asking))
    finally:
        await other.provider.aclose()
    assert [reply.text for reply in replies] == [ANSWER] * calls
    return most


async def test_calls_take_turns_where_one_slot_serves_and_no_time_limit_runs_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each reply takes 0.4 s, so the fourth ends 1.6 s after it was asked for, and the limit is 1.3 s.
    entry = {"reply": ANSWER, "piece": 14, "delay_s": 0.1}
    limits = TimeLimits(connect_s=2.0, first_s=1.0, piece_s=1.0, total_s=1.3)
    async with rig("ollama", monkeypatch, entry, limits=limits) as opened:
        assert await _most_at_once(opened, 4) == 1


async def test_the_environment_says_how_many_slots_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER, "piece": 20, "delay_s": 0.02}) as opened:
        monkeypatch.setenv("OLLAMA_NUM_PARALLEL", "2")
        assert await _most_at_once(opened, 4) == 2


async def test_waiting_for_a_turn_is_told_once_and_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER, "fault": "stall", "times": 1}) as opened:
        first = asyncio.create_task(opened.ask())
        assert opened.server is not None
        await until(lambda: bool(opened.bodies))
        waiting = [Rig(opened.provider, opened.server) for _ in range(3)]
        tasks = [asyncio.create_task(one.ask()) for one in waiting]
        await until(lambda: any(one.notices for one in waiting))
        tasks[0].cancel()
        first.cancel()
        assert (await tasks[1]).text == (await tasks[2]).text == ANSWER
    notices = [words for one in waiting for words in one.notices]
    assert len(notices) == 1 and "answers 1 request at a time" in notices[0] and "OLLAMA_NUM_PARALLEL" in notices[0]
    assert len(opened.bodies) == 3, "the cancelled one never asked"


# where a model runs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("vram", "words"), [
    (3 * GB, ["40 % of tiny on the processor", "5.0 GB with its context of 16,384 tokens, and 3.0 GB"]),
    (0, ["tiny on the processor alone", "smaller model"]),
    (None, []),
])  # fmt: skip
async def test_a_model_that_spills_to_the_processor_is_told_once(
    vram: int | None, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = {"sizes": {"tiny": 5 * GB}, "vram": vram}
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, **script) as opened:
        for _ in range(2):
            assert (await opened.ask()).text == ANSWER
    assert len(opened.notices) == bool(words)
    assert all(word in opened.notices[0] for word in words)


async def test_an_empty_reply_is_the_model_s_and_not_the_address_s(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER, "fault": "empty"}) as opened:
        with pytest.raises(BadAnswer, match="sent an empty reply") as caught:
            await opened.ask()
    assert "The model wrote nothing" in caught.value.hint and "OLLAMA_HOST" not in caught.value.hint


# what is installed ----------------------------------------------------------------------------------------------


async def test_installed_models_are_described_and_those_for_embeddings_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"small": 2 * GB, "large": 20 * GB, "huge": 90 * GB}
    script: dict[str, Any] = {"models": [*sizes, "mxbai-embed"], "sizes": sizes, "context_length": 40_960}
    async with _ollama(monkeypatch, **script, thinks=True, vram=GB) as server:
        server.library.load("small")
        models = await ollama_models.installed(memory=Memory(32 * GB, 16 * GB))
    assert [(one.name, one.size_bytes, one.fits) for one in models] == [
        ("small", 2 * GB, True), ("large", 20 * GB, True), ("huge", 90 * GB, False),
    ]  # fmt: skip
    assert [one.here for one in models] == [
        "loaded, 50 % on the processor",
        "tight: needs about 24.0 GB, 16.0 GB are free",
        "too large: needs about 108.0 GB of 32.0 GB",
    ]
    assert {(one.facts.context_tokens, one.facts.thinks) for one in models} == {(40_960, True)}


async def test_an_ollama_that_answers_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _ollama(monkeypatch, models=["qwen3:8b"]) as server:
        port = int(server.url.rpartition(":")[2])

        async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            there, back = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.sleep(0.7)
            back.write(head.replace(b"keep-alive", b"close"))
            writer.write(await there.readuntil(b"\r\n\r\n") + await there.read(65_536))
            for one in (back, writer):
                one.close()
                await one.wait_closed()

        async with await asyncio.start_server(late, "127.0.0.1", 0) as slow:
            monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{slow.sockets[0].getsockname()[1]}")
            assert (await auto.choose({})).model == "ollama:qwen3:8b"


async def test_an_ollama_that_is_not_there_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _ollama(monkeypatch) as server:
        await ollama_models.installed_names()  # the SDK's first import is not counted
        await server.close_port()
        monkeypatch.setattr(ollama_models, "_CONNECT_TIME_S", 60.0)
        started = time.monotonic()
        assert (await auto.choose({})).why == "no key is set and no Ollama answers"
        assert time.monotonic() - started < 30
        await server.open_port()


# what can be used -----------------------------------------------------------------------------------------------


async def test_every_provider_lists_its_models_and_each_that_cannot_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    names = ["claude-haiku-5-5", "claude-old", "gpt-6-luna", "text-embedding-3", "tts-1"]
    ends = {"claude-haiku-5-5": "2027-11-30", "claude-old": "2025-06-30"}
    script = Script.of({"reply": ANSWER}, models=names, ends=ends, thinks=True, sizes=dict.fromkeys(names, GB))
    async with WireServer(script) as server:
        for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_HOST"):
            monkeypatch.setenv(name, server.environment(KEY)[name])
        listed = await list_models(["ollama:mine", "anthropic:claude-old"])
        asked = [(one.method, one.path) for one in server.requests]
    models = {one.model: one for one in listed.models}
    assert models["search"] == listed.models[0] and models["search"].price == (0.0, 0.0)
    haiku, old = models["anthropic:claude-haiku-5-5"].facts, models["anthropic:claude-old"].facts
    assert (haiku.context_tokens, haiku.thinks, haiku.ends, haiku.has_ended) == (32768, True, "2027-11-30", False)
    assert old.has_ended and old.ends == "2025-06-30"
    assert isinstance(models["ollama:gpt-6-luna"], ListedModel) and models["ollama:gpt-6-luna"].size_bytes == GB
    assert not any("embedding" in name or "tts" in name for name in models if name.startswith("anthropic"))
    assert any(note == "Not set: OPENAI_API_KEY, DASHSCOPE_API_KEY." for note in listed.notes)
    assert any("ollama:mine is in your settings" in note and "models pull mine" in note for note in listed.notes)
    assert not any("claude-old is in" in note or KEY in note for note in listed.notes)
    assert not [path for method, path in asked if method == "POST" and path != "/api/show"], "no model was asked"


async def test_a_wrong_key_and_a_silent_server_are_a_sentence_each(monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    async with WireServer(Script.of({"reply": ANSWER})) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v2")
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        await server.close_port()
        started = time.monotonic()
        listed = await list_models()
    assert [one.model for one in listed.models] == ["search"] and len(listed.notes) == 3
    assert "Start it: ollama serve" in listed.notes[1] and "cannot be reached" in listed.notes[0]
    assert listed.notes[2].startswith("Not set: "), "what may be cut stands last"
    assert time.monotonic() - started < 60


async def test_what_two_providers_lack_is_said_once_with_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "openai", None)
    told = [note for note in (await list_models()).notes if "openai package" in note]
    assert len(told) == 1 and told[0].startswith("openai, qwen: The openai package is not installed.")


# pulls ----------------------------------------------------------------------------------------------------------


async def _pulled(name: str) -> list[PullProgress]:
    return [progress async for progress in pull(name)]


async def test_a_pull_tells_how_far_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _ollama(monkeypatch, models=["tiny"], pulls={"qwen3:8b": {"bytes": 4 * GB}}):
        assert await ollama_models.lacks("qwen3:8b")
        steps = await _pulled("qwen3:8b")
        assert not await ollama_models.lacks("qwen3:8b")
    shares = [progress.done_bytes for progress in steps if progress.step.startswith("pulling 6a")]
    assert shares == [0, GB, 2 * GB, 3 * GB, 4 * GB] and steps[-1].step == "success"
    assert "1.0 GB of 4.0 GB (25 %)" in [progress.words for progress in steps]


@pytest.mark.parametrize(("fault", "kind", "words", "hint"), [
    ("missing", ModelMissing, "library has no model 'some'", "Check its name"),
    ("too_new", ServerFailed, "'some' needs a newer Ollama", "Upgrade"),
    ("no_registry", ConnectionFailed, "cannot reach its library", "Check its network"),
    ("disk_full", ServerFailed, "The disk of Ollama", "Make room"),
    ("reset", ConnectionFailed, "broke off", GOES_ON),
    ("cut", ConnectionFailed, "The pull of 'some' broke off", GOES_ON),
])  # fmt: skip
async def test_what_goes_wrong_in_a_pull_is_one_sentence(
    fault: str, kind: type[ProviderFault], words: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _ollama(monkeypatch, pulls={"some": {"fault": fault}}):
        with pytest.raises(kind, match=words) as caught:
            await _pulled("some")
    assert hint in caught.value.hint and "\n" not in str(caught.value) and caught.value.__context__ is None


async def test_a_pull_that_was_stopped_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _ollama(monkeypatch, models=["tiny"], pulls={"some": {"fault": "stall"}}) as server:
        async with aclosing(pull("some")) as steps:  # type: ignore[type-var]
            async for progress in steps:
                if progress.done_bytes:
                    break
        first = server.requests[0]
        await asyncio.wait_for(first.disconnected.wait(), 5)
        again = await _pulled("some")
    assert next(one.done_bytes for one in again if one.total_bytes) > 0 and again[-1].step == "success"


async def test_no_server_to_pull_from_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _ollama(monkeypatch) as server:
        await server.close_port()
        with pytest.raises(ConnectionFailed) as caught:
            await _pulled("some")
    assert caught.value.hint == "Start it: ollama serve"
