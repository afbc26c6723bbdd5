"""What a vendor's prompt cache would have counted: four characters a token, nothing forgotten while the server runs.

Anthropic: a prefix is written at each block with `cache_control`, and found again at the end of a block, at most 20
blocks before a mark. OpenAI: the longest common prefix with an earlier request counts, in steps of 128 tokens. Both
from 1,024 tokens on, both with the schema of the reply before everything else: another schema finds nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

_LEAST = 1_024
_STEP = 128
_LOOKBACK = 20
_MOST_MARKS = 4


class Cached(NamedTuple):
    """Tokens of one request."""

    read: int = 0
    written: int = 0


class PromptCache:
    """The prefixes that one server has seen."""

    def __init__(self) -> None:
        self._prefixes: set[bytes] = set()
        self._texts: list[str] = []

    def of(self, vendor: str, body: Mapping[str, Any]) -> Cached:
        """Count a request, and remember it. Raises: ValueError for more marks than Anthropic's API allows."""
        match vendor:
            case "anthropic":
                return self._anthropic(body)
            case "openai":
                return self._openai(body)
        return Cached()

    def _anthropic(self, body: Mapping[str, Any]) -> Cached:
        blocks = [*_blocks(body.get("system", "")), *(b for m in body["messages"] for b in _blocks(m["content"]))]
        digest, size, ends, marks = hashlib.sha256(_head(body, "output_config")), 0, [], []
        for index, block in enumerate(blocks):
            digest.update(f"{len(block['text'])}\0{block['text']}".encode())
            size += len(block["text"])
            ends.append((digest.digest(), size // 4))
            if "cache_control" in block:
                marks.append(index)
        if len(marks) > _MOST_MARKS:
            raise ValueError(f"{len(marks)} blocks have cache_control; at most {_MOST_MARKS} may")
        near = {at for mark in marks for at in range(max(0, mark - _LOOKBACK), mark + 1)}
        read = max((ends[at][1] for at in near if ends[at][0] in self._prefixes), default=0)
        written = [ends[mark] for mark in marks if ends[mark][1] >= _LEAST]
        self._prefixes.update(prefix for prefix, _ in written)
        return Cached(read, max([0, *(tokens - read for _, tokens in written)]))

    def _openai(self, body: Mapping[str, Any]) -> Cached:
        text = "\0".join([_head(body, "response_format").decode(), *(m["content"] for m in body["messages"])])
        common = max((_common(text, earlier) for earlier in self._texts), default=0) // 4
        self._texts.append(text)
        return Cached(common // _STEP * _STEP if common >= _LEAST else 0)


def _common(text: str, other: str) -> int:
    pairs = zip(text, other, strict=False)
    return next((index for index, (one, two) in enumerate(pairs) if one != two), min(len(text), len(other)))


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    return [{"text": content}] if isinstance(content, str) else list(content)


def _head(body: Mapping[str, Any], format_field: str) -> bytes:
    return json.dumps([body["model"], body.get(format_field)], sort_keys=True).encode()
