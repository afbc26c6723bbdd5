"""Two objects, or two numbers: `min` and `max` changed places, one value where that of both was meant, and equality
that leaves an attribute out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked, together
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


@operator("all_compared", 3.0, "objects are equal without all of their attributes")
def all_compared(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Compare in `__eq__` one more attribute that `__init__` sets."""
    function = source.function(node)
    if not isinstance(node, ast.Return) or node.value is None or function is None or function.name != "__eq__":
        return
    names, holder = [argument.arg for argument in function.args.args], source.parents.get(function)
    if len(names) != 2 or not isinstance(holder, ast.ClassDef):
        return
    own, other = names
    compared = {one.attr for one in ast.walk(node.value) if isinstance(one, ast.Attribute)}
    end = source.span(node.value)[1]
    for name in _set_by(holder):
        if name not in compared and compared:
            text = f" and {own}.{name} == {other}.{name}"
            yield Splice(end, end, text, f"{quoted(text[5:])} is asked too")


def _set_by(holder: ast.ClassDef) -> list[str]:
    """Return the attributes that the `__init__` of a class sets, without those of its own."""
    made = [one for one in holder.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    set_there = [
        one.attr
        for function in made
        for one in ast.walk(function)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    ]
    return [name for name in dict.fromkeys(set_there) if not name.startswith("_")]
