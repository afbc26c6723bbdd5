"""Comparison operators: boundaries first, then direction, equality and membership; the two sides swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked, replace, token_between
from .fitting import SUM, grouped

_TOKEN = r"<=|>=|==|!=|<|>|\bnot\s+in\b|\bis\s+not\b|\bin\b|\bis\b"
_OTHERS: dict[type[ast.cmpop], tuple[tuple[str, float], ...]] = {
    ast.Lt: (("<=", 1.0), (">", 1.5), (">=", 1.5), ("!=", 2.3), ("==", 2.3)),
    ast.LtE: (("<", 1.0), (">=", 1.5), (">", 1.5), ("==", 2.3), ("!=", 2.6)),
    ast.Gt: ((">=", 1.0), ("<", 1.5), ("<=", 1.5), ("!=", 2.3), ("==", 2.3)),
    ast.GtE: ((">", 1.0), ("<=", 1.5), ("<", 1.5), ("==", 2.3), ("!=", 2.6)),
    ast.Eq: (("!=", 1.5), ("<=", 2.0), (">=", 2.0), ("<", 2.3), (">", 2.3), ("in", 3.0)),
    ast.NotEq: (("==", 1.5), ("<", 2.3), (">", 2.3), ("<=", 2.6), (">=", 2.6), ("not in", 3.0)),
    ast.In: (("not in", 1.5), ("==", 2.5)),
    ast.NotIn: (("in", 1.5), ("!=", 2.5)),
    ast.Is: (("==", 1.5), ("is not", 1.5)),
    ast.IsNot: (("!=", 1.5), ("is", 1.5)),
}
_NUMERIC = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_IN_CHAIN = 3.0


@operator("comparison", 1.0, "a comparison draws the line in the wrong place")
def comparison(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap each comparison operator for its neighbours."""
    if not isinstance(node, ast.Compare):
        return
    operands = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
        token = token_between(source, left, right, _TOKEN)
        if token is None:
            continue
        start, end = token
        old = source.text[start:end]
        for text, weight in _OTHERS[type(op)]:
            turned = _IN_CHAIN if len(node.ops) > 1 and text[0] != old[0] else 0.0
            yield Splice(start, end, _apart(source, start, end, text), f"`{old}` becomes `{text}`", weight, turned)


@operator("boundary", 2.8, "a comparison with a number draws the line elsewhere")
def boundary(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change the operator of a comparison with an integer, and the integer by one."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], _NUMERIC):
        return
    limit = node.comparators[0]
    token = token_between(source, node.left, limit, _TOKEN)
    if token is None or not isinstance(limit, ast.Constant) or type(limit.value) is not int:
        return
    old = source.text[slice(*token)]
    near = [f"{op} {limit.value + step}" for step in (1, -1) for op in ("<=", "<", ">", ">=", "==", "!=") if op != old]
    left = grouped(source.segment(node.left), SUM - 4)
    yield from ranked(source, node, (f"{left} {text}" for text in near), 0.4, _seldom(node))


def _seldom(node: ast.Compare) -> float:
    """Return bits for a test that has no boundary: whether two are equal, whether one divides the other."""
    if not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return 0.0
    return 3.0 if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mod) else 1.5


@operator("sides", 2.3, "the two sides of a comparison are swapped")
def sides(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap the sides of a comparison that depends on their order."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _ORDERED):
        left, right = (grouped(source.segment(part), SUM - 4) for part in (node.left, node.comparators[0]))
        token = token_between(source, node.left, node.comparators[0], _TOKEN)
        if token is not None and left != right:
            yield replace(source, node, f"{right} {source.text[slice(*token)]} {left}")


def _apart(source: Source, start: int, end: int, text: str) -> str:
    """Return a word operator with blanks where the symbol it replaces needed none."""
    if not text[0].isalpha():
        return text
    before = "" if source.text[start - 1].isspace() else " "
    return before + text + ("" if source.text[end : end + 1].isspace() else " ")
