"""Anthropic's Messages API: server-sent events with an `event:` line each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .vendor import Answer, Event, Question

_STOPS = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}


class Anthropic:
    """See `Vendor`."""

    name = "anthropic"
    content_type = "text/event-stream; charset=utf-8"

    def question(self, body: Mapping[str, Any]) -> Question:
        user = "".join(_text(message["content"]) for message in body["messages"] if message["role"] == "user")
        form = (body.get("output_config") or {}).get("format") or {}
        return Question(
            body["model"],
            _text(body.get("system", "")),
            user,
            bool(body.get("stream")),
            int(body["max_tokens"]),
            form.get("type", "text"),
        )

    def events(self, answer: Answer, question: Question, *, strange: bool) -> list[Event]:
        message = {**self._message(question), "content": [], "usage": _usage(answer, 1)}
        events = [Event(_sse("message_start", message=message)), Event(_sse("ping"))]
        events += [Event(_sse("ping"), is_ping=True)] * answer.pings
        index = 0
        if answer.thinking:
            events += [
                Event(_sse("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""})),
                Event(_sse("content_block_delta", index=0, delta=_delta("thinking", answer.thinking))),
                Event(_sse("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "c2ln"})),
                Event(_sse("content_block_stop", index=0)),
            ]
            index = 1
        events.append(Event(_sse("content_block_start", index=index, content_block={"type": "text", "text": ""})))
        if strange:
            events.append(Event(_sse("telepathy", index=index, delta={"type": "text_delta", "text": "no reply"})))
            events.append(Event(_sse("content_block_delta", index=index, delta={"type": "smell_delta", "smell": "x"})))
        for piece in answer.pieces:
            raw = _sse("content_block_delta", index=index, delta=_delta("text", piece))
            events.append(Event(raw, is_text=True))
        events.append(Event(_sse("content_block_stop", index=index)))
        if answer.has_end:
            usage: dict[str, Any] = {"output_tokens": answer.output_tokens} if answer.has_usage else {}
            if usage and answer.thinking_tokens:
                usage["output_tokens_details"] = {"thinking_tokens": answer.thinking_tokens}
            events.append(Event(_sse("message_delta", delta=_stop(answer), usage=usage)))
            events.append(Event(_sse("message_stop")))
        return events

    def event(self, raw: bytes) -> bytes:
        start, end = _sse("content_block_delta", index=0, delta=_delta("text", "@")).split(b"@")
        return start + raw + end

    def error_event(self) -> bytes:
        return _sse("error", error={"type": "overloaded_error", "message": "Overloaded"})

    def whole(self, answer: Answer, question: Question) -> dict[str, Any]:
        usage = _usage(answer, answer.output_tokens)
        content = [{"type": "text", "text": answer.text}]
        return {**self._message(question), "content": content, **_stop(answer), "usage": usage}

    def error(self, status: int, name: str, question: Question, key: str) -> dict[str, Any]:
        kind, message = {
            400: ("invalid_request_error", f"prompt is too long: {question.tokens() + 200000} tokens > 200000 maximum"),
            401: ("authentication_error", f"invalid x-api-key {key}"),
            402: ("billing_error", "Your account has no credit."),
            403: ("permission_error", "Your API key does not have permission to use the specified resource."),
            404: ("not_found_error", f"model: {question.model}"),
            408: ("timeout_error", "Request timed out"),
            409: ("conflict_error", "The request conflicts with another one."),
            413: ("request_too_large", "Request exceeds the maximum allowed number of bytes"),
            422: ("invalid_request_error", name),
            429: ("rate_limit_error", "This request would exceed your organization's rate limit."),
            529: ("overloaded_error", "Overloaded"),
        }.get(status, ("api_error", "Internal server error"))
        message = {
            "quota": "Your credit balance is too low to access the Anthropic API.",
            "declined": "Output blocked by content filtering policy",
            "refuse_effort": f"output_config.effort: not supported by {question.model}",
            "refuse_thinking": f"thinking.adaptive: not supported by {question.model}",
            "refuse_response_format": f"output_config.format: not supported by {question.model}",
            "refuse_json_schema": f"output_config.format: not supported by {question.model}",
            "max_tokens_limit": f"max_tokens: {question.max_tokens} > 4096, which is the maximum allowed number of "
            f"output tokens for {question.model}",
            "context_full": f"prompt is too long: {question.tokens()} tokens > {question.context} maximum"
            if question.tokens() > question.context
            else "input length and `max_tokens` exceed context limit: "
            f"{question.tokens()} + {question.max_tokens} > {question.context}, decrease input length or `max_tokens`",
            "context_shared": "input length and `max_tokens` exceed context limit: 6000 + "
            f"{question.max_tokens} > 9000, decrease input length or `max_tokens` and try again",
        }.get(name, message)
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"}

    def _message(self, question: Question) -> dict[str, Any]:
        return {
            "id": "msg_test", "type": "message", "role": "assistant", "model": question.model,
            "stop_reason": None, "stop_sequence": None,
        }  # fmt: skip


def model_info(name: str, context_length: int, thinks: bool, ends: str = "") -> dict[str, Any]:
    """Return what the Models API says of a model; one that ends in 2025 or before has ended."""

    def can(supported: bool) -> dict[str, Any]:
        return {"supported": supported}

    efforts = {level: can(thinks) for level in ("low", "medium", "high", "xhigh", "max")}
    kinds = {"adaptive": can(thinks), "enabled": can(False), "disabled": can(True), "between_tools": can(False)}
    return {
        "type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": ("retired" if ends < "2026" else "deprecated") if ends else "active",
        "retires_at": f"{ends}T00:00:00Z" if ends else None, "max_input_tokens": context_length, "max_tokens": 128_000,
        "capabilities": {"thinking": {**can(thinks), "types": kinds}, "effort": {**can(thinks), **efforts}},
    }  # fmt: skip


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(str(block.get("text", "")) for block in content)


def _delta(kind: str, text: str) -> dict[str, str]:
    return {"type": f"{kind}_delta", kind: text}


def _stop(answer: Answer) -> dict[str, Any]:
    details = {"type": "refusal", "category": None, "explanation": "Against the rules."}
    return {
        "stop_reason": _STOPS[answer.stop],
        "stop_sequence": None,
        "stop_details": details if answer.stop == "refusal" else None,
    }


def _usage(answer: Answer, output_tokens: int) -> dict[str, int]:
    if not answer.has_usage:
        return {}
    return {
        "input_tokens": answer.input_tokens - answer.cached_tokens - answer.cache_write_tokens,
        "cache_creation_input_tokens": answer.cache_write_tokens,
        "cache_read_input_tokens": answer.cached_tokens,
        "output_tokens": output_tokens,
    }


def _sse(kind: str, **fields: Any) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()
