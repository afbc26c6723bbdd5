"""Branches: the two ways of a condition are swapped, or one follows where it should exclude."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, replace
from .blocks import block_of, has_own_lines, indent_of, lines_of, newline_of, relined
from .fitting import OR, grouped, parenthesised_span
from .scope import is_value

_LONGEST = 1500


@operator("branches", 2.2, "the two ways of a condition are swapped")
def branches(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap the blocks of `if` and `else`, or the two values of a conditional expression."""
    if isinstance(node, ast.IfExp) and is_value(source, node):
        texts = (source.segment(node.orelse), source.segment(node.test), source.segment(node.body))
        yield replace(source, node, f"{grouped(texts[0], OR)} if {grouped(texts[1], OR)} else {texts[2]}")
        return
    if not isinstance(node, ast.If) or not node.orelse or node.orelse[0].col_offset != node.body[0].col_offset:
        return
    first, last = node.body[0], node.orelse[-1]
    if not all(has_own_lines(source, s) for s in (first, node.body[-1], node.orelse[0], last)):
        return
    (start, middle), (behind, end) = lines_of(source, first, node.body[-1]), lines_of(source, node.orelse[0], last)
    if end - start > _LONGEST:
        return
    second = source.text[behind:end]
    second += "" if second.endswith(("\n", "\r")) else newline_of(source)
    text = second + source.text[middle:behind] + source.text[start:middle]
    if text != source.text[start:end]:
        reason = f"the blocks of {quoted(f'if {source.segment(node.test)}')} and its `else` are swapped"
        yield relined(source, start, end, text, reason)


@operator("one_branch", 3.5, "a condition decides what should not depend on it")
def one_branch(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Keep one of the two values of a conditional expression."""
    if isinstance(node, ast.IfExp) and is_value(source, node):
        yield replace(source, node, source.segment(node.body))
        yield replace(source, node, source.segment(node.orelse), 1.0, 0.3)


@operator("exclusive", 3.4, "one condition excludes the other and should not, or the other way round")
def exclusive(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `if` after an `if` into `elif`, and `elif` into `if`."""
    if not isinstance(node, ast.If):
        return
    start = source.span(node)[0]
    if source.text.startswith("elif", start):
        yield Splice(start, start + 4, "if", "`elif` becomes `if`")
        return
    body, _ = block_of(source, node)
    place = body.index(node)
    before = body[place - 1] if place else None
    while isinstance(before, ast.If) and before.orelse and len(before.orelse) == 1:
        inner = before.orelse[0]
        if not isinstance(inner, ast.If) or not source.text.startswith("elif", source.span(inner)[0]):
            break
        before = inner
    if (
        isinstance(before, ast.If)
        and not before.orelse
        and has_own_lines(source, node)
        and source.text.startswith("if", start)
    ):
        yield Splice(start, start, "el", "`if` becomes `elif`")


@operator("case_order", 4.0, "two conditions are asked in the wrong order")
def case_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap two neighbouring cases of an `if ... elif`."""
    if not isinstance(node, ast.If) or len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return
    after = node.orelse[0]
    if not source.text.startswith("elif", source.span(after)[0]):
        return
    (a, b), (c, d) = ((parenthesised_span(source, n.test)[0], source.span(n.body[-1])[1]) for n in (node, after))
    if d - a <= _LONGEST:
        text = source.text[c:d] + source.text[b:c] + source.text[a:b]
        reason = f"{quoted(source.segment(after.test))} is asked before {quoted(source.segment(node.test))}"
        yield Splice(a, d, text, reason)


@operator("after_else", 4.2, "what stands under `else` should follow in any case, or what follows belongs under it")
def after_else(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put the one statement after an `if` that has no `else` under an `else`."""
    if not isinstance(node, ast.If) or node.orelse or not has_own_lines(source, node):
        return
    body, _ = block_of(source, node)
    place = body.index(node) + 1
    after = body[place] if place < len(body) else None
    if not isinstance(after, ast.Assign | ast.AugAssign | ast.Expr | ast.Return) or not has_own_lines(source, after):
        return
    if node.body[0].lineno == node.lineno or "\n" in source.segment(after):
        return
    start = lines_of(source, after)[0]
    inner = indent_of(source, node.body[0])
    indent = indent_of(source, node)
    newline = newline_of(source)
    text = f"{indent}else:{newline}{inner}"
    yield Splice(start, source.span(after)[0], text, f"`else` is put before {quoted(source.segment(after))}")
