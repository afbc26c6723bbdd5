"""Which statements of a file the cases ran: only of those can they say that they are not needed. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from selfheal_tui.python_source import parse_or_none


class Statement(NamedTuple):
    """A statement without its blocks: of an `if`, the lines up to the colon."""

    first: int
    """From 1."""
    last: int
    ran: bool
    """False too where it cannot be seen: of `if n < 0: raise ValueError`, which of the two ran."""


def statements(text: str, ran: Collection[int]) -> list[Statement] | None:
    """Return the statements of a file, of which `ran` are the lines that cases ran; None when it does not parse."""
    tree = parse_or_none(text)
    return None if tree is None else list(_statements(tree, frozenset(ran)))


def all_ran(known: Collection[Statement] | None, lines: range) -> bool | None:
    """Tell whether the cases ran every statement in `lines` (from 1); None when no statement is there.

    A comment, a docstring and an `else:` are no statements.
    """
    if known is None:
        return False
    there = [one.ran for one in known if one.first < lines.stop and lines.start <= one.last]
    return all(there) if there else None


def _statements(tree: ast.AST, ran: Collection[int]) -> Iterator[Statement]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) or _is_traceless(node):
            continue
        start = _line(node)
        first = min([start, *(one.lineno for one in getattr(node, "decorator_list", []))])
        inner = [*getattr(node, "body", []), *getattr(node, "cases", [])]
        block = min(map(_line, inner), default=0)
        last = max(start, block - 1) if block else int(getattr(node, "end_lineno", None) or start)
        yield Statement(first, last, block != start and any(line in ran for line in range(first, last + 1)))


def _line(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno


def _is_traceless(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None) | ast.Global() | ast.Nonlocal():
            return True
    return False
