"""Arithmetic: the wrong operator, operands the wrong way round, one operand too many, a wrong sign."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, replace, together, token_between
from .fitting import PRODUCT, SUM, grouped
from .kinds import NUMBERS, kinds
from .scope import is_value

TOKEN = r"\*\*|//|<<|>>|[-+*/%@&|^]"
_OTHERS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*", "//", "/", "%"),
    ast.Sub: ("+", "*", "//", "/", "%"),
    ast.Mult: ("**", "/", "+", "//", "-", "%"),
    ast.Div: ("//", "*", "%", "-", "+"),
    ast.FloorDiv: ("/", "%", "*", "-", "+"),
    ast.Mod: ("//", "/", "-", "*", "+"),
    ast.Pow: ("*", "+", "//", "/"),
    ast.LShift: (">>", "+", "*"),
    ast.RShift: ("<<", "//", "-"),
    ast.BitAnd: ("|", "^", ">>", "-"),
    ast.BitOr: ("&", "^", "+", "-"),
    ast.BitXor: ("&", "|", "-", "+"),
}
_NEAR = frozenset(frozenset(pair) for pair in ("+-", ("/", "//"), ("*", "**"), "&|", "^&", "^|", ("<<", ">>"), "*/"))
_FAR = 1.1
_ONE_WAY = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
_LEVELS = ((ast.Add, ast.Sub), (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod))
_SETS = frozenset({"set", "frozenset"})


@operator("arithmetic", 1.5, "an arithmetic operator is wrong or its operands are swapped")
def arithmetic(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap an arithmetic operator for its kin, or its two operands."""
    if not isinstance(node, ast.BinOp):
        return
    token = token_between(source, node.left, node.right, TOKEN)
    if token is None or _is_text(node.left) or _is_text(node.right):
        if token is not None and isinstance(node.op, ast.Add):
            yield from _swapped(source, node, token)
        return
    start, end = token
    old = source.text[start:end]
    left, right = source.segment(node.left), source.segment(node.right)
    alternatives = ("&", "|", "^", "-") if kinds(source, node) & _SETS else _OTHERS.get(type(node.op), ())
    for text in alternatives:
        if text != old:
            extra = 0.0 if frozenset((old, text)) in _NEAR else _FAR
            yield Splice(start, end, text, f"`{old}` becomes `{text}`", 1.0, extra)
            apart = f"{grouped(left, PRODUCT + 1)} {text} {grouped(right, PRODUCT + 1)}"
            if apart != f"{left} {text} {right}":
                yield replace(source, node, apart, 1.0, extra + 0.6)
    if isinstance(node.op, ast.Add | ast.Mult) and kinds(source, node) & NUMBERS:
        return
    yield from _swapped(source, node, token)
    yield from _exchanged(source, node)


@operator("operand", 2.5, "one operand of a calculation is one too many")
def operand(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Keep only one operand of an arithmetic expression, or drop the middle one of three."""
    if not isinstance(node, ast.BinOp):
        return
    yield replace(source, node, source.segment(node.left))
    yield replace(source, node, source.segment(node.right), 1.0, 0.3)
    if isinstance(node.left, ast.BinOp) and isinstance(node.left.left, ast.BinOp | ast.Call | ast.Subscript):
        yield replace(source, node, source.segment(node.left.left), 1.0, 0.9)
    token = token_between(source, node.left, node.right, TOKEN)
    if token is not None and isinstance(node.left, ast.BinOp) and is_value(source, node.left):
        first, last = grouped(source.segment(node.left.left), SUM), grouped(source.segment(node.right), PRODUCT + 1)
        inner = token_between(source, node.left.left, node.left.right, TOKEN)
        if inner is not None:
            yield replace(source, node, f"{first} {source.text[slice(*inner)]} {last}", 1.0, 0.5)


@operator("sign", 2.2, "a value has the wrong sign")
def sign(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop a minus sign, or negate a value that is returned, passed, compared, indexed with or part of a tuple."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        yield replace(source, node, source.segment(node.operand))
        return
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant) or not is_value(source, node):
        return
    parent = source.parents.get(node)
    kind = kinds(source, node)
    if kind and not kind & NUMBERS:
        return
    passed = isinstance(parent, ast.Call) and node in parent.args
    valued = isinstance(parent, ast.Return | ast.Tuple | ast.Compare | ast.Lambda | ast.AugAssign | ast.Assign)
    if passed or valued or isinstance(parent, ast.Subscript):
        above = source.parents.get(parent) if parent is not None else None
        sorts = isinstance(parent, ast.Lambda) or isinstance(above, ast.Lambda)
        yield replace(source, node, f"-{grouped(source.segment(node), PRODUCT + 1)}", 1.0, 0.0 if sorts else 1.6)


def _swapped(source: Source, node: ast.BinOp, token: tuple[int, int]) -> Iterator[Splice]:
    level = PRODUCT if isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow) else SUM
    left, right = (grouped(source.segment(part), level + 1) for part in (node.left, node.right))
    if left != right:
        yield replace(source, node, f"{right} {source.text[slice(*token)]} {left}", 1.0, 0.9)


def _exchanged(source: Source, node: ast.BinOp) -> Iterator[Splice]:
    """Yield `a * c / b` of `a * b / c`: what is divided by, or taken away, changes places with another operand."""
    inner = node.left
    level = next((level for level in _LEVELS if isinstance(node.op, level)), None)
    if level is None or not isinstance(inner, ast.BinOp) or not isinstance(inner.op, level):
        return
    parts = [inner.right] if type(node.op) is not type(inner.op) else []
    parts += [inner.left] if isinstance(node.op, _ONE_WAY) else []
    binding = (SUM if isinstance(node.op, ast.Sub | ast.Add) else PRODUCT) + 1
    one = source.segment(node.right)
    for part in parts:
        other = source.segment(part)
        if not isinstance(part, ast.BinOp) and one != other:
            swaps = [(*source.span(part), grouped(one, binding)), (*source.span(node.right), grouped(other, binding))]
            yield together(source, swaps, f"{quoted(other)} and {quoted(one)} are swapped", 0.9)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
