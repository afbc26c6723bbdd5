"""Any and all: a loop that answers for one item where every item was meant, and one that returns the first of many."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted, together
from .blocks import block_of, has_own_lines, indent_of, lines_of, newline_of
from .fitting import NOT, grouped
from .scope import own_nodes

_OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_RESULTS = ("result", "results", "all_results")


@operator("quantifier", 3.0, "one item decides where every item should, or the other way round")
def quantifier(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Negate the condition in a loop that answers True or False, and turn both answers."""
    if not isinstance(node, ast.For | ast.While):
        return
    tests = [n for n in node.body if isinstance(n, ast.If) and not n.orelse]
    if len(tests) != 1 or "\n" in source.segment(tests[0].test):
        return
    test = tests[0]
    body, _ = block_of(source, node)
    place = body.index(node)
    inner: ast.expr | None = None
    outer: ast.expr | None = None
    match test.body:
        case [ast.Return(value=ast.Constant(value=bool()) as inner)]:
            match body[place + 1 : place + 2]:
                case [ast.Return(value=ast.Constant(value=bool()) as outer)]:
                    pass
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=bool()) as inner), *rest]:
            if rest and not isinstance(rest[0], ast.Break):
                return
            for before in body[:place]:
                match before:
                    case ast.Assign(targets=[ast.Name(id=other)], value=ast.Constant(value=bool()) as value):
                        outer = value if other == name else outer
    if not isinstance(inner, ast.Constant) or not isinstance(outer, ast.Constant) or inner.value == outer.value:
        return
    parts = [(*source.span(test.test), _negated(source, test.test))]
    parts += [(*source.span(flag), str(not flag.value)) for flag in (inner, outer)]
    held = "one item" if outer.value else "every item"
    yield together(source, parts, f"{quoted(source.segment(test.test))} should hold for {held}")


@operator("collected", 4.6, "the first result is returned where all of them were meant")
def collected(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn the `return` in a loop into an `append`, start from an empty list, and return it after the loop."""
    if not isinstance(node, ast.For) or not has_own_lines(source, node) or not has_own_lines(source, node.body[-1]):
        return
    function = source.function(node)
    if function is None:
        return
    match node.body[-1]:
        case ast.Return(value=ast.expr()) as back:
            pass
        case ast.If(body=[ast.Return(value=ast.expr()) as back], orelse=[]) if has_own_lines(source, back):
            pass
        case _:
            return
    if not isinstance(back, ast.Return) or back.value is None or isinstance(back.value, ast.Tuple | ast.Constant):
        return
    name = _fresh(source, function)
    if name is None or "\n" in source.segment(back.value):
        return
    indent, newline = indent_of(source, node), newline_of(source)
    start, end = lines_of(source, node)
    body, _ = block_of(source, node)
    place = body.index(node)
    after = body[place + 1] if place + 1 < len(body) else None
    parts = [
        (start, start, f"{indent}{name} = []{newline}"),
        (*source.span(back), f"{name}.append({source.segment(back.value)})"),
    ]
    if isinstance(after, ast.Return) and has_own_lines(source, after):
        parts.append((*source.span(after), f"return {name}"))
    elif source.text[end - 1 : end] in ("\n", "\r"):
        parts.append((end, end, f"{indent}return {name}{newline}"))
    else:
        parts.append((end, end, f"{newline}{indent}return {name}"))
    yield together(source, parts, f"all {quoted(source.segment(back.value))} are returned, not only the first")


def _negated(source: Source, test: ast.expr) -> str:
    """Return the opposite of a condition, in plain words."""
    text = source.segment(test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return source.segment(inner)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            start, end = source.span(left)[0], source.span(right)[1]
            if (start, end) == source.span(test):
                return f"{source.segment(left)} {_OPPOSITE[type(op)]} {source.segment(right)}"
    return f"not {grouped(text, NOT)}"


def _fresh(source: Source, function: FunctionNode) -> str | None:
    used = {n.id for n in own_nodes(source, function) if isinstance(n, ast.Name)}
    used |= {n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)}
    return next((name for name in _RESULTS if name not in used), None)
