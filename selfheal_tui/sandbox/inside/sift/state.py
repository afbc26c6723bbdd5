"""What lies in the program's modules once they are imported, and whether a candidate left it as it was.

All that can be reached from the modules is watched: names, classes, functions, containers, objects. What hides its
state (an iterator, an open file) cannot be, and then nothing is told. Objects of other libraries' modules and classes
are none of it: an import of the program would not put them back either.
"""

from __future__ import annotations

import abc
import datetime
import decimal
import gc
import logging
import operator
import re
import struct
import sys
import threading
import types
import uuid
import weakref
from collections import defaultdict, deque, namedtuple
from collections.abc import Callable, Collection
from functools import partial
from importlib.machinery import ModuleSpec
from operator import is_
from pathlib import PurePath
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .containers import restorer

_NOTHING = object()
_MOST = 50_000
"""Parts; more would cost more than they save."""
_HEAP = 1 << 9
"""Flag of a class that was made at run time."""
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_FIXED: frozenset[type] = frozenset(
    (
        *_LOCKS,
        type(vars(namedtuple("_", "field"))["field"]),
        *(type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented)),
        *(CodeType, ModuleType, re.Pattern, struct.Struct, weakref.ref, decimal.Decimal),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, datetime.tzinfo),
        *(operator.itemgetter, operator.attrgetter, operator.methodcaller, types.GenericAlias, types.UnionType),
        *(types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType),
        *(types.MethodDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType),
    )
)
"""Their objects do not change."""
_FIXED_IN = frozenset({"typing", "_abc", f"{__package__}.shelf"})
"""Modules whose classes make nothing else; ours is the loader of the program."""
_OUTSIDE = (logging.Logger, PurePath, uuid.UUID, ModuleSpec)
"""Nor do these, or they are the same however often the program is imported."""
_SHOWN = frozenset(
    {dict, list, tuple, set, frozenset, deque, defaultdict, FunctionType, types.MethodType, types.CellType, property}
    | {staticmethod, classmethod, types.MappingProxyType, partial, types.BuiltinFunctionType}
    | {types.SimpleNamespace, type(re.compile("").match)}
)


class State:
    """The modules' state when this was made."""

    def __init__(self, modules: Collection[ModuleType]) -> None:
        self._spaces = {id(vars(module)) for module in list(sys.modules.values())} - {id(vars(m)) for m in modules}
        self._names = {module.__name__ for module in modules}
        self._parts: list[Any] = []
        self._locks: list[Any] = []
        self._restore: list[Callable[[], None]] = []
        self._functions: dict[int, list[FunctionType]] = {}
        self.is_watched = self._reach([*map(vars, modules), *self._made_elsewhere()])
        """All of it is."""
        self._referents = gc.get_referents(*self._parts)
        self._token = abc.get_cache_token()

    def is_as_it_was(self) -> bool:
        """Tell whether everything that was there still is, and nothing else."""
        referents = gc.get_referents(*self._parts)
        same = len(referents) == len(self._referents) and all(map(is_, referents, self._referents))
        return same and abc.get_cache_token() == self._token and not any(map(_is_held, self._locks))

    def functions(self, code: CodeType) -> list[FunctionType]:
        """Return the functions that have this very code, wherever they are kept."""
        return self._functions.get(id(code), [])

    def restore(self) -> bool:
        """Put back what containers and classes held; tell whether everything is as it was then."""
        for restore in self._restore:
            restore()
        return self.is_as_it_was()

    def _made_elsewhere(self) -> list[Any]:
        """Return functions and objects of the program, some of which only another module may hold."""
        return [
            one
            for one in gc.get_objects()
            if (one.__module__ if type(one) is FunctionType else type(one).__module__) in self._names
        ]

    def _reach(self, waiting: list[Any]) -> bool:
        seen: set[int] = set()
        while waiting:
            part = waiting.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            kind = self._kind(part)
            if kind is None or len(self._parts) > _MOST:
                return False
            if type(part) in _LOCKS:
                self._locks.append(part)
            if not kind:
                continue
            if type(part) is FunctionType:
                self._functions.setdefault(id(part.__code__), []).append(part)
            elif type(part) not in _SHOWN and hasattr(part, "__dict__"):
                vars(part)  # from now on it is a dictionary of its own, whoever else asks for it
            self._parts.append(part)
            if isinstance(part, type):
                self._restore.append(partial(_restore_class, part, dict(vars(part))))
                # Its own dictionary is watched, and put back by way of the class, which caches what is in it.
                spaces = [one for one in gc.get_referents(part) if type(one) is dict and id(one) not in seen]
                seen.update(map(id, spaces))
                self._parts += spaces
                waiting += vars(part).values()
            elif restore := restorer(part):
                self._restore.append(restore)
            waiting += gc.get_referents(part)
        return True

    def _kind(self, part: Any) -> bool | None:
        """Tell whether a part may change and shows it; None where it may change and hides it."""
        kind = type(part)
        if id(part) in self._spaces or kind in _FIXED or kind.__module__ in _FIXED_IN:
            return False
        if issubclass(kind, _OUTSIDE) and kind.__module__ not in self._names:
            return False
        if isinstance(part, type):
            return part.__module__ in self._names and bool(part.__flags__ & _HEAP)
        if kind in _SHOWN:
            return True
        below = next(one for one in kind.__mro__ if one.__module__ not in self._names and not _is_of_python(one))
        return True if below is object or below in _SHOWN or below in _FIXED else None


def _is_of_python(kind: type) -> bool:
    """Tell whether a class was written in Python."""
    if not kind.__flags__ & _HEAP:
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return file.endswith(".py")


def _restore_class(kind: type, held: dict[str, Any]) -> None:
    now = dict(vars(kind))
    for name in now.keys() - held.keys():
        type.__delattr__(kind, name)
    for name, value in held.items():
        if now.get(name, _NOTHING) is not value:
            type.__setattr__(kind, name, value)


def _is_held(lock: Any) -> bool:
    return bool(lock._is_owned() if hasattr(lock, "_is_owned") else lock.locked())
