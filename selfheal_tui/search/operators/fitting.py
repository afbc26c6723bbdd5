"""Parentheses: how tightly an expression binds, and how tightly its place asks it to.

https://docs.python.org/3/reference/expressions.html#operator-precedence
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache

from selfheal_tui.python_source import parse_expression
from selfheal_tui.search.program.source import Source

LOOSEST, CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = 0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 15
_BINARY: dict[type[ast.operator], int] = {
    ast.BitOr: 6,
    ast.BitXor: 7,
    ast.BitAnd: 8,
    ast.LShift: 9,
    ast.RShift: 9,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: PRODUCT,
    ast.MatMult: PRODUCT,
    ast.Div: PRODUCT,
    ast.FloorDiv: PRODUCT,
    ast.Mod: PRODUCT,
    ast.Pow: POWER,
}
_ATOM_TEXT = re.compile(r"[A-Za-z_][\w.]*(?:\([^()\n]*\)|\[[^\[\]\n]*\])?|'[^'\n\\]*'|\"[^\"\n\\]*\"")
_AFTER_SPACE = re.compile(r"[ \t\r\n\f]*")


@lru_cache(maxsize=1 << 16)
def strength(text: str) -> int:
    """Return how tightly an expression's text binds; `LOOSEST` when it cannot stand on its own."""
    if _ATOM_TEXT.fullmatch(text):
        return ATOM
    try:
        node = parse_expression(text)
    except SyntaxError:
        return LOOSEST
    return ATOM if node.col_offset else _strength(node, text)


def _strength(node: ast.expr, text: str) -> int:
    match node:
        case ast.BinOp():
            return _BINARY[type(node.op)]
        case ast.BoolOp():
            return AND if isinstance(node.op, ast.And) else OR
        case ast.Compare():
            return COMPARISON
        case ast.UnaryOp():
            return NOT if isinstance(node.op, ast.Not) else UNARY
        case ast.IfExp() | ast.Lambda():
            return CHOICE
        case ast.Tuple():
            return ATOM if text.startswith("(") and strength(text[1:-1]) == LOOSEST else LOOSEST
        case ast.NamedExpr() | ast.Yield() | ast.YieldFrom() | ast.Starred():
            return LOOSEST
        case ast.Await():
            return POWER
        case ast.Constant() if isinstance(node.value, int | float | complex) and not isinstance(node.value, bool):
            return ATOM - 1
    return ATOM


def required(source: Source, node: ast.expr) -> int:
    """Return how tightly text must bind to stand in the node's place without parentheses."""
    if in_parentheses(source, node):
        return LOOSEST
    parent = source.parents.get(node)
    match parent:
        case ast.BinOp():
            level = _BINARY[type(parent.op)]
            if isinstance(parent.op, ast.Pow):
                return ATOM - 1 if parent.left is node else UNARY
            return level if parent.left is node else level + 1
        case ast.BoolOp():
            return AND if isinstance(parent.op, ast.And) else OR
        case ast.Compare():
            return COMPARISON + 1
        case ast.UnaryOp():
            return NOT if isinstance(parent.op, ast.Not) else UNARY
        case ast.Attribute() | ast.Await():
            return ATOM
        case ast.Subscript() if parent.value is node:
            return ATOM - 1
        case ast.Call() if parent.func is node:
            return ATOM - 1
        case ast.IfExp():
            return CHOICE if parent.orelse is node else OR
        case ast.comprehension():
            return OR
        case ast.Starred():
            return COMPARISON + 1
        case ast.stmt() | ast.expr() | ast.keyword() | ast.withitem() | ast.arguments():
            return CHOICE
    return ATOM


def fit(source: Source, node: ast.expr, text: str) -> str:
    """Return `text` as it can stand in the node's place: in parentheses or between spaces where it must."""
    return fitter(source, node)(text)


def fitter(source: Source, node: ast.expr) -> Callable[[str], str]:
    """Return `fit` for one place and many texts."""
    level = required(source, node)
    start, end = source.span(node)
    if _is_bare_generator(source, node):
        return lambda text: f"({text})"
    joined_left = start > 0 and _is_word(source.text[start - 1])
    joined_right = end < len(source.text) and _is_word(source.text[end])

    def fitted(text: str) -> str:
        bound = strength(text)
        if bound < level or ("\n" in text and level > LOOSEST and bound < ATOM - 1):
            text = f"({text})"
        if joined_left and (_is_word(text[0]) or text[0] in "'\""):
            text = f" {text}"
        return f"{text} " if joined_right and _is_word(text[-1]) else text

    return fitted


def grouped(text: str, level: int) -> str:
    """Return `text` in parentheses unless it binds at least as tightly as `level`."""
    return text if strength(text) >= level else f"({text})"


def in_parentheses(source: Source, node: ast.expr) -> bool:
    """Tell whether nothing but blanks is between the node and a pair of parentheses."""
    start, end = source.span(node)
    text = source.text
    while start and text[start - 1] in " \t\r\n\f":
        start -= 1
    if not start or text[start - 1] != "(":
        return False
    blanks = _AFTER_SPACE.match(text, end)
    return blanks is not None and text[blanks.end() : blanks.end() + 1] == ")"


def parenthesised_span(source: Source, node: ast.expr) -> tuple[int, int]:
    """Return the span of one of several arguments or elements with the parentheses around it."""
    start, end = source.span(node)
    text = source.text
    while True:
        before, after = len(text[:start].rstrip()), _AFTER_SPACE.match(text, end)
        stop = after.end() if after else end
        if not before or text[before - 1] != "(" or text[stop : stop + 1] != ")":
            return start, end
        start, end = before - 1, stop + 1


def _is_bare_generator(source: Source, node: ast.expr) -> bool:
    """Tell whether the parentheses of a generator are those of the call around it."""
    parent = source.parents.get(node)
    return (
        isinstance(node, ast.GeneratorExp)
        and isinstance(parent, ast.Call)
        and node in parent.args
        and source.span(node)[1] == source.span(parent)[1]
    )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
