"""Statements as lines of text: what an edit needs to insert, move or take away whole ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice

COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def block_of(source: Source, statement: ast.stmt) -> tuple[list[ast.stmt], ast.AST]:
    """Return the block that holds a statement, and the block's owner."""
    parent = source.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        body = getattr(parent, name, None)
        if isinstance(body, list) and statement in body:
            return body, parent
    return [statement], parent


def has_own_lines(source: Source, statement: ast.stmt) -> bool:
    """Tell whether nothing else stands on the lines of a statement but blanks and comments.

    Not so for `elif`, and for declarations of names, which must stay before their uses.
    """
    alone: dict[ast.AST, bool] = source.memo.setdefault("own_lines", {})
    if statement not in alone:
        first = statement.lineno
        if isinstance(statement, FunctionNode | ast.ClassDef) and statement.decorator_list:
            first = statement.decorator_list[0].lineno
        before = source.text[source.line_start(first) : source.span(statement)[0]]
        after = source.text[source.span(statement)[1] : source.line_start((statement.end_lineno or 0) + 1)].strip()
        alone[statement] = (not before.strip() or first < statement.lineno) and (not after or after[0] == "#")
        declares = isinstance(statement, ast.Global | ast.Nonlocal)
        if declares or source.text.startswith("elif", source.span(statement)[0]):
            alone[statement] = False
    return alone[statement]


def indent_of(source: Source, statement: ast.stmt) -> str:
    """Return the blanks before a statement that has lines of its own."""
    start = source.span(statement)[0]
    return source.text[source.line_start(statement.lineno) : start]


def step_of(source: Source) -> str:
    """Return one step of the file's indentation."""
    if "step" not in source.memo:
        indented = re.search(r"(?m):[ \t]*(?:#.*)?\r?\n(?:[ \t]*\r?\n)*([ \t]+)\S", source.text)
        text = indented.group(1) if indented else "    "
        for node in ast.walk(source.tree):
            if isinstance(node, FunctionNode | ast.ClassDef) and not node.col_offset and node.body[0].col_offset:
                text = indent_of(source, node.body[0]) or text
                break
        source.memo["step"] = text if not text.strip() else "    "
    step: str = source.memo["step"]
    return step


def newline_of(source: Source) -> str:
    """Return how the file ends its lines."""
    if "newline" not in source.memo:
        ending = re.search(r"\r\n|\n|\r", source.text)
        source.memo["newline"] = ending.group() if ending else "\n"
    newline: str = source.memo["newline"]
    return newline


def lines_of(source: Source, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int]:
    """Return the span of the whole lines of one statement, or of those from one to another."""
    line = first.lineno
    if isinstance(first, FunctionNode | ast.ClassDef) and first.decorator_list:
        line = first.decorator_list[0].lineno
    return source.line_start(line), source.line_start(((last or first).end_lineno or line) + 1)


def inserter(source: Source, statement: ast.stmt, after: bool = False) -> Callable[[Sequence[str], str, float], Splice]:
    """Return what makes the edit that puts lines, indented from the statement on, before or after it.

    It takes the lines, their own indentation as tabs, the reason and the bits.
    """
    indent, newline, step = indent_of(source, statement), newline_of(source), step_of(source)
    start, end = lines_of(source, statement)
    at = end if after else start
    cut = after and source.text[end - 1 : end] not in ("\n", "\r")
    joint = newline + indent

    def insert(lines: Sequence[str], reason: str, extra: float) -> Splice:
        text = indent + joint.join(lines).replace("\t", step)
        return Splice(at, at, newline + text if cut else text + newline, reason, 1.0, extra)

    return insert


def inserted(
    source: Source, statement: ast.stmt, lines: Sequence[str], reason: str, extra: float = 0.0, after: bool = False
) -> Splice:
    """Return one edit of `inserter`."""
    return inserter(source, statement, after)(lines, reason, extra)


def relined(source: Source, start: int, end: int, text: str, reason: str, extra: float = 0.0) -> Splice:
    """Return the edit that puts other whole lines in the place of some; a file without a last newline stays so."""
    if end == len(source.text) and source.text[end - 1 : end] not in ("\n", "\r"):
        text = re.sub(r"(?:\r\n|\n|\r)\Z", "", text)
    return Splice(start, end, text, reason, 1.0, extra)


def shifted(source: Source, first: ast.stmt, last: ast.stmt, indent: str) -> str | None:
    """Return the lines of statements moved to another indentation; None when a text over several lines forbids it."""
    for node in (n for s in _between(source, first, last) for n in ast.walk(s)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            return None
    old = indent_of(source, first)
    start, end = lines_of(source, first, last)
    rows = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", source.text[start:end])
    moved = [indent + row[len(old) :] if row.startswith(old) and row.strip() else row for row in rows]
    text = "".join(moved)
    return text if text.endswith(("\n", "\r")) else text + newline_of(source)


def is_docstring(statement: ast.stmt) -> bool:
    """Tell whether a statement is only a constant."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def first_statement(function: FunctionNode) -> ast.stmt:
    """Return the first statement of a function that does something."""
    return function.body[1] if is_docstring(function.body[0]) and len(function.body) > 1 else function.body[0]


def may_return(source: Source, node: ast.AST) -> bool:
    """Tell whether a value may be returned at a node: inside a function that is no asynchronous generator."""
    allowed: dict[ast.AST | None, bool] = source.memo.setdefault("may_return", {None: False})
    function = source.function(node)
    if function not in allowed:
        parts = ast.walk(function) if isinstance(function, ast.AsyncFunctionDef) else ()
        allowed[function] = not any(isinstance(n, ast.Yield | ast.YieldFrom) for n in parts)
    return allowed[function]


def loop_around(source: Source, node: ast.AST) -> ast.For | ast.While | None:
    """Return the innermost loop of the same function whose body holds the node."""
    below, at = node, source.parents.get(node)
    while at is not None and not isinstance(at, FunctionNode | ast.ClassDef):
        if isinstance(at, ast.For | ast.While) and below in at.body:
            return at
        below, at = at, source.parents.get(at)
    return None


def jumps_out(node: ast.stmt) -> bool:
    """Tell whether a statement holds a `break` or `continue` of a loop around it."""
    pending: list[ast.AST] = [node]
    while pending:
        at = pending.pop()
        if isinstance(at, ast.Break | ast.Continue):
            return True
        if isinstance(at, ast.For | ast.While | ast.AsyncFor):
            pending.extend(at.orelse)
        elif not isinstance(at, FunctionNode | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(at))
    return False


def _between(source: Source, first: ast.stmt, last: ast.stmt) -> list[ast.stmt]:
    body, _ = block_of(source, first)
    return body[body.index(first) : body.index(last) + 1] if last in body else [first]
