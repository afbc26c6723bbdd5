"""Guards: an empty, missing, special or failing case that is not handled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import (
    first_statement,
    has_own_lines,
    indent_of,
    inserter,
    lines_of,
    may_return,
    newline_of,
    shifted,
    step_of,
)
from .fitting import AND, OR, grouped
from .kinds import NUMBERS, SIZED
from .pool import conditions
from .scope import is_value, own_nodes, scope

_CONSTANTS = ("False", "True", "None", "0", "[]", '""', "1", "-1")
_MOST_CONDITIONS = 50
_MOST_RESULTS = 14
_MOST_BITS = 5.0
_ERRORS = frozenset(
    {"IndexError", "KeyError", "ValueError", "ZeroDivisionError", "TypeError", "AttributeError", "StopIteration"}
)


@operator("guard", 4.4, "an empty or missing value is not handled")
def guard(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a constant at the start of a function when an argument is empty, missing or not positive."""
    function = _starts(source, node)
    if function is None or not isinstance(node, ast.stmt):
        return
    visible = scope(source, node)
    insert = inserter(source, node)
    place = 0
    for arg in function.args.args:
        if arg.arg in ("self", "cls"):
            continue
        kind = visible.get(arg.arg, frozenset())
        tests = [] if kind and not kind & SIZED else [f"not {arg.arg}", f"len({arg.arg}) <= 1"]
        tests += [f"{arg.arg} <= 0", f"{arg.arg} == 1"] if kind & NUMBERS else []
        tests += [f"{arg.arg} is None"] if not kind or "NoneType" in kind else []
        for test in tests:
            for value in _results(source, function, node):
                reason = f"`{function.name}` returns {quoted(value)} if {quoted(test)}"
                yield insert((f"if {test}:", f"\treturn {value}"), reason, 0.5 * bits(place))
                place += 1


@operator("special_case", 6.0, "a special case is not handled")
def special_case(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a value before a statement on a condition over the variables there."""
    function = source.function(node)
    if function is None or not may_return(source, node):
        return
    if not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    if isinstance(node, FunctionNode | ast.ClassDef):
        return
    first = node is first_statement(function)
    results = [(value, 0.6 * bits(place)) for place, value in enumerate(_results(source, function, node))]
    insert = inserter(source, node)
    for place, test in enumerate(conditions(source, node)[:_MOST_CONDITIONS]):
        base = (0.0 if first else 1.0) + 0.8 * bits(place)
        for value, extra in results:
            if base + extra < _MOST_BITS:
                lines = (f"if {test}:", f"\treturn {value}")
                yield insert(lines, f"{quoted(f'if {test}: return {value}')} is added", base + extra)


@operator("exception", 5.0, "an exception that may be raised is not handled")
def exception(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a constant, or go on, when a statement raises what a failing case raised there."""
    if not isinstance(node, ast.stmt) or not may_return(source, node) or isinstance(node, FunctionNode | ast.ClassDef):
        return
    raised = {kind for kind, _, line in source.observations.errors if kind in _ERRORS and line == node.lineno}
    if (
        not raised
        or not has_own_lines(source, node)
        or isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try)
    ):
        return
    indent, step, newline = indent_of(source, node), step_of(source), newline_of(source)
    body = shifted(source, node, node, indent + step)
    if body is None:
        return
    for kind in sorted(raised):
        for place, action in enumerate(("pass", *(f"return {value}" for value in _CONSTANTS))):
            text = f"{indent}try:{newline}{body}{indent}except {kind}:{newline}{indent}{step}{action}{newline}"
            yield Splice(
                *lines_of(source, node), text, f"{quoted(f'except {kind}: {action}')} is added", 1.0, 0.5 * bits(place)
            )


@operator("wider_handler", 3.2, "an exception of another type should be handled too")
def wider_handler(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Let a handler catch what a failing case raised, or any exception."""
    if not isinstance(node, ast.ExceptHandler) or node.type is None:
        return
    old = source.segment(node.type)
    start, end = source.span(node.type)
    inner = [source.segment(e) for e in node.type.elts] if isinstance(node.type, ast.Tuple) else [old]
    raised = dict.fromkeys(
        kind for kind, _, _ in source.observations.errors if kind.isidentifier() and kind not in inner
    )
    for kind in (*raised, "ValueError", "TypeError", "IndexError", "KeyError"):
        if kind not in inner and kind != "AssertionError":
            text = f"({', '.join([*inner, kind])})"
            yield Splice(start, end, text, f"{kind} is handled too", 1.0, 0.0 if kind in raised else 1.5)
    if old != "Exception":
        yield Splice(start, end, "Exception", "every exception is handled", 1.0, 1.0)


@operator("missing_value", 4.2, "a value may be None or empty where it is used")
def missing_value(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Use a default where a value is missing, or guard the use by asking for the value first."""
    if not isinstance(node, ast.Name) or not is_value(source, node):
        return
    parent = source.parents.get(node)
    kind = scope(source, node).get(node.id)
    if kind is None or (kind and "NoneType" not in kind):
        return
    if isinstance(parent, ast.For) and parent.iter is node:
        yield Splice(*source.span(node), f"{node.id} or []", f"`{node.id}` becomes `{node.id} or []`")
    statement = source.statement(node)
    test = statement.test if isinstance(statement, ast.If | ast.While) else None
    if test is not None and isinstance(parent, ast.Attribute):
        text = source.segment(test)
        start, end = source.span(test)
        if "\n" not in text and not text.startswith(f"{node.id} and"):
            for new, extra in ((f"{node.id} and {grouped(text, AND)}", 0.0), (f"not {node.id} or {text}", 0.5)):
                yield Splice(start, end, new, f"{quoted(text)} becomes {quoted(new)}", 1.0, extra)
    if isinstance(statement, ast.Return) and isinstance(parent, ast.Attribute | ast.Subscript) and statement.value:
        text = source.segment(statement.value)
        for place, value in enumerate(("None", "0", "[]", "False")):
            start, end = source.span(statement.value)
            new = f"{grouped(text, OR)} if {node.id} else {value}"
            if "\n" not in text and not isinstance(statement.value, ast.IfExp | ast.Lambda):
                yield Splice(start, end, new, f"{quoted(text)} becomes {quoted(new)}", 1.0, 0.6 + 0.4 * place)


def _starts(source: Source, node: ast.AST) -> FunctionNode | None:
    """Return the function of which the node is the first statement."""
    function = source.function(node)
    if function is None or node is not first_statement(function) or not isinstance(node, ast.stmt):
        return None
    if not may_return(source, node):
        return None
    return function if has_own_lines(source, node) else None


def _results(source: Source, function: FunctionNode, node: ast.stmt) -> list[str]:
    """Return what a function may give back early: as elsewhere, constants, variables at the node."""
    own = [
        source.segment(n.value)
        for n in own_nodes(source, function)
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp)
    ]
    short = [text for text in own if len(text) < 20 and "\n" not in text]
    names = list(scope(source, node))[:6]
    return list(dict.fromkeys((*short, *_CONSTANTS, *names, *(f"[{name}]" for name in names[:2]))))[:_MOST_RESULTS]
