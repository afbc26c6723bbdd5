"""Every fault of a model server becomes one sentence with a remedy, and is retried only where that can help."""

from __future__ import annotations

import asyncio
import re
import ssl
import traceback
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.llm import retry
from selfheal_tui.llm.base import Completion, Request, TextDelta, Usage, Waiting
from selfheal_tui.llm.breakages import explain_error
from selfheal_tui.llm.faults import BadRequest, ConnectionFailed, ModelMissing, Overloaded, ProviderFault, RateLimited
from selfheal_tui.llm.service import Service
from selfheal_tui.llm.statuses import explain_status, retry_after_s
from tests.wire.rig import FAST, KEY, PATIENT, WIRED, Rig, open_with, request, rig, until

REPLY = (
    '{\n "cause": "The discount is added instead of subtracted, so that every total is too high.",\n "lines": [6]\n}'
)

# What goes wrong, the fault's kind, whether a retry can help, whether part of the reply had arrived.
MATRIX: list[tuple[Any, str, bool, bool]] = [
    (400, "context_too_long", False, False),
    (401, "auth", False, False),
    (402, "quota", False, False),
    (403, "auth", False, False),
    (404, "model_missing", False, False),
    (408, "timeout", True, False),
    (409, "conflict", True, False),
    (413, "too_large", False, False),
    (429, "rate_limit", True, False),
    ({"status": 429, "retry_after": 7}, "rate_limit", True, False),
    ({"status": 429, "retry_after_date": 7}, "rate_limit", True, False),
    (500, "server", True, False),
    (501, "server", False, False),
    (502, "server", True, False),
    (503, "overloaded", True, False),
    (529, "overloaded", True, False),
    ("quota", "quota", False, False),
    ("declined", "refused", False, False),
    ("refuse_connection", "connection", True, False),
    ({"reset_at": 0}, "connection", True, False),
    ({"reset_at": 1100}, "connection", True, True),
    ({"cut_at": 1100}, "connection", True, True),
    ("no_end", "connection", True, True),
    ("stall", "timeout", True, False),
    ({"stall_at": 1100}, "timeout", True, True),
    ({"drip": 0.1}, "timeout", False, False),
    ("empty", "bad_answer", True, False),
    ("wrong_content_type", "bad_answer", True, False),
    ("invalid_utf8", "bad_answer", True, True),
    ("bad_json_event", "bad_answer", True, True),
    ("deep_json_event", "bad_answer", True, True),
    ("html", "bad_answer", False, False),
    ({"html": 403}, "bad_answer", False, False),
    ({"html": 502}, "server", True, False),
]


@pytest.mark.parametrize("name", WIRED)
@pytest.mark.parametrize(("fault", "kind", "retryable", "partial"), MATRIX, ids=[str(row[0]) for row in MATRIX])
async def test_fault_is_one_sentence_with_a_remedy(
    name: str, fault: Any, kind: str, retryable: bool, partial: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = FAST if kind == "timeout" and fault != 408 else PATIENT
    if partial:
        limits = replace(limits, first_s=10.0, total_s=20.0)
    entry = {"reply": REPLY, "fault": fault, "piece": 8}
    async with rig(name, monkeypatch, entry, limits=limits, key="") as opened:
        await _warm(opened)
        with pytest.raises(ProviderFault) as caught:
            await opened.ask()
    error = caught.value
    assert (error.kind, error.retryable) == (kind, retryable), error
    assert_readable(error)
    assert REPLY.startswith(error.partial_text) and error.partial_text == "".join(opened.pieces)
    assert bool(error.partial_text) == partial
    assert (error.usage.output_tokens > 0) == error.usage.estimated == partial
    if isinstance(fault, dict) and fault.get("status") == 429:
        assert error.retry_after_s == pytest.approx(7, abs=1.1)
        assert re.search(r"asks to wait [678] seconds\.$", error.message)
    assert_no_key(error)


@pytest.mark.parametrize(
    ("name", "kind"), [("anthropic", "overloaded"), ("ollama", "server"), ("openai", "overloaded")]
)
async def test_error_in_the_middle_of_a_stream(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": REPLY, "fault": "error_event"}) as opened:
        with pytest.raises(ProviderFault) as caught:
            await opened.ask()
    assert (caught.value.kind, caught.value.retryable) == (kind, True)
    assert caught.value.partial_text and REPLY.startswith(caught.value.partial_text)


@pytest.mark.parametrize("name", WIRED)
async def test_wrong_key_is_refused_and_never_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": REPLY}, key="sk-the-right-one") as opened:
        monkeypatch.setenv("OLLAMA_API_KEY", KEY)
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(variable, KEY)
        provider = open_with(name, PATIENT)
        with pytest.raises(ProviderFault, match="refused the key") as caught:
            await Rig(provider, opened.server).ask()
        await provider.aclose()
        assert opened.server is not None and opened.server.chats[0].key == KEY
    assert "_API_KEY" in caught.value.hint
    assert_no_key(caught.value)


@pytest.mark.parametrize("name", WIRED)
async def test_slow_but_steady_reply_ends_at_the_total_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(FAST, first_s=10.0, piece_s=10.0, total_s=0.7)
    entry = {"reply": REPLY * 20, "piece": 8, "delay_s": 0.02}
    async with rig(name, monkeypatch, entry, limits=limits) as opened:
        await _warm(opened)
        with pytest.raises(ProviderFault, match=r"did not finish within 0\.7 s") as caught:
            await opened.ask()
    assert (caught.value.kind, caught.value.retryable) == ("timeout", False), "another attempt would take as long"
    assert caught.value.partial_text


@pytest.mark.parametrize("name", ["anthropic", "openai"])
async def test_missing_model_names_similar_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": REPLY}, models=["claude-tiny-5", "zebra"]) as opened:
        with pytest.raises(ModelMissing) as caught:
            await opened.ask(request(model="claude-tinny-5"))
    assert caught.value.message.endswith("has no model 'claude-tinny-5'; close to it: claude-tiny-5.")


async def test_address_without_the_api_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": REPLY}) as opened:
        assert opened.server is not None
        monkeypatch.setenv("OPENAI_BASE_URL", opened.server.url)
        provider = open_with("openai", PATIENT)
        with pytest.raises(ProviderFault, match="does not speak this API") as caught:
            await Rig(provider, opened.server).ask()
        await provider.aclose()
    assert caught.value.hint == "Check OPENAI_BASE_URL; most servers want it to end in /v1."


# What servers say --------------------------------------------------------------------------------------------------

SERVICE = Service("OpenAI", "https://box/v1", "OPENAI_BASE_URL", KEY, "OPENAI_API_KEY", is_vendor=True)

WORDINGS: list[tuple[int, str, str, bool]] = [
    (400, '{"error":"\'response_format.type\' must be \'json_schema\' or \'text\'"}', "bad_request", False),
    (400, '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested '
          '9000 tokens (4904 in the messages, 4096 in the completion).","code":400}', "context_too_long", False),
    (400, '{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), '
          'try increasing it","type":"exceed_context_size_error"}}', "context_too_long", False),
    (400, '{"error":{"message":"Range of input length should be [1, 30720]","code":"invalid_parameter_error"}}',
     "context_too_long", False),
    (400, '{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded '
          'with context length of only 4096 tokens"}', "context_too_long", False),
    (500, '{"error":"prompt too long; exceeded max context length by 12 tokens"}', "context_too_long", False),
    (400, '{"error":{"message":"Access denied, please make sure your account is in good standing.",'
          '"code":"Arrearage"}}', "quota", False),
    (400, '{"error":{"message":"Input data may contain inappropriate content.","code":"data_inspection_failed"}}',
     "refused", False),
    (404, '{"object":"error","message":"The model `x` does not exist.","code":404}', "model_missing", False),
    (400, '{"error":{"message":"invalid model ID","type":"invalid_request_error"}}', "model_missing", False),
    (404, '{"error":{"message":"This is not a chat model and thus not supported in the v1/chat/completions endpoint. '
          'Did you mean to use v1/completions?","type":"invalid_request_error"}}', "other_api", False),
    (400, '{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.",'
          '"type":"invalid_request_error"}}', "other_api", False),
    (404, '{"detail":"Not Found"}', "address", False),
    (404, "404 page not found", "address", False),
    (422, '{"detail":[{"loc":["body","stream"],"msg":"extra fields not permitted"}]}', "bad_request", False),
    (429, '{"error":{"message":"Request too large for gpt-4 on tokens per min (TPM): Limit 30000, Requested 50000.",'
          '"type":"tokens"}}', "too_large", False),
    (429, "", "rate_limit", True),
    (500, '{"error":"model requires more system memory (8.4 GiB) than is available (6.1 GiB)"}', "server", False),
    (500, "[1, 2", "server", True),
    (503, '{"error":{"message":"Loading model","type":"unavailable_error","code":503}}', "overloaded", True),
    (407, "", "connection", False),
    (418, '"a teapot"', "bad_request", False),
    (400, "[" * 100_000, "bad_request", False),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "retryable"), WORDINGS, ids=[row[1][:40] for row in WORDINGS])
def test_servers_wordings_are_understood(status: int, body: str, kind: str, retryable: bool) -> None:
    error = explain_status(SERVICE, "gpt-x", status, body)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert_readable(error)


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 200000),
        ("input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000", 200000),
        ("exceeds the available context size (4096 tokens)", 4096),
        ("the input length exceeds the context length", None),
    ],
)
def test_context_limit_is_read(said: str, limit: int | None) -> None:
    assert explain_status(SERVICE, "m", 400, said).limit_tokens == limit


def test_keys_in_what_a_server_says_are_taken_out() -> None:
    said = f"Bad key {KEY}, sk-abcd****wxyz or Bearer abc.def-123 at http://me:pw@box/ \x1b[31m\nSecond. Third."
    error = explain_status(SERVICE, "m", 400, said)
    assert_readable(error)
    assert_no_key(error)
    for secret in ("wxyz", "abc.def", "pw", "\x1b"):
        assert secret not in error.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_a_server_may_forbid_retries() -> None:
    assert not explain_status(SERVICE, "m", 500, "", {"x-should-retry": "false"}).retryable


def test_untrusted_certificate_is_not_tried_again() -> None:
    error = OSError("all attempts failed")
    error.__cause__ = ssl.SSLCertVerificationError(1, "self-signed certificate")
    fault = explain_error(SERVICE, error)
    assert (fault.kind, fault.retryable) == ("connection", False)
    assert_readable(fault)


# Retries -----------------------------------------------------------------------------------------------------------


class Flaky:
    """A provider that fails as told, then answers; what it yields before failing is half a reply."""

    name = "flaky"

    def __init__(self, *faults: ProviderFault, partial: str = "") -> None:
        self.left = list(faults)
        self.partial = partial
        self.open = 0

    async def stream(self, asked: Request) -> AsyncIterator[TextDelta | Completion]:
        self.open += 1
        try:
            if self.left:
                fault = self.left.pop(0)
                if self.partial:
                    yield TextDelta(self.partial)
                    fault.partial_text, fault.usage = self.partial, Usage(10, 2, None, estimated=True)
                raise fault
            yield TextDelta("whole")
            yield Completion("whole", Usage(10, 5))
        finally:
            self.open -= 1

    async def aclose(self) -> None:
        """Nothing to close."""


class Sleeper:
    """A sleep that only takes notes."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


async def _run(provider: Any, sleep: Any, **options: Any) -> list[TextDelta | Waiting | Completion]:
    options = {"random": lambda: 1.0, **options}
    async with aclosing(retry.stream(provider, request(), sleep=sleep, **options)) as parts:  # type: ignore[type-var]
        return [part async for part in parts]


async def test_retries_are_announced_and_start_over() -> None:
    provider, sleep = Flaky(ConnectionFailed("It broke off."), Overloaded("Busy."), partial="who"), Sleeper()
    parts = await _run(provider, sleep)
    assert parts == [
        TextDelta("who"),
        Waiting(1.0, 2, "It broke off."),
        TextDelta("who"),
        Waiting(2.0, 3, "Busy."),
        TextDelta("whole"),
        # The broken attempts are paid for as well.
        Completion("whole", Usage(30, 9, None, estimated=True)),
    ]
    assert sleep.waits == [1.0, 2.0]


async def test_waits_grow_and_vary() -> None:
    for chance, waits in ((1.0, [1.0, 2.0, 4.0, 8.0, 16.0, 20.0]), (0.0, [0.5, 1.0, 2.0, 4.0, 8.0, 10.0])):
        sleep = Sleeper()
        await _run(Flaky(*(Overloaded("Busy.") for _ in range(6))), sleep, attempts=7, random=lambda c=chance: c)
        assert sleep.waits == waits


async def test_last_attempt_raises_with_the_longest_partial_text() -> None:
    faults = [ConnectionFailed("It broke off.") for _ in range(4)]
    provider, sleep = Flaky(*faults, partial="some text"), Sleeper()
    with pytest.raises(ConnectionFailed, match="It broke off, 4 times in a row") as caught:
        await _run(provider, sleep)
    assert caught.value.partial_text == "some text" and caught.value.usage == Usage(40, 8, None, estimated=True)
    assert len(sleep.waits) == 3


async def test_what_cannot_help_is_not_tried_again() -> None:
    sleep = Sleeper()
    with pytest.raises(BadRequest) as caught:
        await _run(Flaky(BadRequest("No.")), sleep)
    assert caught.value.message == "No." and sleep.waits == []


@pytest.mark.parametrize(("asked_s", "waited"), [(0.0, 1.0), (7.0, 7.0), (60.0, 60.0)])
async def test_retry_after_is_honoured(asked_s: float, waited: float) -> None:
    sleep = Sleeper()
    await _run(Flaky(RateLimited("Slow down.", retry_after_s=asked_s)), sleep)
    assert sleep.waits == [waited]


@pytest.mark.parametrize(("asked_s", "told"), [(61.0, "61 seconds"), (300.0, "5 minutes"), (90000.0, "25 hours")])
async def test_long_retry_after_fails_at_once_and_tells_how_long(asked_s: float, told: str) -> None:
    sleep = Sleeper()
    with pytest.raises(RateLimited) as caught:
        await _run(Flaky(RateLimited("Slow down.", retry_after_s=asked_s)), sleep)
    assert told in caught.value.message and told in caught.value.hint
    assert_readable(caught.value)
    assert sleep.waits == []


async def test_cancelling_a_wait_leaves_nothing_running() -> None:
    provider = Flaky(Overloaded("Busy."))
    seen: list[Any] = []

    async def follow() -> None:
        async with aclosing(retry.stream(provider, request(), random=lambda: 1.0)) as parts:  # type: ignore[type-var]
            async for part in parts:
                seen.append(part)

    running = asyncio.ensure_future(follow())
    await until(lambda: bool(seen))
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled() and provider.open == 0
    assert isinstance(seen[0], Waiting) and asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_between_pieces_closes_the_attempt() -> None:
    provider = Flaky()
    async with aclosing(retry.stream(provider, request())) as parts:  # type: ignore[type-var]
        assert await anext(parts) == TextDelta("whole")
        assert provider.open == 1
    assert provider.open == 0


@pytest.mark.parametrize("name", WIRED)
async def test_retries_on_the_wire(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"reply": REPLY, "fault": {"status": 529, "retry_after": 3}, "times": 2}
    async with rig(name, monkeypatch, entry) as opened:
        sleep = Sleeper()
        parts = await _run(opened.provider, sleep)
        assert len(opened.bodies) == 3, "the SDK does not try again by itself"
    assert sleep.waits == [3.0, 3.0]
    assert isinstance(parts[-1], Completion) and parts[-1].text == REPLY


# Checks ------------------------------------------------------------------------------------------------------------


def assert_readable(error: ProviderFault) -> None:
    """Check that a fault is one sentence and a remedy."""
    assert re.fullmatch(r"[A-Z][^\n\r\x00-\x1f]{5,350}\.", error.message), error.message
    assert not re.search(r"[.!?]\s+[A-Z]", error.message), error.message
    assert "Traceback" not in error.message and "<html" not in error.message.lower()
    assert re.fullmatch(r"[A-Z][^\n]{3,200}", error.hint), error.hint


def assert_no_key(error: ProviderFault) -> None:
    """Check that a key is nowhere in what may be shown or stored."""
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    assert KEY not in shown and KEY[:12] not in shown
    assert error.__cause__ is None and error.__context__ is None, "the SDK's exception holds request headers"


async def _warm(opened: Rig) -> None:
    """Have the SDK imported, so that time limits do not meet a first import."""
    client: Any = opened.provider
    await client.client()
