"""Setup that takes long: what a fixture of a wide scope gave is kept for the cases and candidates that follow.

Kept is the value of a fixture that cannot reach the program (apart.py), that has nothing to tear down, does not ask
for `request`, and uses only such fixtures. The value must be one that can be compared: it is pickled each time before
it is given to a case, and where a case has changed it, it is made anew. Anything else is set up and torn down for each
case: connections, servers, files, whatever works by what it does and not by what it returns.

What such a fixture does besides returning its value (it fills a table, sets a variable) is not seen. Where a passing
case fails at its second run for that, nothing is kept. If it is another case, a candidate may be misjudged. That costs
only its chance: what helps is confirmed by a process of its own, which sets everything up.
"""

from __future__ import annotations

import inspect
import io
import os
import pickle
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from types import FunctionType
from typing import Any

_WORTH_S = 0.001
_DEAREST = 0.1
"""What comparing a value may cost, as a share of making it."""
_UNKEPT_CODE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_FIXED = (int, float, complex, str, bytes, PurePath)


class Warm:
    """The fixtures whose values are kept."""

    def __init__(self, is_apart: Callable[[FunctionType], bool], program: frozenset[str]) -> None:
        self._is_apart = is_apart
        self._program = program
        self._needs: dict[Any, set[tuple[Any, ...]]] = {}
        """Fixture of a wide scope -> the fixtures that it uses; another case may have others for it."""
        self._values: dict[Any, Any] = {}
        """Fixture -> its value, which stays the same object or is one that cannot change; None where it does not."""
        self._functions: dict[Any, FunctionType] = {}
        """Fixture -> its function, which a kept value stands in for."""

    @property
    def is_on(self) -> bool:
        """Whether a value is kept."""
        return bool(self._functions)

    def prepare(self, items: Iterable[Any]) -> None:
        """Set up what these cases use and what may be kept."""
        for item in items:
            by_name = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
            for fixtures in by_name.values():
                fixture = fixtures[-1]
                if fixture.scope != "function":
                    needs = tuple(by_name[name][-1] if name in by_name else None for name in fixture.argnames)
                    self._needs.setdefault(fixture, set()).add(needs)
        for fixture in self._needs:
            self._value(fixture)

    def cool(self) -> None:
        """Keep nothing from now on."""
        for fixture, function in self._functions.items():
            fixture.func = function
        self._functions.clear()

    def _value(self, fixture: Any) -> Any:
        if fixture not in self._values:
            self._values[fixture] = None
            self._values[fixture] = self._make(fixture)
        return self._values[fixture]

    def _make(self, fixture: Any) -> Any:
        function, all_needs = fixture.func, self._needs.get(fixture, ())
        if not isinstance(function, FunctionType) or function.__code__.co_flags & _UNKEPT_CODE or len(all_needs) != 1:
            return None
        (needs,) = all_needs
        if None in needs or fixture in needs or not self._is_apart(function):
            return None
        values = {name: self._value(need) for name, need in zip(fixture.argnames, needs, strict=True)}
        if any(value is None for value in values.values()):
            return None
        began = time.perf_counter()
        try:
            value = function(**values)
            took_s = time.perf_counter() - began
            kept = _Kept(function, value, self._program) if took_s > _WORTH_S else None
        except Exception:  # foreign code: it fails, or its value cannot be pickled
            return None
        if kept is not None and kept.compare_s < took_s * _DEAREST:
            self._functions[fixture] = function
            fixture.func = lambda **values: kept.give(values)
            return value
        return value if isinstance(value, _FIXED) else None


class _Kept:
    """A value, and how it looked when it was made."""

    def __init__(self, function: FunctionType, value: Any, program: frozenset[str]) -> None:
        """Raises what pickling raises."""
        if value is None:
            raise pickle.PicklingError
        _Looker(io.BytesIO(), program).dump(value)
        self._function = function
        self._value = value
        self._look = _look(value)
        began = time.perf_counter()
        _look(value)
        self.compare_s = time.perf_counter() - began

    def give(self, values: Mapping[str, Any]) -> Any:
        """Return the value; a new one where a case has changed it."""
        if not self._is_as_made():
            self._value = self._function(**values)
            self._look = _look(self._value)
        return self._value

    def _is_as_made(self) -> bool:
        try:
            return _look(self._value) == self._look
        except Exception:  # foreign code: a case has put something into it
            return False


class _Looker(pickle.Pickler):
    """Refuses what stands for a file, which a case may change, and objects of the program."""

    def __init__(self, file: io.BytesIO, program: frozenset[str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._program = program

    def persistent_id(self, part: Any) -> None:
        """Look at each part. Raises: PicklingError."""
        is_file = isinstance(part, PurePath) or (isinstance(part, str) and os.sep in part and os.path.exists(part))
        owner = part.__module__ if isinstance(part, type | FunctionType) else type(part).__module__
        if is_file or owner in self._program:
            raise pickle.PicklingError


def _look(value: Any) -> int:
    """Return a number that changes with the value. Raises what pickling raises."""
    return hash(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
