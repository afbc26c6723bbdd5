"""Lines that may go out of use because the condition that guards them is mended. Pure.

`if n >= limit: raise Full` becomes `n > limit`: no case runs the raise any more, and none should.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfheal_tui.python_source import parse_or_none

from .tree_changes import TreeChange, tree_changes

_LEAVES = (ast.Raise, ast.Return, ast.Break, ast.Continue)
_NEIGHBOURS = frozenset({frozenset({ast.Lt, ast.LtE}), frozenset({ast.Gt, ast.GtE})})
"""Comparisons that differ only where both sides are equal."""
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_Guard = ast.If | ast.While


def ways_out(before: str, after: str) -> set[int]:
    """Return the lines before the change of the blocks that only leave, and whose own condition changes.

    Such a block ends with a raise, return, break or continue; a condition that reads no name any more does not count.
    """
    return {
        line
        for one, other in _changed_guards(before, after)
        if isinstance(one, ast.If) and isinstance(one.body[-1], _LEAVES)
        if any(isinstance(node, ast.Name) for node in ast.walk(other.test))
        for line in _lines(one.body)
    }


def jumps_beside_additions(before: str, after: str) -> set[int]:
    """Return the lines that only leave a block, where the change adds lines and takes none away: none is bypassed."""
    tree, rows = parse_or_none(before), iter(after.splitlines())
    if tree is None or not all(line in rows for line in before.splitlines()):
        return set()
    return {node.lineno for node in ast.walk(tree) if isinstance(node, _LEAVES)}


def stepped_lines(before: str, after: str) -> set[int]:
    """Return the lines before the change that a condition guards which moves by one step: `<` becomes `<=`.

    They are its block, its `else`, and what follows it in the function where one of both leaves. A number that moves by
    one is a step too (`n < 3` becomes `n < 4`), and so is `not x` that becomes `x is None`.
    """
    tree = parse_or_none(before)
    followers = _followers(tree) if tree is not None else {}
    lines: set[int] = set()
    for one, other in _changed_guards(before, after):
        changes = tree_changes(ast.Expression(one.test), ast.Expression(other.test))
        if len(changes) == 1 and _is_step(changes[0]):
            lines |= _lines([*one.body, *one.orelse])
            if any(block and isinstance(block[-1], _LEAVES) for block in (one.body, one.orelse)):
                lines |= _lines(followers.get(one.lineno, ()))
    return lines


def _changed_guards(before: str, after: str) -> Iterator[tuple[_Guard, _Guard]]:
    """Yield each `if` and `while` whose condition alone changes; none where one comes, goes or gets another block."""
    trees = parse_or_none(before), parse_or_none(after)
    old, new = ([node for node in ast.walk(tree) if isinstance(node, _Guard)] if tree else [] for tree in trees)
    if len(old) != len(new):
        return
    for one, other in zip(old, new, strict=True):
        if (
            type(one) is type(other)
            and _dump(one.body) == _dump(other.body)
            and _dump([one.test]) != _dump([other.test])
        ):
            yield one, other


def _followers(tree: ast.AST) -> dict[int, list[ast.stmt]]:
    """Return line of each statement -> statements of its function that run after it, those around it included."""
    followers: dict[int, list[ast.stmt]] = {}

    def visit(node: ast.AST, after: Sequence[ast.stmt]) -> None:
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = [part for part in getattr(node, name, ()) if isinstance(part, ast.stmt | ast.ExceptHandler)]
            for at, part in enumerate(block):
                rest = [*(one for one in block[at + 1 :] if isinstance(one, ast.stmt)), *after]
                is_scope = isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                followers[part.lineno] = rest
                visit(part, () if is_scope else rest)

    visit(tree, ())
    return followers


def _is_step(change: TreeChange) -> bool:
    """Tell whether a condition gives another answer at the end of its range only, or for what is empty but there."""
    match change:
        case TreeChange(old=ast.cmpop() as old, new=ast.cmpop() as new):
            return frozenset({type(old), type(new)}) in _NEIGHBOURS
        case TreeChange(old=ast.expr() as old, new=ast.expr() as new, inside=(*_, ast.Compare(ops=[order]))):
            return isinstance(order, _ORDERS) and (_is_one_off(old, new) or _is_one_off(new, old))
        case TreeChange(old=ast.expr() as old, new=ast.BoolOp(op=ast.And(), values=[first, second])):
            return ast.dump(old) == ast.dump(first) and _asks_for_none(old, second)
        case TreeChange(old=ast.expr() as old, new=ast.expr() as new):
            return _asks_for_none(old, new)
    return False


def _is_one_off(one: ast.expr, other: ast.expr) -> bool:
    """Tell whether `other` is the next number, or `one` plus or minus 1."""
    match one, other:
        case ast.Constant(value=int() as number), ast.Constant(value=int() as following):
            return following - number == 1
        case _, ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)):
            return ast.dump(one) == ast.dump(left)
    return False


def _asks_for_none(truth: ast.expr, test: ast.expr) -> bool:
    """Tell whether a test asks only for None where the truth of the same value was asked for: `not x`, `x is None`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]):
            is_negated = isinstance(truth, ast.UnaryOp) and isinstance(truth.op, ast.Not)
            value = truth.operand if isinstance(truth, ast.UnaryOp) and is_negated else truth
            return isinstance(operator, ast.Is) == is_negated and ast.dump(value) == ast.dump(left)
    return False


def _lines(statements: Sequence[ast.stmt]) -> set[int]:
    return {line for one in statements for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}


def _dump(nodes: Sequence[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes]
