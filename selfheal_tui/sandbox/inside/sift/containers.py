"""Containers put back in place: they stay the same objects, and hold again what they held."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import is_
from typing import Any


def restorer(value: Any) -> Callable[[], None] | None:
    """Return what puts a container back to how it is now; None for what is no container that may change.

    Nothing of a container's own class is called, and what it holds is compared by identity: what a candidate has put in
    may have an `__eq__` that does not end.
    """
    for kind, kept in _KEPT.items():
        if issubclass(type(value), kind):
            return kept(value, kind)
    return None


def _kept_items(value: Any, kind: Any) -> Callable[[], None]:
    saved = [*kind.__iter__(value)]
    add = kind.update if kind is set else kind.extend

    def restore() -> None:
        if kind.__len__(value) != len(saved) or not all(map(is_, kind.__iter__(value), saved)):
            kind.clear(value)
            add(value, saved)

    return restore


def _kept_dict(value: Any, kind: Any) -> Callable[[], None]:
    saved = dict(kind.items(value))
    keys, values = [*saved], [*saved.values()]

    def restore() -> None:
        is_same = kind.__len__(value) == len(keys) and all(map(is_, kind.__iter__(value), keys))
        if not (is_same and all(map(is_, kind.values(value), values))):
            kind.clear(value)
            kind.update(value, saved)

    return restore


_KEPT: dict[type, Callable[[Any, Any], Callable[[], None]]] = {
    list: _kept_items,
    bytearray: _kept_items,
    deque: _kept_items,
    dict: _kept_dict,
    set: _kept_items,
}
