"""Constants: flags, other numbers, and values the program, its documentation, the tests or a run show."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked, replace
from .kinds import NUMBERS, kinds
from .scope import is_value, numbers, texts

_MOST = 20
_SHORT = 16
_NAMED = {math.pi: "math.pi", math.e: "math.e", 2 * math.pi: "2 * math.pi"}
_NOTHINGS = ("0", "False", "True", "[]", '""', "-1", "1", "{}")


@operator("flag", 1.5, "True and False are mixed up")
def flag(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap True and False."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield replace(source, node, str(not node.value))


@operator("number", 3.0, "a constant has the wrong value", discount=0.5)
def number(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace an integer by its negation, its double or half, or by one that is common or mentioned somewhere."""
    if not (isinstance(node, ast.Constant) and type(node.value) is int):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
        yield replace(source, parent, str(node.value), 1.0, -0.5)
    value = node.value
    own = [value + 2, value - 2, -value, value * 2, value // 2, value * 10]
    near = {value, value + 1, value - 1}
    values = [v for v in dict.fromkeys((*numbers(source, node), *own)) if v not in near]
    yield from ranked(source, node, map(str, values[:_MOST]), 0.6)


@operator("constant", 4.2, "a constant was meant where a variable stands")
def constant(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a variable by a constant of its kind that the function uses, or by a common one."""
    if not isinstance(node, ast.Name) or not is_value(source, node):
        return
    kind = kinds(source, node)
    constants: list[str] = []
    if kind & NUMBERS or not kind:
        constants += map(str, numbers(source, node)[:6])
    if "str" in kind or not kind:
        constants += [repr(text) for text in texts(source, node)[:6]]
    if "bool" in kind:
        constants += ["True", "False"]
    yield from ranked(source, node, constants, 0.5, 0.0 if kind else 1.0)


@operator("decimal", 3.2, "a decimal number has the wrong value", discount=2.0)
def decimal(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a decimal number by a precise constant, a neighbour, its negation, double, half or inverse."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, float)):
        return
    value = node.value
    for precise in _NAMED:
        if value != precise and abs(value - precise) < 0.02:
            yield replace(source, node, repr(precise), 1.0, -2.0)
    whole = [repr(int(value))] if value.is_integer() else []
    inverse = [repr(1 / value)] if value else []
    near = [repr(value + 1), repr(value - 1), repr(-value), *inverse, repr(value * 2), repr(value / 2), *whole]
    yield from ranked(source, node, [*near, "0", "1", "2", 'float("inf")', '-float("inf")'], 0.5)


@operator("nothing", 3.5, "a value is missing where None stands, or the other way round")
def nothing(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace None by another empty value, and an empty value by None or its like."""
    if (
        not isinstance(node, ast.expr)
        or not is_value(source, node)
        or isinstance(source.parents.get(node), ast.Compare)
    ):
        return
    text = source.segment(node)
    if isinstance(node, ast.Constant) and node.value is None:
        yield from ranked(source, node, _NOTHINGS, 0.4)
    elif text in ("[]", "{}", "()", '""', "''", "set()"):
        yield from ranked(source, node, ("None", "[[]]", '""', "[]", "{}", "0", "set()", "()"), 0.4)


@operator("infinity", 3.0, "a starting value is not low or high enough")
def infinity(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Start from minus or plus infinity, and turn one into the other."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            if isinstance(value, ast.Constant) and type(value.value) is int:
                yield from ranked(source, value, ('float("inf")', 'float("-inf")'), 0.4, 1.0)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="inf")]):
            parent = source.parents.get(node)
            if not isinstance(parent, ast.UnaryOp):
                yield replace(source, node, 'float("-inf")')
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="-inf")]):
            yield replace(source, node, 'float("inf")')


@operator("seen", 3.2, "a comparison names a value that never occurs")
def seen(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Compare with a value that the other side had in a run."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        if isinstance(side, ast.Constant) and isinstance(side.value, str | int) and not isinstance(side.value, bool):
            values = [value for value in source.values(other) if value != side.value and len(str(value)) < _SHORT]
            yield from ranked(source, side, map(repr, values), 0.5)
