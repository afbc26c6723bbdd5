"""Ollama's chat: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .vendor import Answer, Event, Question


class Ollama:
    """See `Vendor`."""

    name = "ollama"
    content_type = "application/x-ndjson"

    def question(self, body: Mapping[str, Any]) -> Question:
        texts = {"system": "", "user": ""}
        for message in body["messages"]:
            texts[message["role"]] += message["content"]
        form = body.get("format")
        name = "json_schema" if isinstance(form, dict) else "json_object" if form else "text"
        most = int((body.get("options") or {}).get("num_predict", 0))
        return Question(body["model"], texts["system"], texts["user"], bool(body.get("stream", True)), most, name)

    def events(self, answer: Answer, question: Question, *, strange: bool) -> list[Event]:
        events = []
        if answer.thinking:
            events.append(Event(self._line(question, {"content": "", "thinking": answer.thinking})))
        if strange:
            events.append(Event(self._line(question, {"content": ""}, smell="x", telepathy={"text": "no reply"})))
        events += [Event(self._line(question, {"content": piece}), is_text=True) for piece in answer.pieces]
        if answer.has_end:
            events.append(Event(self._line(question, {"content": ""}, **self._end(answer))))
        return events

    def event(self, raw: bytes) -> bytes:
        start, end = self._line(Question("m", "", "", True, 0, ""), {"content": "@"}).split(b"@")
        return start + raw + end

    def error_event(self) -> bytes:
        return (
            json.dumps({"error": "an error was encountered while running the model: unexpected EOF"}).encode() + b"\n"
        )

    def whole(self, answer: Answer, question: Question) -> dict[str, Any]:
        whole: dict[str, Any] = json.loads(self._line(question, {"content": answer.text}, **self._end(answer)))
        return whole

    def error(self, status: int, name: str, question: Question, key: str) -> dict[str, Any]:
        message = {
            400: "the input length exceeds the context length",
            401: f"unauthorized {key}",
            403: "forbidden",
            404: f"model '{question.model}' not found",
            413: "request body too large",
            422: name,
            429: "too many requests",
            503: "server busy, please try again.  maximum pending requests exceeded",
        }.get(status, "llama runner process has terminated: exit status 2")
        message = {
            "quota": "you have exceeded your current quota",
            "declined": "the prompt was blocked by the content policy",
            "refuse_response_format": "invalid format: expected a grammar that this model can use",
            "refuse_thinking": f'"{question.model}" does not support thinking',
            "refuse_json_schema": 'invalid format: {"type":"object"}; expected "json" or a JSON schema',
        }.get(name, message)
        return {"error": message}

    def _end(self, answer: Answer) -> dict[str, Any]:
        end = {"done": True, "done_reason": "length" if answer.stop == "length" else "stop", "total_duration": 1}
        if answer.has_usage:
            end |= {"prompt_eval_count": answer.input_tokens, "eval_count": answer.output_tokens}
        return end

    def _line(self, question: Question, message: dict[str, Any], **rest: Any) -> bytes:
        line = {
            "model": question.model, "created_at": "2025-01-01T00:00:00Z",
            "message": {"role": "assistant", **message}, "done": False, **rest,
        }  # fmt: skip
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
