"""Values that a module of Python's own names: `":"` where `os.pathsep` was meant."""

from __future__ import annotations

import ast
import math
import os
import string
from collections.abc import Iterator
from types import ModuleType

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .scope import is_value

_MODULES: tuple[ModuleType, ...] = (os, math, string)
_ALIKE = 1e-2
"""How far a number may be from the precise one: 3.14 is meant to be pi."""


@operator("named_value", 3.6, "a value is written out where a module has a name for it")
def named_value(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put the name that an imported module has for a constant in the constant's place."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str | float) or not is_value(source, node):
        return
    if "named_values" not in source.memo:
        source.memo["named_values"] = _named(source.tree)
    names: dict[str, object] = source.memo["named_values"]
    yield from ranked(source, node, (name for name, value in names.items() if _same(value, node.value)), 0.5)


def _named(tree: ast.Module) -> dict[str, object]:
    """Return the constants that a program's imports reach: `os.pathsep` -> ":"."""
    names: dict[str, object] = {}
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.Import):
            continue
        for alias in statement.names:
            module = next((m for m in _MODULES if m.__name__ == alias.name), None)
            for name, value in vars(module).items() if module else ():
                if not name.startswith("_") and isinstance(value, str | float):
                    names[f"{alias.asname or alias.name}.{name}"] = value
    return names


def _same(value: object, constant: str | float | bytes | complex | None) -> bool:
    if isinstance(value, float) and isinstance(constant, float):
        return math.isclose(value, constant, rel_tol=_ALIKE) if math.isfinite(constant) else value == constant
    return isinstance(value, str) and value == constant and value != ""
