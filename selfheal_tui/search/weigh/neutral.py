"""Terms without an effect: `len(rows) - 0` is `len(rows)`, and never the better text of the same behaviour. Pure."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from dataclasses import replace

from ..hunt.candidates import Candidate
from .shared_trees import shared_tree

_BITS = 4.0
"""For each term without an effect that a change brings: people do not write them."""
_RIGHT: Mapping[type[ast.operator], int] = {
    ast.Add: 0,
    ast.Sub: 0,
    ast.Mult: 1,
    ast.Div: 1,
    ast.FloorDiv: 1,
    ast.Pow: 1,
    ast.LShift: 0,
    ast.RShift: 0,
    ast.BitOr: 0,
    ast.BitXor: 0,
}
"""Operator -> the number at its right that changes nothing."""
_BOTH = (ast.Add, ast.Mult, ast.BitOr, ast.BitXor)
"""Operators for which that holds at the left too."""


def dearer_where_neutral(program: Mapping[str, str], candidate: Candidate) -> Candidate:
    """Return the candidate, its cost raised where it brings terms without an effect; `program` is path -> text."""
    more = sum(max(0, neutral_terms(text) - _of_one(program.get(path, ""))) for path, text in candidate.changes.items())
    return replace(candidate, cost=candidate.cost + _BITS * more) if more else candidate


def neutral_terms(text: str) -> int:
    """Return how many terms of a program have no effect: `x - 0`, `1 * x`, `x + 1 - 1`, `x or False`."""
    tree = shared_tree(text)
    return sum(map(_is_neutral, ast.walk(tree))) if tree is not None else 0


def _is_neutral(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(
            left=ast.BinOp(op=first, right=ast.Constant(value=there)), op=second, right=ast.Constant(value=back)
        ) if there == back and {type(first), type(second)} == {ast.Add, ast.Sub}:
            return True
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _RIGHT:
            neutral = _RIGHT[type(operator)]
            return _is(right, neutral) or (isinstance(operator, _BOTH) and _is(left, neutral))
        case ast.AugAssign(op=operator, value=value) if type(operator) in _RIGHT:
            return _is(value, _RIGHT[type(operator)])
        case ast.BoolOp(op=operator, values=values):
            return any(
                isinstance(value, ast.Constant) and value.value is isinstance(operator, ast.And) for value in values
            )
    return False


def _is(node: ast.AST, number: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == number


_of_one = functools.lru_cache(maxsize=8)(neutral_terms)
"""For the text that a search's candidates have in common."""
