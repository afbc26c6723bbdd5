"""What the three protocols have in common: a question in, events or an error body out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .script import Entry, Fault


@dataclass(frozen=True, slots=True)
class Question:
    """A chat request, whichever protocol it came in."""

    model: str
    system: str
    user: str
    streams: bool
    max_tokens: int
    format: str
    """`json_schema`, `json_object` or `text`."""
    context: int = 0
    """The model's, in tokens."""
    cached_tokens: int = 0
    """Of the prompt: read from the prompt cache."""
    cache_write_tokens: int = 0

    def tokens(self) -> int:
        """Return the tokens of the prompt: one per four characters."""
        return max(1, (len(self.system) + len(self.user)) // 4)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, before it is put into a protocol's words."""

    text: str
    pieces: list[str]
    thinking: str
    stop: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int = 0
    """Told by Anthropic only."""
    thinking_tokens: int = 0
    pings: int = 0
    has_usage: bool = True
    has_end: bool = True

    @classmethod
    def of(cls, entry: Entry, question: Question, fault: Fault | None) -> Answer:
        """Make the answer that an entry gives to a question."""
        name = fault.name if fault else ""
        text = entry.reply if isinstance(entry.reply, str) else json.dumps(entry.reply, indent=1, ensure_ascii=False)
        if name in ("empty", "silent"):
            text = ""
        if name == "refusal":
            text = "I cannot help with that."
        used, stop = entry.usage, "refusal" if name == "refusal" else entry.stop
        if entry.thinking_tokens and entry.thinking_tokens + len(text) // 4 > question.max_tokens:
            text, stop = text[: max(0, question.max_tokens - entry.thinking_tokens) * 4], "length"
        thought = min(entry.thinking_tokens, question.max_tokens) if entry.thinking_tokens else 0
        return cls(
            text,
            [text[start : start + entry.piece] for start in range(0, len(text), entry.piece)],
            entry.thinking,
            stop,
            int(used.get("input_tokens", question.tokens())),
            int(used.get("output_tokens", max(1, thought + len(text) // 4))),
            int(used.get("cached_tokens", question.cached_tokens)),
            int(used.get("cache_write_tokens", question.cache_write_tokens)),
            thinking_tokens=thought,
            pings=entry.pings,
            has_usage=name not in ("no_usage", "empty"),
            has_end=name != "no_end",
        )


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream, ready to be sent."""

    raw: bytes
    is_text: bool = False
    """Whether it carries a piece of the reply."""
    is_ping: bool = False
    """Whether it says nothing but that the server is there."""


class Vendor(Protocol):
    """One protocol."""

    name: str
    content_type: str

    def question(self, body: Mapping[str, Any]) -> Question:
        """Read a chat request."""
        ...

    def events(self, answer: Answer, question: Question, *, strange: bool) -> list[Event]:
        """Return the stream; `strange` adds events of unknown types."""
        ...

    def event(self, raw: bytes) -> bytes:
        """Wrap raw bytes, which may be damaged, as an event that carries text."""
        ...

    def error_event(self) -> bytes:
        """Return an event that says that the server is overloaded."""
        ...

    def whole(self, answer: Answer, question: Question) -> dict[str, Any]:
        """Return the answer to a request that does not stream."""
        ...

    def error(self, status: int, name: str, question: Question, key: str) -> dict[str, Any]:
        """Return the body of an error, in the vendor's words; `name` is a fault's."""
        ...
