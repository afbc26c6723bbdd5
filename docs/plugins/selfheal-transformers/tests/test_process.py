"""The transformers provider and the process that holds its model: stopping, dying, waiting; no model is needed."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest
from rig import FAST, Rig, local_rig, request, until
from selfheal_transformers import provider as transformers
from selfheal_transformers.local_model import Place
from selfheal_transformers.provider import TransformersProvider

from selfheal_tui.plugins.providers import SettingsError, TextDelta, TimeLimits
from selfheal_tui.plugins.providers.faults import BadAnswer, ServerFailed, TimedOut

ANSWER = '{"cause": "naïve ✓", "lines": []}'


async def test_usage_is_counted_and_calls_side_by_side_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"input_tokens": 100, "output_tokens": 7}
    entries = [{"when": [f"number {n}."], "reply": f"answer {n} " * 30, "usage": used} for n in range(4)]
    async with local_rig(monkeypatch, *entries) as opened:
        calls = [Rig(opened.provider).ask(request(f"number {n}.")) for n in range(4)]
        replies = await asyncio.gather(*calls)
    assert [reply.text for reply in replies] == [f"answer {n} " * 30 for n in range(4)]
    assert {(reply.usage.input_tokens, reply.usage.output_tokens) for reply in replies} == {(100, 7)}


async def test_length_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with local_rig(monkeypatch, {"reply": ANSWER, "stop": "length"}) as opened:
        assert (await opened.ask()).stop_reason == "length"


async def test_empty_reply_is_a_fault_that_a_retry_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    async with local_rig(monkeypatch, {"reply": ""}) as opened:
        with pytest.raises(BadAnswer, match="The model 'tiny' gave an empty reply") as caught:
            await opened.ask()
    assert not caught.value.retryable


async def test_closing_the_stream_stops_the_model_and_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"when": ["long"], "reply": ANSWER, "fault": "stalls"}, {"reply": ANSWER}
    async with local_rig(monkeypatch, *entries) as opened:
        async with aclosing(opened.provider.stream(request("a long one"))) as parts:  # type: ignore[type-var]
            assert isinstance(await anext(parts), TextDelta)
        process = _process(opened)
        assert (await opened.ask()).text == ANSWER
        assert _process(opened) is process and process.returncode is None
    assert process.returncode is not None
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


@pytest.mark.parametrize(("fault", "lives"), [("stalls", True), ("is_deaf", False)])
async def test_cancelling_stops_or_kills(fault: str, lives: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers, "_STOP_S", 30.0 if lives else 0.2)
    async with local_rig(monkeypatch, {"reply": ANSWER, "fault": fault}) as opened:
        running = asyncio.ensure_future(opened.ask())
        await until(lambda: bool(opened.pieces), 30)
        process = _process(opened)
        running.cancel()
        await asyncio.wait([running], timeout=30)
        assert running.cancelled()
        assert (process.returncode is None) is lives


async def test_the_worker_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_CUSTOM_HEADERS", "HF_TOKEN"):
        monkeypatch.setenv(name, "canary-4711")
    async with local_rig(monkeypatch, {"reply": ANSWER}) as opened:
        await opened.ask()
        seen = Path(f"/proc/{_process(opened).pid}/environ").read_bytes()
    assert b"PATH=" in seen and b"HF_HUB_OFFLINE=1" in seen and b"canary" not in seen


async def test_cancelling_while_it_loads_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async with local_rig(monkeypatch, {"reply": ANSWER, "fault": "loads"}) as opened:
        running = asyncio.ensure_future(opened.ask())
        await until(lambda: _provider(opened)._worker is not None, 30)
        running.cancel()
        await asyncio.wait([running], timeout=2)
        assert running.cancelled()
        process = _process(opened)
    assert process.returncode is not None


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("is_killed", r"There is too little memory for 'tiny' \(the system ended it\)\."),
        ("crashes", r"The process of the model 'tiny' ended: RuntimeError: the cards are melting\."),
    ],
)
async def test_the_end_of_the_process_is_one_sentence(
    fault: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = {"when": ["bad"], "reply": ANSWER * 9, "fault": fault}, {"reply": ANSWER}
    async with local_rig(monkeypatch, *entries) as opened:
        with pytest.raises(ServerFailed, match=sentence) as caught:
            await opened.ask(request("a bad one"))
        assert (caught.value.retryable, caught.value.partial_text) == (False, (ANSWER * 9)[:24])
        assert (await opened.ask()).text == ANSWER, "another process answers"


async def test_silence_ends_by_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = TimeLimits(first_s=30.0, piece_s=0.2)
    async with local_rig(monkeypatch, {"reply": ANSWER, "fault": "stalls"}, limits=limits) as opened:
        with pytest.raises(TimedOut, match=r"The model 'tiny' fell silent for 0\.2 s"):
            await opened.ask()
    async with local_rig(monkeypatch, {"reply": ANSWER, "fault": "loads"}, limits=FAST) as opened:
        with pytest.raises(TimedOut, match="The model 'tiny' did not begin to answer"):
            await opened.ask()


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TRANSFORMERS_DEVICE", "gpu", "TRANSFORMERS_DEVICE is no device: gpu."),
        ("TRANSFORMERS_DEVICE", "cuda:x", "TRANSFORMERS_DEVICE is no device: cuda:x."),
        ("TRANSFORMERS_4BIT", "four", "TRANSFORMERS_4BIT is neither yes nor no: four."),
    ],
)
def test_wrong_options_are_named(variable: str, value: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _all_installed(monkeypatch)
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as caught:
        transformers.open_provider("tiny")
    assert caught.value.message == sentence


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers, "PACKAGES", ("no_such_package_x",))
    with pytest.raises(SettingsError) as caught:
        transformers.open_provider("tiny")
    assert caught.value.message == "The no_such_package_x package is not installed."
    assert "pip install 'selfheal-tui[transformers]'" in caught.value.hint


def test_options_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    _all_installed(monkeypatch)
    assert transformers.open_provider("tiny").place == Place("auto", False)
    monkeypatch.setenv("TRANSFORMERS_DEVICE", "CUDA:1")
    monkeypatch.setenv("TRANSFORMERS_4BIT", "yes")
    assert transformers.open_provider("tiny").place == Place("cuda:1", True)


def _all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers, "_check_installed", lambda *_: None)
    monkeypatch.delenv("TRANSFORMERS_DEVICE", raising=False)
    monkeypatch.delenv("TRANSFORMERS_4BIT", raising=False)


def _provider(opened: Rig) -> TransformersProvider:
    return cast(TransformersProvider, opened.provider)


def _process(opened: Rig) -> Any:
    worker = _provider(opened)._worker
    assert worker is not None
    return worker._process
