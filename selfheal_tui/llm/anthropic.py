"""Anthropic's models through its own SDK: native structured output, prompt caching, stop reasons checked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from selfheal_tui.setting_values import EFFORTS

from .attempt import Attempt, count, look
from .base import Completion, Departure, Notice, Request, StopReason, TextDelta, ThoughtDelta, Usage
from .breakages import explain_error
from .faults import BadRequest, ProviderFault, ServerFailed
from .model_facts import UNKNOWN, ModelFacts, nearest_effort
from .output_room import OutputRoom
from .schemas import closed_schema, schema_note
from .sdk import SdkProvider, check_installed, say_only_ours
from .service import KeyMissing, Service, check_proxies, headers_from, key_from, url_from
from .statuses import explain_status
from .time_limits import Stopwatch, TimeLimits

_URL = "https://api.anthropic.com"
_CACHED = {"type": "ephemeral"}
_PIECE_CHARS = 2_000
"""A request may be 20 blocks longer than what is found in the cache: an observation of the debugger is two or three."""
_FACTS_TIME_S = 10.0
_STOPS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_STATUSES = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "timeout_error": 408, "conflict_error": 409, "request_too_large": 413,
    "rate_limit_error": 429, "api_error": 500, "overloaded_error": 529,
}  # fmt: skip
"""Error type -> the status that it has when it does not come in the middle of a stream."""


class AnthropicProvider(SdkProvider):
    """Asks Anthropic's Messages API."""

    name = "anthropic"
    sdk_name = "anthropic"

    def __init__(self, service: Service, limits: TimeLimits | None = None) -> None:
        super().__init__(service, limits)
        self._without_schema: set[str] = set()
        """Models for which the server refused structured output."""
        self._ending: set[str] = set()
        """Models of which the user was told that they end."""
        self._without: dict[str, set[str]] = {}
        """Model -> which of "thinking" and "effort" the server refused."""
        self._room = OutputRoom()

    def _connect(self, sdk: Any) -> Any:
        limits = self.limits
        is_token = self.service.key_name == "ANTHROPIC_AUTH_TOKEN"
        client = sdk.AsyncAnthropic(
            **{"auth_token" if is_token else "api_key": self.service.key},
            base_url=self.service.url,
            # Ours are shown and can be cancelled; on top of the SDK's they would multiply.
            max_retries=0,
            timeout=sdk.Timeout(limits.total_s, connect=limits.connect_s, pool=limits.connect_s),
            # The environment could have prompts, which hold the user's code, sent to a tracing service.
            open_telemetry=False,
            webhook_key="",
            default_headers=self.service.headers,
            # The prompts hold the user's code: they go to this address and to none that it names.
            http_client=sdk.DefaultAsyncHttpxClient(follow_redirects=False),
        )
        say_only_ours(client, self.service.headers)
        _ = client.messages  # imports more
        return client

    async def facts(self, model: str) -> ModelFacts:
        """Return what the API says of a model, asked once; a server that says nothing is no fault here."""
        if model not in self._room.facts:
            client = await self.client()
            watch = Stopwatch(TimeLimits(first_s=min(_FACTS_TIME_S, self.limits.first_s)))
            try:
                self._room.facts[model] = _facts_in(await self.step(watch.wait(client.models.retrieve(model)), model))
            except ProviderFault:
                # A gateway may know no such address; what is wrong with the model itself the call will say.
                self._room.facts[model] = UNKNOWN
        return self._room.facts[model]

    async def stream(
        self, request: Request
    ) -> AsyncIterator[TextDelta | ThoughtDelta | Notice | Departure | Completion]:
        """Stream the reply of one attempt; say once of a model when it will end. Raises: ProviderFault."""
        facts = await self.facts(request.model)
        if facts.ends and request.model not in self._ending:
            self._ending.add(request.model)
            yield Notice(f"Anthropic offers {request.model} until {facts.ends}: choose a newer one in time.")
        async with aclosing(super().stream(request)) as parts:  # type: ignore[type-var]
            async for part in parts:
                yield part

    async def context_tokens(self, model: str) -> int | None:
        """Return the model's longest prompt; None where the server does not tell."""
        return (await self.facts(model)).context_tokens

    def _payload(self, attempt: Attempt) -> dict[str, Any]:
        request = attempt.request
        facts, refused = self._room.facts.get(request.model, UNKNOWN), self._without.get(request.model, set())
        schema = None if request.model in self._without_schema else closed_schema(request.schema)
        system = request.system + ("" if schema else schema_note(request.schema))
        payload: dict[str, Any] = {
            "model": request.model,
            "max_tokens": self._room.tokens(attempt),
            "stream": True,
            "messages": [{"role": "user", "content": _user_blocks(request)}],
        }
        if system.strip():
            payload["system"] = [{"type": "text", "text": system, "cache_control": _CACHED}]
        if schema:
            payload["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        if "effort" not in refused and (effort := nearest_effort(request.effort, facts.efforts)):
            payload.setdefault("output_config", {})["effort"] = effort
        if "thinking" not in refused and facts.shows_thinking and request.effort != "none":
            # It thinks by default; asked for is only that it shows what.
            payload["thinking"] = {"type": "adaptive", "display": "summarized"}
        return payload

    async def _send(self, client: Any, payload: dict[str, Any]) -> Any:
        return await client.messages.create(**payload)

    def _read(self, event: Any, attempt: Attempt) -> str:
        match look(event, "type"):
            case "message_start":
                _note_usage(attempt, look(event, "message", "usage"))
            case "content_block_start" if look(event, "content_block", "type") == "text":
                return str(look(event, "content_block", "text") or "")
            case "content_block_delta" if look(event, "delta", "type") == "text_delta":
                return str(look(event, "delta", "text") or "")
            case "content_block_delta" if thought := look(event, "delta", "thinking"):
                attempt.thinking.append(str(thought))
            case "message_delta":
                _note_usage(attempt, look(event, "usage"))
                if stop := look(event, "delta", "stop_reason"):
                    attempt.stop = _STOPS.get(stop, "end")
                attempt.why = str(look(event, "delta", "stop_details", "explanation") or "")
        return ""

    def _explain(self, error: Exception, model: str) -> ProviderFault:
        response, status = look(error, "response"), look(error, "status_code")
        if response is None or status is None:
            return explain_error(self.service, error)
        if status >= 400:
            return explain_status(self.service, model, status, response.text, response.headers)
        # An error event in a stream that had begun with status 200.
        body = look(error, "body")
        kind = body.get("error", {}).get("type") if isinstance(body, dict) else None
        return explain_status(self.service, model, _STATUSES.get(str(kind), 500), json.dumps(body))

    def _adapt(self, fault: ProviderFault, attempt: Attempt) -> bool:
        words = fault.server_words.lower()
        if isinstance(fault, BadRequest) and (names := _sent_and_named(attempt.payload, words)):
            self._without.setdefault(attempt.request.model, set()).update(names)
            return True
        refused = isinstance(fault, BadRequest | ServerFailed) and any(
            word in words for word in ("output_config", "schema", "format")
        )
        if refused and "output_config" in attempt.payload:
            self._without_schema.add(attempt.request.model)
            return True
        return self._room.learn(fault, attempt)

    async def _list(self, client: Any) -> dict[str, ModelFacts]:
        page = await client.models.list(limit=1000)
        return {str(model.id): _facts_in(model) for model in page.data}


def open_provider(model: str, limits: TimeLimits | None = None) -> AnthropicProvider:
    """Open it with the key and address of the environment. Raises: SettingsError.

    ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN for a gateway; ANTHROPIC_BASE_URL; ANTHROPIC_CUSTOM_HEADERS.
    """
    check_installed("anthropic")
    check_proxies()
    key, key_name = key_from("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    if not key:
        raise KeyMissing("Anthropic", key_name)
    url = url_from("ANTHROPIC_BASE_URL", _URL)
    headers = headers_from("ANTHROPIC_CUSTOM_HEADERS")
    is_vendor = url.rstrip("/") == _URL
    service = Service("Anthropic", url, "ANTHROPIC_BASE_URL", key, key_name, is_vendor=is_vendor, headers=headers)
    return AnthropicProvider(service, limits)


def _user_blocks(request: Request) -> list[dict[str, Any]]:
    """Return the user message in blocks, with a cache mark where a later call may be the same up to there.

    The cache finds a prefix only at the end of a block. What has grown is therefore cut into pieces, always at the same
    places, and the last whole one has the mark. With that of the system text there are four marks, the most allowed.
    """
    pieces, tail = _pieces(request.grown)
    marked = [text for text in (request.shared, request.moment) if text]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text, "cache_control": _CACHED} for text in marked]
    blocks += [{"type": "text", "text": text} for text in pieces]
    if pieces:
        blocks[-1]["cache_control"] = _CACHED
    # The API refuses empty blocks.
    return [*blocks, {"type": "text", "text": tail + request.prompt}] if tail + request.prompt else blocks


def _pieces(text: str) -> tuple[list[str], str]:
    """Cut a text after whole lines into pieces of a fixed size or little more, and what is left.

    A text that begins with this one begins with the same pieces.
    """
    pieces, piece = [], ""
    for line in text.splitlines(keepends=True):
        piece += line
        if len(piece) >= _PIECE_CHARS and line.endswith("\n") and piece.strip():
            pieces.append(piece)
            piece = ""
    return pieces, piece


def _note_usage(attempt: Attempt, counts: Any) -> None:
    """Take over counts; those of a later event are totals, and leave out what has not changed."""
    if not (count(look(counts, "input_tokens")) or count(look(counts, "output_tokens"))):
        return
    usage = attempt.usage or Usage()
    read, written = look(counts, "cache_read_input_tokens"), look(counts, "cache_creation_input_tokens")
    read = usage.cached_tokens if read is None else count(read)
    written = usage.cache_write_tokens if written is None else count(written)
    fresh = look(counts, "input_tokens")
    fresh = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens if fresh is None else count(fresh)
    attempt.usage = replace(
        usage,
        # The API counts the three apart (its documentation of `usage`); ours is the total.
        input_tokens=fresh + read + written,
        output_tokens=max(usage.output_tokens, count(look(counts, "output_tokens"))),
        cached_tokens=read,
        cache_write_tokens=written,
        thinking_tokens=max(usage.thinking_tokens, count(look(counts, "output_tokens_details", "thinking_tokens"))),
    )


def _sent_and_named(payload: dict[str, Any], refusal: str) -> set[str]:
    """Return which of "thinking" and "effort" were sent and are named in a refusal."""
    sent = (payload.keys() & {"thinking"}) | (payload.get("output_config", {}).keys() & {"effort"})
    return {name for name in sent if name in refusal}


def _facts_in(told: Any) -> ModelFacts:
    """Return the facts of an answer of the Models API; other servers leave out what they like."""
    thinking, effort = look(told, "capabilities", "thinking"), look(told, "capabilities", "effort")
    ends = look(told, "retires_at")
    return ModelFacts(
        count(look(told, "max_input_tokens")) or None,
        count(look(told, "max_tokens")) or None,
        look(thinking, "supported"),
        tuple(level for level in EFFORTS if look(effort, level, "supported") is True),
        look(thinking, "types", "adaptive", "supported") is True,
        f"{ends:%Y-%m-%d}" if ends else "",
        look(told, "lifecycle") == "retired",
    )
