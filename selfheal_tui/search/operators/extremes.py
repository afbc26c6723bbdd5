"""The smaller and the larger of two: `min` and `max` changed places, or one value where that of both was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked, together
from .kinds import NUMBERS, kinds

_OTHER = {"min": "max", "max": "min"}


@operator("extremes", 2.6, "the smallest and the largest changed places")
def extremes(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `max` for each `min` of a statement's expression, and `min` for each `max`, where it has both."""
    if not isinstance(node, ast.Return | ast.Assign) or node.value is None:
        return
    named = [
        call.func
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _OTHER
    ]
    if {name.id for name in named} == {*_OTHER}:
        parts = [(*source.span(name), _OTHER[name.id]) for name in named]
        yield together(source, parts, "`min` and `max` are swapped")


@operator("of_both", 3.4, "the value of one object stands where that of both was meant")
def of_both(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take the larger or smaller of an attribute of both objects of a method: `max(self.end, other.end)`."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)):
        return
    parent, function = source.parents.get(node), source.function(node)
    if function is None or not isinstance(source.parents.get(function), ast.ClassDef):
        return
    taken = isinstance(parent, ast.Return | ast.Assign | ast.Tuple) or (
        isinstance(parent, ast.Call) and node in parent.args and ast.unparse(parent.func) not in _OTHER
    )
    known = kinds(source, node)
    if not taken or (known and not known & NUMBERS):
        return
    names = [argument.arg for argument in function.args.args]
    if len(names) == 2 and node.value.id in names:
        both = ", ".join(f"{name}.{node.attr}" for name in names)
        yield from ranked(source, node, (f"max({both})", f"min({both})"), 0.4)
