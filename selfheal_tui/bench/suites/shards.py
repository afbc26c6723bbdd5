"""A part of a suite, so that several machines may each run one and share nothing. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from .records import BenchRecord

_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


class Shard(NamedTuple):
    """Part `number` of `of`, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class ShardHeader(TypedDict):
    """What run.json says of a shard."""

    numbers: list[int]
    """Which shards the folder holds: one, or those that were merged."""
    of: int
    mine: int
    """Tasks of these shards."""
    selected: int
    """Tasks of all shards together."""


def parse_shard(text: str) -> Shard:
    """Read `K/N`. Raises: ValueError saying what it should be."""
    match = _SHARD.fullmatch(text)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of:
        raise ValueError(f"{text!r} is no shard: write K/N, as 1/4 for the first of four")
    return Shard(number, of)


def shard_of(task_id: str, attempt: int, of: int) -> int:
    """Return which of so many shards a task belongs to, 1..of; all tries of a task belong to the same.

    By SHA-256 of its id, so that every machine says the same, and a task that is added moves no other.
    """
    name = task_id.removesuffix(f"#{attempt}") if attempt > 1 else task_id
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % of + 1


def records_of(records: Sequence[BenchRecord], shard: Shard) -> tuple[BenchRecord, ...]:
    """Return the tasks of one shard, in their order."""
    return tuple(record for record in records if shard_of(record.id, record.attempt, shard.of) == shard.number)


def shard_header(shard: Shard, mine: int, selected: int) -> ShardHeader:
    """Return what run.json says of a shard."""
    return {"numbers": [shard.number], "of": shard.of, "mine": mine, "selected": selected}


def shard_words(chosen: dict[str, Any]) -> str:
    """Say which shards a run holds; empty for a whole run."""
    header = chosen.get("shard")
    if not header or len(header["numbers"]) == header["of"]:
        return ""
    return f"shard {', '.join(map(str, header['numbers']))} of {header['of']}"
