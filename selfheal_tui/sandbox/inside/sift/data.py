"""What may change of the data that tests share: lists, dictionaries, sets and objects that stay from case to case.

A candidate that empties a list of the tests would have all that follow it judged wrong. Each candidate finds it as it
was collected; what a case does to it, the next case of the same candidate finds, as in a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from .containers import restorer

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
        if restore := restorer(value):
            self._restore.append(restore)
        if issubclass(kind, dict):
            yield from dict.values(value)
        elif issubclass(kind, list | deque | tuple | frozenset):
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
