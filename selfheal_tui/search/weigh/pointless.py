"""What an edit leaves without a point: branches that do the same, names that nothing reads.

Linters look for these because people seldom mean them; an edit that passes the tests by making one is seldom right.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from ..program.source import FunctionNode
from .shared_trees import shared_tree


def pointless_branches(before: str, after: str) -> int:
    """Return how many more branches repeat another branch of the same `if` after a change than before it."""
    return max(0, _twins(after) - _twins_of_one(before))


def idle_names(before: str, after: str) -> int:
    """Return how many more arguments and variables of functions are given a value that nothing reads."""
    return max(0, _unread(after) - _unread_of_one(before))


def _twins(text: str) -> int:
    return sum(
        len(bodies) - len(set(bodies))
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.If | ast.IfExp) and len(bodies := [*_bodies(node)]) > 1
    )


def _bodies(node: ast.If | ast.IfExp) -> Iterator[str]:
    """Yield each branch of an `if`, those of its `elif` with it."""
    if isinstance(node, ast.IfExp):
        yield from (ast.dump(node.body), ast.dump(node.orelse))
        return
    yield _dump(node.body)
    match node.orelse:
        case [ast.If() as inner]:
            yield from _bodies(inner)
        case [_, *_]:
            yield _dump(node.orelse)


def _dump(body: list[ast.stmt]) -> str:
    return "\n".join(map(ast.dump, body))


def _unread(text: str) -> int:
    unread = 0
    for function in ast.walk(_parsed(text)):
        if isinstance(function, FunctionNode):
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            bound = {arg.arg for arg in function.args.args}
            bound |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
            unread += len(bound - {name.id for name in names if isinstance(name.ctx, ast.Load)})
    return unread


def _parsed(text: str) -> ast.Module:
    return shared_tree(text) or ast.Module([], [])


_twins_of_one = functools.lru_cache(maxsize=8)(_twins)
_unread_of_one = functools.lru_cache(maxsize=8)(_unread)
"""For the text that a search's candidates have in common."""
