"""What both processes know by name: data types, pure functions, exceptions and a few enumerations of Python itself.

A name from the other side is looked up in tables, never on an object: see `look_up`, `look_up_error`, `look_up_member`.
"""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import enum
import fractions
import functools
import importlib
import math
import operator
import os
import pathlib
import sys
import types
import uuid
from array import array
from typing import Any

from .frames import Malformed

Name = tuple[str, str]
"""Module and qualified name."""

_TYPES = (
    *(bool, bytearray, bytes, complex, dict, enumerate, filter, float, frozenset, int, list, map, memoryview, object),
    *(property, range, reversed, set, slice, staticmethod, classmethod, str, super, tuple, type, zip, array),
    *(collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque, collections.ChainMap),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, datetime.tzinfo),
    *(decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.Path, pathlib.PurePath, pathlib.PurePosixPath),
    *(pathlib.PureWindowsPath, pathlib.PosixPath, types.SimpleNamespace),
)
_FUNCTIONS = (
    *(abs, all, any, ascii, bin, callable, chr, divmod, format, hash, hex, isinstance, issubclass, iter, len, max, min),
    *(next, oct, ord, pow, repr, round, sorted, sum, functools.reduce),
)
_METHODS_OF = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset)
_METHOD = type(str.upper)
STDLIB = os.path.dirname(os.__file__)
_ENUM_MODULES = ("calendar", "http", "re", "signal", "socket", "uuid")
_OTHERS_ERRORS = ("unittest", "doctest", "bdb", "pdb")
"""Exceptions of these mean something to whoever runs the tests: a program may not raise the real ones."""


def _table() -> dict[Name, object]:
    table: dict[Name, object] = {}
    for one in (*_TYPES, *_FUNCTIONS):
        table[one.__module__, one.__qualname__] = one
    for name in operator.__all__:
        table["operator", name] = getattr(operator, name)
    for name, value in vars(math).items():
        if callable(value):
            table["math", name] = value
    for kind in _METHODS_OF:
        for name, value in vars(kind).items():
            if type(value) is _METHOD and not name.startswith("_"):
                table["builtins", value.__qualname__] = value
    table["types", "NoneType"] = type(None)
    table["types", "EllipsisType"] = type(...)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            table.setdefault(("builtins", value.__name__), value)
            table.setdefault(("builtins", name), value)
    return table


_KNOWN = _table()
_NAMES = {id(value): name for name, value in reversed(_KNOWN.items())}


def name_of(value: object) -> Name | None:
    """Return the name under which the other side knows the very same thing."""
    return _NAMES.get(id(value))


def look_up(module: object, name: object) -> Any:
    """Return what `name_of` named. Raises: Malformed."""
    try:
        return _KNOWN[module, name]  # type: ignore[index]
    except (KeyError, TypeError):
        raise Malformed("a name that nobody knows") from None


def is_known_type(module: str, name: str) -> bool:
    """Say whether `look_up` has a type of this name."""
    return isinstance(_KNOWN.get((module, name)), type)


def look_up_error(module: str, name: str) -> type[BaseException] | None:
    """Return Python's own exception class of this name if the tests can have met it: its module is loaded here."""
    kind = _KNOWN.get((module, name)) if module == "builtins" else None
    if is_stdlib(module) and module.partition(".")[0] not in ("builtins", *_OTHERS_ERRORS):
        kind = vars(sys.modules[module]).get(name)
    # A proxy of a program's class has another metaclass.
    return kind if type(kind) is type and issubclass(kind, BaseException) else None


def member_name(value: object) -> tuple[str, str, str] | None:
    """Return module, class and name of a member of one of Python's own enumerations."""
    kind = type(value)
    if not issubclass(kind, enum.Enum) or kind.__module__ not in _ENUM_MODULES or not is_stdlib(kind.__module__):
        return None
    name = value._name_  # type: ignore[attr-defined]
    return (kind.__module__, kind.__qualname__, name) if kind._member_map_.get(name) is value else None


def look_up_member(module: object, kind: object, name: object) -> enum.Enum:
    """Return what `member_name` named. Raises: Malformed."""
    if module in _ENUM_MODULES and type(kind) is str and type(name) is str:
        place = importlib.import_module(module)
        enumeration = vars(place).get(kind) if type(place) is types.ModuleType else None
        if type(enumeration) is enum.EnumMeta and name in enumeration._member_map_:
            return enumeration._member_map_[name]
    raise Malformed("a member of an enumeration that nobody knows")


def library_name(value: Any) -> Name | None:
    """Return where a function or class of the standard library or an installed package is to be found again."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    place = sys.modules.get(module) if type(module) is str else None
    if type(module) is not str or type(name) is not str or place is None or not is_library(module):
        return None
    try:
        namesake = functools.reduce(getattr, name.split("."), place)
    except AttributeError:
        return None
    return (module, name) if namesake is value else None


def is_stdlib(module: str) -> bool:
    """Say whether the loaded module of this name is Python's own; a program may have files of the same names."""
    place = sys.modules.get(module)
    if type(place) is not types.ModuleType or module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(place, "__file__", None)
    return file is None or (file.startswith(STDLIB) and not is_installed(file))


def is_library(module: str) -> bool:
    """Say whether a loaded module comes with Python or was installed: nobody wrote it for these tests."""
    place = sys.modules.get(module)
    file = getattr(place, "__file__", None) if type(place) is types.ModuleType else None
    return is_stdlib(module) or is_installed(file or "")


def is_installed(file: str) -> bool:
    """Say whether a file belongs to an installed package."""
    return "site-packages" in file or "dist-packages" in file


def is_special(name: str) -> bool:
    """Say whether the name is of the form `__name__`."""
    return name.startswith("__") and name.endswith("__")
