"""Returns: a result that is forgotten, thrown away or of the wrong value or type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted, ranked, replace, together
from .blocks import first_statement, has_own_lines, indent_of, inserted, is_docstring, may_return, newline_of
from .fitting import COMPARISON, grouped
from .kinds import kinds
from .scope import own_nodes, scope

_CONSTANTS = ("True", "False", "None", "0", "1", "-1", "[]", '""')
_IN_PLACE = frozenset({"sort", "append", "extend", "reverse", "add", "update", "insert", "remove", "discard", "clear"})
_TO_TYPE = {
    "str": ("str({})", "''.join({})", "' '.join({})", "''.join(map(str, {}))"),
    "list": ("list({})", "sorted({})", "[{}]"),
    "tuple": ("tuple({})", "({},)", "(len({0}), {0})", "({0}, len({0}))"),
    "int": ("int({})", "round({})", "len({})"),
    "float": ("float({})",),
    "set": ("set({})",),
    "bool": ("bool({})", "not {}"),
    "dict": ("dict({})",),
}


@operator("missing_return", 2.5, "a function forgets to return its result")
def missing_return(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a local at the end of a function that may end without, or return what its last statement calculates."""
    if not isinstance(node, FunctionNode) or _yields(source, node):
        return
    last = node.body[-1]
    none = not any(isinstance(n, ast.Return) and n.value for n in own_nodes(source, node))
    extra = 0.0 if none else 1.5
    if isinstance(last, ast.Return | ast.Raise) or (is_docstring(last) and len(node.body) == 1):
        return
    if isinstance(last, ast.Expr) and not is_docstring(last):
        start = source.span(last)[0]
        yield Splice(start, start, "return ", f"what {quoted(source.segment(last))} gives is returned", 1.0, extra)
    if not has_own_lines(source, last):
        return
    stored = [n.id for n in own_nodes(source, node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    names = [*dict.fromkeys(reversed(stored)), *(arg.arg for arg in node.args.args if arg.arg not in ("self", "cls"))]
    for place, text in enumerate((*names, "False", "True", "None", "0", "[]")):
        reason = f"`return {text}` is added at the end of `{node.name}`"
        yield inserted(source, last, [f"return {text}"], reason, extra + 0.5 * bits(place), after=True)


@operator("thrown_away", 3.2, "a result is thrown away, or a method without one is used for its result", discount=1.2)
def thrown_away(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return or assign what a statement calculates; use an object instead of the None of its method."""
    match node:
        case ast.Expr(value=ast.Call() as call) if has_own_lines(source, node):
            start = source.span(node)[0]
            if may_return(source, node):
                yield Splice(
                    start, start, "return ", f"what {quoted(source.segment(call))} gives is returned", 1.0, 0.8
                )
            holder = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0] if call.args else None
            if holder is not None and isinstance(holder, ast.Name | ast.Attribute | ast.Subscript):
                name = source.segment(holder)
                yield Splice(start, start, f"{name} = ", f"the result is assigned to {quoted(name)}")
        case ast.Return(value=ast.Call(func=ast.Attribute(value=value, attr=attr)) as call) if attr in _IN_PLACE:
            name, text = source.segment(value), source.segment(call)
            if has_own_lines(source, node):
                new = f"{text}{newline_of(source)}{indent_of(source, node)}return {name}"
                yield Splice(
                    *source.span(node), new, f"{quoted(name)} is returned, not the None of `.{attr}`", 1.0, -1.2
                )
            yield replace(source, call, name, 1.0, -0.7)
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr)) as call) if attr in _IN_PLACE:
            yield Splice(*source.span(node), source.segment(call), f"the None of `.{attr}` is not assigned", 1.0, -0.7)


@operator("result", 4.0, "the wrong value is returned", discount=2.5)
def result(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a constant, a variable or the negation instead; turn the value into the type that cases expect."""
    if not isinstance(node, ast.Return) or not may_return(source, node):
        return
    if node.value is None:
        end = source.span(node)[1]
        for place, name in enumerate((*scope(source, node), *_CONSTANTS)):
            if name != "None":
                yield Splice(
                    end, end, f" {name}", f"`return` becomes {quoted(f'return {name}')}", 1.0, 0.5 * bits(place)
                )
        return
    text = source.segment(node.value)
    constant = isinstance(node.value, ast.Constant)
    kind = kinds(source, node.value)
    for returned, expected in sorted(source.observations.mismatches):
        if (returned in kind or not kind) and expected in _TO_TYPE:
            inner = text[1:-1] if isinstance(node.value, ast.GeneratorExp) else text
            yield from ranked(source, node.value, (form.format(inner) for form in _TO_TYPE[expected]), 0.5, -2.5)
    yield from ranked(source, node.value, _CONSTANTS, 0.4, 0.2 if constant else 2.5)
    if not constant and (not kind or "bool" in kind):
        yield replace(source, node.value, f"not {grouped(text, COMPARISON)}", 1.0, -1.0 if kind else 0.5)
    if isinstance(node.value, ast.Name):
        others = [name for name in scope(source, node) if name != node.value.id]
        yield from ranked(source, node.value, (f"{text}, {name}" for name in others), 0.5, 2.0)


@operator("inverted", 2.5, "true and false results are mixed up everywhere")
def inverted(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap True and False in all returns of a function."""
    if not isinstance(node, ast.stmt) or isinstance(node, FunctionNode):
        return
    function = source.function(node)
    if function is None or node is not first_statement(function):
        return
    flags = [
        n.value
        for n in own_nodes(source, function)
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, bool)
    ]
    if len(flags) > 1:
        parts = [(*source.span(flag), str(not flag.value)) for flag in flags]
        yield together(source, parts, "every `True` result becomes `False`, and the other way round")


@operator("yielding", 3.5, "`yield`, `yield from` and `return` are mixed up", discount=1.0)
def yielding(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap `yield` and `yield from`; yield what is returned in a function that yields."""
    match node:
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            if isinstance(value, ast.Tuple) or isinstance(source.function(node), ast.AsyncFunctionDef):
                return
            start = source.span(node.value)[0]
            yield Splice(start, source.span(value)[0], "yield from ", "`yield` becomes `yield from`", 1.0, -1.0)
        case ast.Expr(value=ast.YieldFrom(value=value)):
            start = source.span(node.value)[0]
            yield Splice(start, source.span(value)[0], "yield ", "`yield from` becomes `yield`", 1.0, -1.0)
        case ast.Return(value=ast.expr()):
            function = source.function(node)
            start = source.span(node)[0]
            extra = 0.0 if function is not None and _yields(source, function) else 2.5
            if function is not None:
                yield Splice(start, start + len("return"), "yield", "`return` becomes `yield`", 1.0, extra)


def _yields(source: Source, function: FunctionNode) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in own_nodes(source, function))
