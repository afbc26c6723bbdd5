"""Statements that always leave their block, and those behind them that are never reached. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def unreachable(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield statements that follow one which always leaves their block."""
    pending = [tree]
    while pending:
        for block in blocks_of(pending.pop()):
            pending += block
            at = next((at for at, one in enumerate(block) if always_leaves(one)), len(block))
            yield from block[at + 1 :]


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements that a module or statement has; those of a `try` and a `match` too."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for name in ("handlers", "cases"):
        for part in getattr(node, name, ()):
            yield part.body


def always_leaves(statement: ast.stmt) -> bool:
    """Tell whether what follows a statement in its block is never reached."""
    match statement:
        case ast.If(body=[*_, then], orelse=[*_, otherwise]):
            return always_leaves(then) and always_leaves(otherwise)
        case ast.While(test=ast.Constant(value=True)):
            return not any(isinstance(node, ast.Break) for node in ast.walk(statement))
    return isinstance(statement, LEAVING)
