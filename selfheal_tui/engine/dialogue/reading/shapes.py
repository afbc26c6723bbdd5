"""Read a value of one shape as one of another: text as an object, a lone value as a list of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .fields import Schema, field_for, path_and_code, properties_of
from .marks import DECODER, Damaged, Repeated
from .scalars import place_in

SURROGATE = re.compile("[\ud800-\udfff]")


def list_of(value: Any, items: Schema) -> list[Any]:
    """Return the list that a lone value stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        found = parsed(value)
        value = value if found is None else found
    if isinstance(value, list):
        return value
    if isinstance(value, str) and properties_of(items):
        return [line for line in value.splitlines() if line.strip()]
    if not isinstance(value, dict):
        return [value]
    if any(field_for(key, properties_of(items)) for key in value):
        return [value]
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), list):
        return inner
    pair = path_and_code(items)
    if pair and all(isinstance(v, str | Damaged) and re.search(r"[./\\]", k) for k, v in value.items()):
        return [{pair[0]: key, pair[1]: text} for key, text in value.items()]
    return [value]


def object_in(text: str, fields: Mapping[str, Schema]) -> dict[str, Any] | None:
    """Return the object that a string holds as JSON, or says in the form `prog.py:12 the reason`."""
    found = parsed(text)
    if isinstance(found, dict):
        return found
    place = place_in(text)
    name = next((n for n in ("file", "path") if n in fields), None)
    if place is None or name is None:
        return None
    given = {name: place.file, "line": place.line, "why": place.why}
    return {key: value for key, value in given.items() if key in fields and value is not None}


def parsed(text: str) -> Any:
    """Return the object or list that a string is the JSON of, else None."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        found = DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def plain(value: Any) -> Any:
    """Return the value without marks, in a form that JSON and UTF-8 can hold."""
    match value:
        case Damaged():
            return plain(value.text)
        case Repeated():
            return plain(value.values[-1])
        case str():
            return SURROGATE.sub("\ufffd", value)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {plain(key): plain(item) for key, item in value.items()}
    return value
