"""Results that nobody uses: comparisons that do nothing as statements, and what is taken from a collection."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted
from .blocks import has_own_lines, indent_of, newline_of, step_of
from .scope import own_nodes

_TURNED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}

_TAKES = frozenset({"pop", "popleft"})
_COUNTER: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+"}
_MOST_COUNTED = 3
"""Running amounts of a function that may have lost an update."""


@operator("unused_comparison", 1.2, "the result of a comparison is not used")
def unused_comparison(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make a comparison that stands alone a guard that returns, an assignment, or the result."""
    match node:
        case ast.Expr(value=ast.Compare(left=left, ops=[sign], comparators=[right])) if has_own_lines(source, node):
            pass
        case _:
            return
    one, other = source.segment(left), source.segment(right)
    if "\n" in one + other:
        return
    start, end = source.span(node)
    if isinstance(sign, ast.Eq) and isinstance(left, ast.Name | ast.Attribute | ast.Subscript):
        yield Splice(start, end, f"{one} = {other}", f"{quoted(source.segment(node))} assigns")
    function = source.function(node)
    if function is None:
        return
    body = indent_of(source, node) + step_of(source)
    tests = (f"{one} {_TURNED[type(sign)]} {other}", source.segment(node))
    returned = [n.value for n in own_nodes(source, function) if isinstance(n, ast.Return) and n.value is not None]
    constants = [source.segment(value) for value in returned if isinstance(value, ast.Constant)]
    for place, value in enumerate(dict.fromkeys((*constants, "False", "True"))):
        for turn, test in enumerate(tests):
            text = f"if {test}:{newline_of(source)}{body}return {value}"
            yield Splice(start, end, text, f"returns {quoted(value)} if {quoted(test)}", 1.0, 0.4 * (place + turn))
    yield Splice(start, end, f"return {source.segment(node)}", f"{quoted(source.segment(node))} is returned", 1.0, 1.0)


@operator("unused_taken", 2.4, "what is taken out is not taken off the amount that it was added to")
def unused_taken(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `window.popleft()` into `total -= window.popleft()` beside `total += value`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if name in _TAKES:
            function = source.function(node)
        case _:
            return
    if function is None:
        return
    signs = {
        source.segment(one.target): _COUNTER[type(one.op)]
        for one in own_nodes(source, function)
        if isinstance(one, ast.AugAssign) and type(one.op) in _COUNTER
    }
    start = source.span(node)[0]
    for place, (amount, sign) in enumerate([*signs.items()][:_MOST_COUNTED]):
        text = f"{amount} {sign}= "
        reason = f"{quoted(source.segment(node.value))} is taken off {quoted(amount)}"
        yield Splice(start, start, text, reason, 1.0, 0.5 * place)
