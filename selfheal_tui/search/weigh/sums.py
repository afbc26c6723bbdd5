"""Several sums that give the right number in one case: `count += 1` and `count + price` for 3 + 4. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import product

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.text import one_line

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from ..program.source import FunctionNode
from .tree_changes import TreeChange, tree_changes

_SHOWN = 40
"""Most characters of code in a sentence."""
_SEVERAL = 2
_Sum = ast.BinOp | ast.AugAssign


def sums_mark(program: Mapping[str, str], candidate: Candidate) -> tuple[Mark, ...]:
    """Return the mark of edits that only together give the number that one case expects.

    At least two of them bring a calculation, and either one joins two variables that the program joins nowhere, or
    a value that the function works out stays unused.
    """
    if not candidate.before or candidate.parts > 1 or len(candidate.fixes) != 1:
        return ()
    sums: list[_Sum] = []
    joined: list[tuple[str, str]] = []
    unused: list[str] = []
    for path, text in candidate.changes.items():
        before, after = parse_or_none(program.get(path, "")), parse_or_none(text)
        if before is None or after is None:
            continue
        changes = [(change, brought) for change in tree_changes(before, after) if (brought := _brought(change))]
        sums += [brought for _, brought in changes]
        there = {pair for node in ast.walk(before) for pair in _joined(node)}
        joined += [pair for _, brought in changes for pair in _joined(brought) if not there & {pair, pair[::-1]}]
        unused += [name for change, _ in changes for name in _unread(change.inside, after)]
    if len(sums) < _SEVERAL or not (joined or unused):
        return ()
    reasons = [f"it joins `{joined[0][0]}` with `{joined[0][1]}`"] if joined else []
    reasons += [f"`{unused[0]}` stays unused"] if unused else []
    edits = " and ".join(f"`{one_line(ast.unparse(one), _SHOWN)}`" for one in sums[:_SEVERAL])
    return (Mark("sums", f"Only 1 case needs {edits} together: {', and '.join(reasons)}."),)


def _brought(change: TreeChange) -> _Sum | None:
    """Return the calculation that a change brings: a sum with what was there, or a new `n += 1`."""
    match change:
        case TreeChange(old=None, new=ast.AugAssign() as new):
            return new
        case TreeChange(old=ast.expr() as old, new=ast.BinOp(left=left, right=right) as new):
            return new if ast.dump(old) in (ast.dump(left), ast.dump(right)) else None
    return None


def _joined(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the pairs of variables of the two sides of a calculation or a comparison."""
    match node:
        case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
            pass
        case ast.Compare(left=one, comparators=[other]):
            pass
        case _:
            return
    yield from ((a, b) for a, b in product(_names(one), _names(other)) if a != b)


def _names(node: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]


def _unread(inside: tuple[ast.AST, ...], after: ast.Module) -> Iterator[str]:
    """Yield the variables that the function around a change sets and does not read, also not after the change."""
    function = next((node for node in reversed(inside) if isinstance(node, FunctionNode)), None)
    if function is None:
        return
    later = [node for node in ast.walk(after) if isinstance(node, FunctionNode) and node.name == function.name]
    names = [node for one in (function, *later) for node in ast.walk(one) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    stored = (node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    yield from (name for name in dict.fromkeys(stored) if name not in read and not name.startswith("_"))
