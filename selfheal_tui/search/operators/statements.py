"""Statements that are there already: one too many, in the wrong block or in the wrong order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.leaving import always_leaves
from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted
from .blocks import (
    block_of,
    has_own_lines,
    indent_of,
    is_docstring,
    jumps_out,
    lines_of,
    loop_around,
    newline_of,
    relined,
    shifted,
)

_FIXED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)
_BLOCKS = (ast.For, ast.While, ast.If, ast.With)
_LONGEST = 600


@operator("jump", 2.5, "`break`, `continue` and `pass` are mixed up")
def jump(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap `break`, `continue`, `pass` and `return`."""
    if not isinstance(node, ast.Break | ast.Continue | ast.Pass):
        return
    start, end = source.span(node)
    old = source.text[start:end]
    for new in ("break", "continue", "pass", "return"):
        looped = new not in ("break", "continue") or loop_around(source, node) is not None
        if new != old and looped and (new != "return" or source.function(node) is not None):
            yield Splice(start, end, new, f"`{old}` becomes `{new}`", 1.0, 0.0 if "pass" not in (old, new) else 0.5)


@operator("surplus", 4.0, "a statement is one too many")
def surplus(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take away a statement, or two in a row; `pass` stands where a block would be empty."""
    if not _movable(source, node) or not isinstance(node, ast.stmt):
        return
    body, _ = block_of(source, node)
    extra = 2.2 if isinstance(node, ast.For | ast.While) else 0.0
    own = quoted(source.segment(node))
    yield _without(source, body, node, node, f"{own} is removed", extra)
    after = _next(body, node)
    if after is not None and _movable(source, after) and not isinstance(node, ast.For | ast.While):
        yield _without(source, body, node, after, f"{own} and the statement after it are removed", 0.9)


@operator("statement_order", 3.8, "two statements are in the wrong order")
def statement_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a statement with the one after it, or move it behind the one after that."""
    if not _movable(source, node) or not isinstance(node, ast.stmt):
        return
    body, _ = block_of(source, node)
    own, name = source.text[slice(*lines_of(source, node))], quoted(source.segment(node))
    last: ast.stmt = node
    for distance in range(2):
        following = _next(body, last)
        if following is None or not _movable(source, following) or always_leaves(following):
            return
        last = following
        start, end = lines_of(source, node, last)
        rest = source.text[start + len(own) : end]
        newline = "" if rest.endswith(("\n", "\r")) else newline_of(source)
        where = "and the statement after it are swapped" if not distance else "moves two statements down"
        yield relined(source, start, end, rest + newline + own, f"{name} {where}", 1.2 * distance)


@operator("block", 3.6, "a statement stands in the wrong block")
def block(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move a statement out of its block, before or after it, or into the block before it."""
    if not _movable(source, node) or not isinstance(node, ast.stmt):
        return
    body, parent = block_of(source, node)
    place, name = body.index(node), quoted(source.segment(node))
    bound = isinstance(parent, ast.For | ast.While) and jumps_out(node)
    if isinstance(parent, _BLOCKS) and has_own_lines(source, parent) and node.lineno > parent.lineno and not bound:
        if place == len(body) - 1 and _ends(source, node, parent) and not _cuts_off(source, node, parent):
            text = shifted(source, node, node, indent_of(source, parent))
            if text is not None:
                start, end = lines_of(source, node)
                keep = "" if len(body) > 1 else f"{indent_of(source, node)}pass{newline_of(source)}"
                yield relined(source, start, end, keep + text, f"{name} moves out of its block")
        if place == 0 and len(body) > 1 and body is parent.body:
            text = shifted(source, node, node, indent_of(source, parent))
            if text is not None:
                start, end = lines_of(source, parent)[0], lines_of(source, node)[1]
                header = source.text[start : lines_of(source, node)[0]]
                yield relined(source, start, end, text + header, f"{name} moves before its block", 0.9)
    if place > 0 and isinstance(body[place - 1], _BLOCKS):
        before = body[place - 1]
        inner = (getattr(before, "orelse", None) or before.body)[-1]  # type: ignore[attr-defined]
        while isinstance(inner, ast.If) and inner.orelse and not has_own_lines(source, inner):
            inner = inner.orelse[-1]
        if inner.lineno > before.lineno and has_own_lines(source, inner) and not always_leaves(inner):
            text = shifted(source, node, node, indent_of(source, inner))
            if text is not None:
                reason = f"{name} moves into the block before it"
                yield relined(source, *lines_of(source, node), text, reason, 0.5)


@operator("unguarded", 4.8, "something should happen in any case")
def unguarded(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put the block of an `if` or `while`, or the block of its `else`, in the place of the whole statement."""
    if (
        not isinstance(node, ast.If | ast.While)
        or not has_own_lines(source, node)
        or node.body[0].lineno == node.lineno
    ):
        return
    start, end = lines_of(source, node)
    if end - start > _LONGEST or (isinstance(node, ast.While) and any(map(jumps_out, node.body))):
        return
    text = shifted(source, node.body[0], node.body[-1], indent_of(source, node))
    if text is not None:
        yield relined(source, start, end, text, f"the condition {quoted(source.segment(node.test))} is removed")
    if not node.orelse or not has_own_lines(source, node.orelse[0]):
        return
    text = shifted(source, node.orelse[0], node.orelse[-1], indent_of(source, node))
    if text is not None:
        start = lines_of(source, node.body[0], node.body[-1])[1]
        yield relined(source, start, end, text, "what is under `else` happens always")


def _movable(source: Source, node: ast.AST) -> bool:
    """Tell whether a node is a statement on lines of its own that may go or move."""
    if not isinstance(node, ast.stmt) or isinstance(node, _FIXED) or is_docstring(node):
        return False
    if isinstance(node, ast.Pass) or not has_own_lines(source, node):
        return False
    return not isinstance(source.parents[node], ast.Module | ast.ClassDef) or not _is_main_guard(node)


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}


def _without(
    source: Source, body: list[ast.stmt], first: ast.stmt, last: ast.stmt, reason: str, extra: float
) -> Splice:
    start, end = lines_of(source, first, last)
    rest = [s for s in body if not (first.lineno <= s.lineno <= (last.end_lineno or 0))]
    empty = not rest or (
        all(map(is_docstring, rest)) and not isinstance(source.parents[first], FunctionNode | ast.Module)
    )
    text = f"{indent_of(source, first)}pass{newline_of(source)}" if empty else ""
    return relined(source, start, end, text, reason, extra)


def _next(body: list[ast.stmt], node: ast.stmt) -> ast.stmt | None:
    place = body.index(node) + 1
    return body[place] if place < len(body) else None


def _cuts_off(source: Source, node: ast.stmt, parent: ast.stmt) -> bool:
    """Tell whether a statement would, behind its parent, keep what follows that from being reached."""
    return always_leaves(node) and _next(block_of(source, parent)[0], parent) is not None


def _ends(source: Source, node: ast.stmt, parent: ast.stmt) -> bool:
    """Tell whether the statement's last line is the last of its parent: nothing of another branch comes behind."""
    return lines_of(source, node)[1] == lines_of(source, parent)[1]
