"""How a session's rows look in the file that is handed on, and the largest that is read. Pure.

LangGraph saves plain JSON but for two types: a task sent to a node, and a question. They are written as

    {"$send": [node, input]}    {"$interrupt": [question, id]}

and an object of which a key begins with $ as {"$dict": [[key, value], ...]}.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

FORMAT = "selfheal-session"
VERSION = 1
HEADER = ("format", "version", "selfheal", "store", "graph", "session_id", "title")
CHECKPOINT = ("checkpoint_id", "parent_checkpoint_id", "metadata", "checkpoint")
WRITE = ("checkpoint_id", "task_id", "task_path", "idx", "channel", "value")
SESSION_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")
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


def session_name(folder_name: str) -> str:
    """Return what a session is called in the file: the user may have given its folder any name."""
    return re.sub(r"[^0-9A-Za-z_-]+", "-", folder_name).strip("-_")[:100] or "session"


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
