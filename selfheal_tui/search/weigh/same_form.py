"""Repairs that differ by their form alone: `a not in b` and `not a in b`, a statement one line up or down. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from selfheal_tui.python_source import parse_or_none

from ..hunt.candidates import Candidate
from .behaviour import Behaviour

_MOVED = 2
"""Lines past which a statement stands that is put elsewhere."""
_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {ast.In: ast.NotIn, ast.Is: ast.IsNot, ast.Eq: ast.NotEq}


def is_same_form(one: Candidate, other: Candidate, first: Behaviour, second: Behaviour) -> bool:
    """Tell whether two repairs differ by their form alone.

    Where it needs calls to know that, `first` and `second`, their behaviours, must answer each alike, and some
    otherwise than the program did: `popitem(last=True)` and `popitem()`, or a statement before or after its neighbour.
    """
    if first.cluster != second.cluster or one.changes.keys() != other.changes.keys():
        return False
    paths = [path for path, text in one.changes.items() if text != other.changes[path]]
    if len(paths) != 1:
        return False
    a, b = _between(one.changes[paths[0]].splitlines(), other.changes[paths[0]].splitlines())
    if len(a) == len(b) == 1 and _plain(a[0]) is not None and _plain(a[0]) == _plain(b[0]):
        return True
    is_told = first.is_seen and second.is_seen and bool(first.answers)
    return is_told and (_is_moved(a, b) or _is_moved(b, a) or (len(a) == len(b) == 1 and _same_call(a[0], b[0])))


def _between(a: list[str], b: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of both without what they begin and end with alike."""
    head = next((n for n, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b)))
    a, b = a[head:], b[head:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return a, b


def _is_moved(a: Sequence[str], b: Sequence[str]) -> bool:
    """Tell whether the first line of `a` is the last one of `b`, and the few others are the same."""
    return 1 < len(a) == len(b) <= 1 + _MOVED and a[0].strip() == b[-1].strip() and a[1:] == b[:-1]


def _same_call(one: str, other: str) -> bool:
    """Tell whether two lines differ by plain arguments alone that one names and the other leaves to the default."""
    trees = _parsed(one), _parsed(other)
    if trees[0] is None or trees[1] is None:
        return False
    calls = [[node for node in ast.walk(tree) if isinstance(node, ast.Call)] for tree in trees if tree is not None]
    named = [[_take_plain(call) for call in found] for found in calls]
    if ast.dump(trees[0]) != ast.dump(trees[1]):
        return False
    return all(a[name] == b[name] for a, b in zip(*named, strict=True) for name in a.keys() & b.keys())


def _take_plain(call: ast.Call) -> dict[str | None, str]:
    """Take the arguments out of a call that are named and constants; return them."""
    plain = [one for one in call.keywords if isinstance(one.value, ast.Constant)]
    call.keywords = [one for one in call.keywords if one not in plain]
    return {one.arg: ast.dump(one.value) for one in plain}


def _plain(line: str) -> str | None:
    """Return what is the same for lines that mean the same, as far as `not` is; None for no statement."""
    tree = _parsed(line)
    return None if tree is None else ast.dump(_WithoutNot().visit(tree))


class _WithoutNot(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Compare) and len(node.operand.ops) == 1:
            opposite = _OPPOSITE.get(type(node.operand.ops[0]))
            if opposite is not None:
                return ast.Compare(node.operand.left, [opposite()], node.operand.comparators)
        return node


def _parsed(line: str) -> ast.Module | None:
    """Return a line as a tree, also one that begins a block."""
    text = line.strip()
    return parse_or_none(f"{text} pass" if text.endswith(":") else text)
