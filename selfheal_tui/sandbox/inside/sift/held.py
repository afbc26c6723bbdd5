"""What the tests hold of the program since they were collected: classes, functions and modules, in whatever holds them.

What can be found again by its name is exchanged for what a candidate has in its place. What cannot (an object of the
program's, a class that is derived from one of its classes) is told, as no candidate that is imported anew reaches it.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CellType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

_MOST = 20_000
"""Containers that are looked into; behind them anything may be held."""
_SETS = (tuple, set, frozenset, deque)
_WRAPPERS = (staticmethod, classmethod)
_NO_KEY = object()


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that holds something of the program."""

    holder: Any
    """A dictionary, a list or a class."""
    key: Any
    module: str
    path: str
    """Names that lead from the module to what is held; empty for the module itself."""
    wrapper: type | None

    def value(self, modules: Mapping[str, ModuleType]) -> Any:
        """Return what these modules have for it. Raises: AttributeError, KeyError."""
        part = _found(modules[self.module], self.path)
        return part if self.wrapper is None else self.wrapper(part)

    def put(self, value: Any) -> Any:
        """Let the place hold a value; return what it held."""
        if isinstance(self.holder, type):
            before = vars(self.holder)[self.key]
            type.__setattr__(self.holder, self.key, value)
        else:
            before = self.holder[self.key]
            self.holder[self.key] = value
        return before


class Held:
    """What these test modules and `others` (parameters, classes of cases) hold of the program's modules."""

    def __init__(self, tests: Collection[ModuleType], others: Iterable[Any], program: Mapping[str, ModuleType]) -> None:
        self._program = program
        self._tests = {module.__name__ for module in tests}
        self.slots: list[Slot] = []
        self.fast: set[str] = set()
        """Modules of the program of which something is held that cannot be exchanged."""
        try:
            self._reach([*map(vars, tests), *(one for one in others if self._holds(one))])
        except Exception:  # foreign code: an object that does not say what it holds
            self.fast.update(program)

    def _reach(self, waiting: list[Any]) -> None:
        seen = set(map(id, waiting))
        while waiting:
            holder = waiting.pop()
            for key, part in _parts(holder):
                if owners := self._owners(part):
                    self._note(holder, key, part, owners)
                elif id(part) not in seen and self._holds(part):
                    seen.add(id(part))
                    waiting.append(part)
            if len(seen) > _MOST:
                self.fast.update(self._program)
                return

    def _note(self, holder: Any, key: Any, part: Any, owners: set[str]) -> None:
        wrapper = type(part) if isinstance(part, _WRAPPERS) else None
        one = part.__func__ if isinstance(part, _WRAPPERS) else part
        is_module = isinstance(one, ModuleType)
        module = one.__name__ if is_module else getattr(one, "__module__", None)
        path = "" if is_module else getattr(one, "__qualname__", None)
        if key is not _NO_KEY and isinstance(module, str) and module in self._program and isinstance(path, str):
            try:
                found = _found(self._program[module], path)
            except AttributeError:  # made by a function, or of another name
                found = None
            if found is one or (type(one) is MethodType and found == one):
                self.slots.append(Slot(holder, key, module, path, wrapper))
                return
        self.fast |= owners

    def _owners(self, part: Any) -> set[str]:
        """Return the program's modules that made a part; none where it is not the program's."""
        if isinstance(part, _WRAPPERS):
            part = part.__func__
        if isinstance(part, ModuleType):
            return {part.__name__} & self._program.keys()
        if isinstance(part, FunctionType | MethodType):
            return {part.__module__} & self._program.keys()
        if isinstance(part, type) and part.__module__ in self._program:
            return {part.__module__}
        wrapped = getattr(part, "__wrapped__", None) if type(part).__module__ == "functools" else None
        made_by = {kind.__module__ for kind in type(part).__mro__} | ({wrapped.__module__} if wrapped else set())
        return made_by & self._program.keys()

    def _holds(self, part: Any) -> bool:
        """Tell whether a part, which is not the program's, is looked into."""
        if isinstance(part, type):
            return part.__module__ in self._tests
        if isinstance(part, FunctionType):
            return part.__module__ in self._tests
        plain = (dict, list, *_SETS, *_WRAPPERS, property, MethodType, CellType, SimpleNamespace, functools.partial)
        return isinstance(part, plain) or type(part).__module__ in self._tests


def _parts(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (key, part) of what a holder holds; a part without a key cannot be exchanged."""
    if isinstance(holder, dict):
        yield from list(dict.items(holder))
        yield from ((_NO_KEY, key) for key in list(dict.keys(holder)))
    elif isinstance(holder, list):
        yield from enumerate(list(holder))
    elif isinstance(holder, type):
        yield from list(vars(holder).items())
        yield from ((_NO_KEY, base) for base in holder.__bases__)
    else:
        yield from ((_NO_KEY, part) for part in _fixed_parts(holder))
    if not isinstance(holder, type) and isinstance(fields := getattr(holder, "__dict__", None), dict):
        yield _NO_KEY, fields


def _fixed_parts(holder: Any) -> Iterable[Any]:
    if isinstance(holder, _SETS):
        return list(holder)
    if isinstance(holder, FunctionType):
        return [*(holder.__closure__ or ()), *(holder.__defaults__ or ()), holder.__kwdefaults__]
    if isinstance(holder, CellType):
        try:
            return [holder.cell_contents]
        except ValueError:  # empty
            return []
    if isinstance(holder, MethodType):
        return [holder.__self__, holder.__func__]
    if isinstance(holder, functools.partial):
        return [holder.func, holder.args, holder.keywords]
    if isinstance(holder, property):
        return [holder.fget, holder.fset, holder.fdel]
    return [holder.__func__] if isinstance(holder, _WRAPPERS) else []


def _found(module: ModuleType, path: str) -> Any:
    return functools.reduce(getattr, path.split("."), module) if path else module
