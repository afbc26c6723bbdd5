"""Statements: one too many, in the wrong block or in the wrong order; a missing guard or return."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.source import FunctionNode, Source

from .base import Splice, operator, quoted

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Break, ast.Continue, ast.Raise)
_GUARD_RESULTS = ("[]", "0", "None", '""', "False", "True", "{}")


@operator("jump", 1.6, "`break` and `continue` are mixed up")
def jump(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap `break` and `continue`."""
    if isinstance(node, ast.Break | ast.Continue):
        start, end = source.span(node)
        old, new = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
        yield Splice(start, end, new, f"`{old}` becomes `{new}`")


@operator("block", 2.0, "a statement stands in the wrong block")
def block(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move the last statement of a block out of it, or a statement into the block before it."""
    if not isinstance(node, _SIMPLE):
        return
    body, parent = _block(source, node)
    if body is None or _shares_line(source, node):
        return
    place = body.index(node)
    if place == len(body) - 1 and place > 0 and isinstance(parent, ast.For | ast.While | ast.If | ast.With):
        outer, _ = _block(source, parent)
        if outer is not None:
            yield _indented(source, node, parent.col_offset, "moves out of its block")
    if place > 0 and isinstance(body[place - 1], ast.For | ast.While | ast.If | ast.With):
        before = body[place - 1]
        inner = before.orelse or before.body if isinstance(before, ast.If) else before.body  # type: ignore[attr-defined]
        yield _indented(source, node, inner[0].col_offset, "moves into the block before it")


@operator("statement_order", 2.2, "two statements are in the wrong order")
def statement_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a simple statement with the simple one after it."""
    if not isinstance(node, _SIMPLE):
        return
    body, _ = _block(source, node)
    if body is None or body.index(node) + 1 >= len(body):
        return
    after = body[body.index(node) + 1]
    if not isinstance(after, _SIMPLE) or _shares_line(source, node) or _shares_line(source, after):
        return
    start, end = source.span(node)[0], source.span(after)[1]
    between = source.text[source.span(node)[1] : source.span(after)[0]]
    text = f"{source.segment(after)}{between}{source.segment(node)}"
    yield Splice(start, end, text, f"{quoted(source.segment(node))} and the statement after it change places")


@operator("surplus", 2.6, "a statement is one too many")
def surplus(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `pass` in the place of a simple statement."""
    if isinstance(node, _SIMPLE) and not _is_docstring(node):
        start, end = source.span(node)
        yield Splice(start, end, "pass", f"{quoted(source.segment(node))} goes")


@operator("guard", 2.8, "an empty or missing value is not handled")
def guard(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a constant at the start of a function when an argument is empty."""
    if not isinstance(node, ast.FunctionDef) or not node.body:
        return
    first = node.body[1] if _is_docstring(node.body[0]) and len(node.body) > 1 else node.body[0]
    if _shares_line(source, first):
        return
    at = source.span(first)[0]
    indent = " " * first.col_offset
    for arg in node.args.args:
        if arg.arg in ("self", "cls"):
            continue
        for result in (*_GUARD_RESULTS, arg.arg):
            text = f"if not {arg.arg}:\n{indent}    return {result}\n{indent}"
            yield Splice(at, at, text, f"`{node.name}` returns `{result}` when `{arg.arg}` is empty")


@operator("missing_return", 1.8, "a function forgets to return its result")
def missing_return(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return a local at the end of a function that never returns a value, or return its last call."""
    if not isinstance(node, FunctionNode) or any(isinstance(n, ast.Return) and n.value for n in ast.walk(node)):
        return
    last = node.body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant | ast.Yield | ast.YieldFrom):
        start = source.span(last)[0]
        yield Splice(start, start, "return ", f"{quoted(source.segment(last))} is returned")
    stored = {n.id: None for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    end = source.span(last)[1]
    for name in list(stored)[:6]:
        text = f"\n{' ' * node.body[0].col_offset}return {name}"
        yield Splice(end, end, text, f"`{node.name}` returns `{name}` at its end")


def _block(source: Source, node: ast.stmt) -> tuple[list[ast.stmt] | None, ast.AST]:
    parent = source.parents[node]
    for name in ("body", "orelse", "finalbody"):
        body = getattr(parent, name, None)
        if isinstance(body, list) and node in body:
            return body, parent
    return None, parent


def _shares_line(source: Source, node: ast.stmt) -> bool:
    start, end = source.span(node)
    return bool(source.text[source.line_start(node.lineno) : start].strip()) or source.text[end:].lstrip(
        " \t"
    ).startswith(";")


def _indented(source: Source, node: ast.stmt, column: int, how: str) -> Splice:
    start, end = source.line_start(node.lineno), source.span(node)[1]
    old = source.text[start:end]
    shift = column - node.col_offset
    pattern, indent = (rf"(?m)^ {{1,{-shift}}}", "") if shift < 0 else (r"(?m)^(?=[^\r\n])", " " * shift)
    text = re.sub(pattern, indent, old)
    return Splice(start, end, text, f"{quoted(source.segment(node))} {how}")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
