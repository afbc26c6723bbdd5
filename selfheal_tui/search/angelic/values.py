"""Values: right-hand sides of assignments and bounds of loops, forced to be what was seen or is expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from ..operators.base import replace
from ..operators.scope import is_value, numbers
from .base import Spot, forced, wrapped

_LONGEST, _SHORT = 120, 80
_MOST_TRIALS = 16


@forced("angelic_value", 4.8, "a variable is given another value than the cases need")
def assigned_values(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Force what is assigned to a variable, and what it is moved on by."""
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        yield from _spots(source, node.value, target)


@forced("angelic_bound", 4.4, "a loop runs too often, or not often enough")
def bounds(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Force the arguments of `range`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        for argument in node.args[:2]:
            if not isinstance(argument, ast.Starred):
                yield from _spots(source, argument, argument)


def _spots(source: Source, value: ast.expr, target: ast.expr) -> Iterator[Spot]:
    if not is_value(source, value) or len(source.segment(value)) > _LONGEST:
        return
    if any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(value)):
        return
    trials = _trials(source, value, target)
    if trials:
        yield wrapped(source, value, lambda text: replace(source, value, text), trials)


def _trials(source: Source, value: ast.expr, target: ast.expr) -> tuple[str, ...]:
    """Return literals that may be meant: values of its type that were seen, constants, expected results."""
    types = source.types(value) | source.types(target)
    texts = [repr(one) for one in (*source.values(value), *source.values(target))]
    if not types or types & {"int", "float"}:
        seen = [number for number in source.values(value) if isinstance(number, int)]
        texts += [repr(number + step) for number in seen[:3] for step in (1, -1)]
        texts += map(repr, numbers(source, value)[:8])
    texts += [text for text in source.observations.expected.values() if len(text) <= _SHORT]
    return tuple(dict.fromkeys(text for text in texts if not types or _type_of(text) in types))[:_MOST_TRIALS]


def _type_of(text: str) -> str:
    return type(ast.literal_eval(text)).__name__
