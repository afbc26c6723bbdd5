"""How a session's rows look in the file that is handed on, and the largest that is read. Pure.

LangGraph saves plain JSON but for two types: a task sent to a node, and a question. They are written as

    {"$send": [node, input]}    {"$interrupt": [question, id]}

and an object of which a key begins with $ as {"$dict": [[key, value], ...]}.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from selfheal_tui.store.schema import TABLES

FORMAT = "selfheal-session"
VERSION = 1
HEADER = ("format", "version", "selfheal", "store", "graph", "session_id", "title")
CHECKPOINT = ("checkpoint_id", "parent_checkpoint_id", "metadata", "checkpoint")
WRITE = ("checkpoint_id", "task_id", "task_path", "idx", "channel", "value")
LARGEST_LINE_BYTES = 64 << 20
LARGEST_BYTES = 4 << 30
"""Of all lines together."""
FREE_BYTES = 64 << 20
"""Up to here a file may unpack to any multiple of its size."""
MOST_TIMES = 200
"""Beyond, only to this many times its size; gzip alone reaches a thousand."""

_MOST_DEEP = 40
"""Levels of JSON in one row; a checkpoint has about ten."""


class Refused(ValueError):
    """What is wrong with a row, in words."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of one of our tables."""

    name: str
    kind: type[str] | type[int] | type[float]
    nullable: bool
    packed: bool
    """Lies compressed in the store (store/packing.py); text in the file."""


@cache
def own_tables() -> Mapping[str, tuple[Column, ...]]:
    """Return table -> columns as this version makes them; bodies have a form of their own and are not among them."""
    kinds: dict[str, Any] = {"text": str, "integer": int, "real": float, "blob": str}
    with closing(sqlite3.connect(":memory:")) as connection:
        for sql in TABLES:
            connection.execute(sql)
        names = [str(row[0]) for row in connection.execute("select name from sqlite_master where type='table'")]
        return {
            table: tuple(
                Column(str(name), kinds[str(kind).lower()], not (notnull or key), str(kind).lower() == "blob")
                for _, name, kind, notnull, _, key in connection.execute(f"pragma table_info({table})")
            )
            for table in names
            if table != "blob" and not table.startswith("sqlite_")
        }


def to_json(value: Any) -> Any:
    """Return what LangGraph saved as plain JSON. Raises: TypeError for what it does not save here."""
    from langgraph.types import Interrupt, Send

    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict() if all(isinstance(key, str) for key in value):
            if any(key.startswith("$") for key in value):
                return {"$dict": [[key, to_json(item)] for key, item in value.items()]}
            return {key: to_json(item) for key, item in value.items()}
        case list() | tuple():
            return [to_json(item) for item in value]
        case Send():
            return {"$send": [value.node, to_json(value.arg)]}
        case Interrupt():
            return {"$interrupt": [to_json(value.value), value.id]}
    raise TypeError(f"a {type(value).__name__} in a checkpoint")


def from_json(value: Any) -> Any:
    """Return what `to_json` was given. Raises: ValueError for a mark that is none."""
    from langgraph.types import Interrupt, Send

    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    marks = [key for key in value if key.startswith("$")]
    if not marks:
        return {key: from_json(item) for key, item in value.items()}
    match value:
        case {"$send": [str(node), dict(given)], **rest} if not rest:
            return Send(node, from_json(given))
        case {"$interrupt": [dict(question), str(number)], **rest} if not rest:
            return Interrupt(from_json(question), id=number)
        case {"$dict": list(pairs), **rest} if not rest and all(_is_pair(pair) for pair in pairs):
            return {key: from_json(item) for key, item in pairs}
    raise ValueError(f"the mark {marks[0]!r}")


def parsed(text: str | bytes) -> Any:
    """Return what a JSON text holds. Raises: ValueError for anything that ours never holds, endless depth among it."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("too deep") from error
    layer, depth = [value], 0
    while layer:
        depth += 1
        if depth > _MOST_DEEP:
            raise ValueError("too deep")
        layer = [
            item
            for held in layer
            if isinstance(held, dict | list)
            for item in (held.values() if isinstance(held, dict) else held)
        ]
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
