"""OpenAI's chat completions: server-sent events without names, ended by `[DONE]`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .vendor import Answer, Event, Question

_STOPS = {"end": "stop", "length": "length", "refusal": "stop"}


class OpenAI:
    """See `Vendor`."""

    name = "openai"
    content_type = "text/event-stream; charset=utf-8"

    def question(self, body: Mapping[str, Any]) -> Question:
        texts = {"system": "", "user": ""}
        for message in body["messages"]:
            texts[message["role"]] += message["content"]
        form = (body.get("response_format") or {}).get("type", "text")
        most = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        return Question(body["model"], texts["system"], texts["user"], bool(body.get("stream")), most, form)

    def events(self, answer: Answer, question: Question, *, strange: bool) -> list[Event]:
        events = [Event(self._chunk(question, {"role": "assistant", "content": ""}))]
        events += [Event(b": ping\n\n", is_ping=True)] * answer.pings
        if answer.thinking:
            events.append(Event(self._chunk(question, {"reasoning_content": answer.thinking})))
        if strange:
            events += [Event(b": a comment\n\n"), Event(b"event: telepathy\ndata: {}\n\n")]
            events.append(Event(_sse({"object": "smell", "choices": [], "smell": "x"})))
        field = "refusal" if answer.stop == "refusal" else "content"
        events += [Event(self._chunk(question, {field: piece}), is_text=True) for piece in answer.pieces]
        if answer.has_end:
            events.append(Event(self._chunk(question, {}, _STOPS[answer.stop])))
            if answer.has_usage:
                events.append(Event(_sse({**_head(question), "choices": [], "usage": _usage(answer)})))
            events.append(Event(b"data: [DONE]\n\n"))
        return events

    def event(self, raw: bytes) -> bytes:
        start, end = self._chunk(Question("m", "", "", True, 0, ""), {"content": "@"}).split(b"@")
        return start + raw + end

    def error_event(self) -> bytes:
        return _sse({"error": {"message": "The engine is currently overloaded.", "type": "overloaded", "code": 503}})

    def whole(self, answer: Answer, question: Question) -> dict[str, Any]:
        message = {"role": "assistant", "content": answer.text}
        choice = {"index": 0, "message": message, "finish_reason": _STOPS[answer.stop]}
        return {**_head(question), "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}

    def error(self, status: int, name: str, question: Question, key: str) -> dict[str, Any]:
        shown = f"{key[:6]}{'*' * 20}{key[-4:]}"
        message, kind, code = {
            400: (
                f"This model's maximum context length is 128000 tokens. However, your messages resulted in "
                f"{question.tokens() + 128000} tokens. Please reduce the length of the messages.",
                "invalid_request_error", "context_length_exceeded",
            ),
            401: (
                f"Incorrect API key provided: {shown}. You can find yours online.",
                "invalid_request_error", "invalid_api_key",
            ),
            403: ("Country, region, or territory not supported", "request_forbidden", "unsupported_country"),
            404: (
                f"The model `{question.model}` does not exist or you do not have access to it.",
                "invalid_request_error", "model_not_found",
            ),
            408: ("Request timed out", "timeout", None),
            409: ("Conflict", "conflict", None),
            413: ("Request entity too large", "invalid_request_error", None),
            422: (name, "invalid_request_error", None),
            429: (
                "Rate limit reached for requests. You can increase it by adding a payment method to your billing page.",
                "requests", "rate_limit_exceeded",
            ),
            500: ("The server had an error while processing your request. Sorry about that!", "server_error", None),
            503: ("The engine is currently overloaded, please try again later", "server_error", None),
        }.get(status, ("Something went wrong", "server_error", None))  # fmt: skip
        message, code = {
            "quota": ("You exceeded your current quota, please check your billing details.", "insufficient_quota"),
            "declined": ("The response was filtered due to the prompt triggering the content management policy.", None),
            "refuse_response_format": (f"'response_format' of type {question.format!r} is not supported", None),
            "refuse_json_schema": ('response_format type must be one of "text" or "json_object"', None),
            "refuse_effort": (f"Unsupported parameter: 'reasoning_effort' with {question.model}.", None),
            "refuse_stream_options": ("Unknown parameter: 'stream_options'.", "unknown_parameter"),
            "refuse_max_tokens": (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
                "unsupported_parameter",
            ),
            "refuse_max_completion_tokens": ("Extra inputs are not permitted: max_completion_tokens", None),
            "max_tokens_limit": (
                f"max_tokens is too large: {question.max_tokens}. This model supports at most 4096 completion tokens, "
                f"whereas you provided {question.max_tokens}.", "invalid_value",
            ),
            "context_full": (
                f"This model's maximum context length is {question.context} tokens. However, you requested "
                f"{question.tokens() + question.max_tokens} tokens ({question.tokens()} in the messages, "
                f"{question.max_tokens} in the completion).", "context_length_exceeded",
            ),
            "context_shared": (
                f"'max_tokens' is too large: {question.max_tokens}. This model's maximum context length is 9000 tokens "
                f"and your request has 6000 input tokens ({question.max_tokens} > 9000 - 6000).", None,
            ),
        }.get(name, (message, code))  # fmt: skip
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def _chunk(self, question: Question, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return _sse({**_head(question), "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def _head(question: Question) -> dict[str, Any]:
    return {"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 0, "model": question.model}


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": answer.thinking_tokens},
    }


def _sse(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
