"""Methods of the receiver's own type that are named alike: `moment.time()` where `moment.timetz()` was meant."""

from __future__ import annotations

import ast
import builtins
import collections
import datetime
import decimal
import difflib
import fractions
import functools
import pathlib
import re
from collections.abc import Iterator
from types import ModuleType

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator
from .kinds import kinds

_HOMES: tuple[ModuleType, ...] = (builtins, datetime, collections, pathlib, re, decimal, fractions)
_MOST = 4
_ALIKE = 0.6


@operator("type_method", 2.4, "the type has another method of nearly that name")
def type_method(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a method for one with a similar name of the type that its receiver had when the cases ran."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    name, end = node.func.attr, source.span(node.func)[1]
    names = dict.fromkeys(method for kind in sorted(kinds(source, node.func.value)) for method in _methods(kind))
    if name not in names:
        return
    near = difflib.get_close_matches(name, [other for other in names if other != name], _MOST, _ALIKE)
    for place, other in enumerate(near):
        yield Splice(end - len(name), end, other, f"`.{name}` becomes `.{other}`", 1.0, 0.5 * bits(place))


@functools.cache
def _methods(kind: str) -> tuple[str, ...]:
    """Return the public methods of a type of Python's own, by its name."""
    owner = next((vars(home)[kind] for home in _HOMES if isinstance(vars(home).get(kind), type)), None)
    if owner is None:
        return ()
    return tuple(name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name, None)))
