"""Whether a value read from elsewhere is what its type hint says: TypedDicts, lists, literals, plain values. Pure."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

_MOST_INT = 1 << 63


def problem(value: Any, hint: Any, where: str = "it") -> str:
    """Return what is wrong with a value, in words; empty when it fits. Keys that the type does not name do not fit."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Annotated, NotRequired, Required):
        return problem(value, args[0], where)
    if origin in (Union, types.UnionType):
        problems = [problem(value, one, where) for one in args]
        return "" if "" in problems else problems[0]
    if origin is Literal:
        return (
            "" if any(value == one and type(value) is type(one) for one in args) else f"{where} is none of its values"
        )
    if hint is Any or hint is None or hint is types.NoneType:
        return "" if hint is Any or value is None else f"{where} is not null"
    if is_typeddict(hint):
        return _of_fields(value, hint, where)
    if origin in (list, tuple):
        if not isinstance(value, list):
            return f"{where} is no list"
        return next((p for item in value if (p := problem(item, args[0], f"an entry of {where}"))), "")
    if origin is dict:
        if not isinstance(value, dict):
            return f"{where} is no object"
        return next((p for item in value.values() if (p := problem(item, args[1], f"an entry of {where}"))), "")
    return "" if _is_plain(value, hint) else f"{where} is no {hint.__name__}"


def fields(hint: Any) -> Mapping[str, Any]:
    """Return the fields of a TypedDict."""
    return get_type_hints(hint, include_extras=True)


def _of_fields(value: Any, hint: Any, where: str) -> str:
    if not isinstance(value, dict):
        return f"{where} is no object"
    hints = fields(hint)
    if unknown := sorted(value.keys() - hints.keys()):
        return f"{where} has a field {unknown[0][:40]!r} that is not known"
    # `__required_keys__` does not see NotRequired in annotations that are strings (typing.TypedDict's own note).
    needed = {name for name, one in hints.items() if hint.__total__ and get_origin(one) is not NotRequired}
    if missing := sorted(needed - value.keys()):
        return f"{where} lacks {missing[0]!r}"
    return next((p for name, item in value.items() if (p := problem(item, hints[name], name))), "")


def _is_plain(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and -_MOST_INT <= value < _MOST_INT
    return isinstance(value, kind)
