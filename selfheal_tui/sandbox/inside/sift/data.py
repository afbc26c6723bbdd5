"""What may change of the data that tests share: lists, dictionaries, sets and objects that stay from case to case.

A candidate that empties a list of the tests would have all that follow it judged wrong. Each candidate finds it as it
was collected; what a case does to it, the next case of the same candidate finds, as in a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from operator import is_
from types import FunctionType, ModuleType
from typing import Any

_MOST = 5_000
"""Parts of all data: comparing them takes 0.1 ms for each candidate. Further data is left as it is."""


class Data:
    """The data of some modules, and of values that cases are given, as it is now."""

    def __init__(self, modules: Iterable[ModuleType], values: Iterable[Any]) -> None:
        self._names = frozenset(module.__name__ for module in modules)
        self._restore: list[Callable[[], None]] = []
        seen: set[int] = set()
        names = ((vars(module), name) for module in modules for name in vars(module) if not name.startswith("__"))
        waiting = deque([*(space[name] for space, name in names), *values])
        while waiting and len(seen) <= _MOST:
            value = waiting.popleft()
            if id(value) not in seen:
                seen.add(id(value))
                waiting.extend(self._parts(value))

    def restore(self) -> None:
        """Put back what has changed; the objects stay the same ones."""
        for restore in self._restore:
            restore()

    def _parts(self, value: Any) -> Iterator[Any]:
        """Yield what a value holds, and note how it is."""
        kind = type(value)
        if issubclass(kind, list | bytearray):
            self._restore.append(_kept_list(value))
            yield from value if issubclass(kind, list) else ()
        elif issubclass(kind, dict):
            self._restore.append(_kept_dict(value))
            yield from dict.values(value)
        elif issubclass(kind, set):
            self._restore.append(_kept_set(value))
        elif issubclass(kind, tuple | frozenset):
            yield from value
        elif issubclass(kind, type) and value.__module__ in self._names:
            yield from vars(value).values()
        elif issubclass(kind, FunctionType) and value.__module__ in self._names:
            yield from value.__defaults__ or ()
        elif kind.__module__ in self._names and type(own := _fields(value)) is dict:
            yield own


def _fields(value: Any) -> Any:
    """Return an object's dictionary, if it has one; none of its own code runs."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def _kept_list(value: Any) -> Callable[[], None]:
    saved = value[:]
    kind: Any = list if isinstance(value, list) else bytearray

    def restore() -> None:
        if kind.__len__(value) != len(saved) or not all(map(is_, kind.__iter__(value), saved)):
            kind.__setitem__(value, slice(None), saved)

    return restore


def _kept_dict(value: dict[Any, Any]) -> Callable[[], None]:
    saved = dict(dict.items(value))
    keys, values = [*saved], [*saved.values()]

    def restore() -> None:
        is_same = dict.__len__(value) == len(keys) and all(map(is_, dict.__iter__(value), keys))
        if not (is_same and all(map(is_, dict.values(value), values))):
            dict.clear(value)
            dict.update(value, saved)

    return restore


def _kept_set(value: set[Any]) -> Callable[[], None]:
    saved = [*set.__iter__(value)]

    def restore() -> None:
        # Compared by identity: what a candidate has put in may have an `__eq__` that does not end.
        if set.__len__(value) != len(saved) or not all(map(is_, set.__iter__(value), saved)):
            set.clear(value)
            set.update(value, saved)

    return restore
