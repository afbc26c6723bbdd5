"""Which names an example may use, and which of them are to be imported."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

CALL = re.compile(r"(?<![\w.])[A-Za-z_]\w*\(")


class Names:
    """The names that the examples of one text may use: builtins, and functions that the text calls or defines."""

    def __init__(self, text: str) -> None:
        self.defined = set(re.findall(r"(?:def|class)\s+([A-Za-z_]\w*)", text))
        # A name that the text calls in one example may stand inside another.
        self.called = {match[0][:-1] for match in CALL.finditer(text)} - set(dir(builtins))

    def to_import(self, *nodes: ast.AST, bound: Iterable[str] = ()) -> tuple[str, ...] | None:
        """Return the names to import, sorted; None when one is unknown. `bound` are names of the session."""
        parts = [part for node in nodes for part in ast.walk(node)]
        own = set(bound) | {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        own |= {n.arg for n in parts if isinstance(n, ast.arg)}
        calls = {n.func.id for n in parts if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        names = {n.id for n in parts if isinstance(n, ast.Name)} - own
        wanted = {n for n in names if n in self.defined or (n in calls and n in self.called)}
        return tuple(sorted(wanted)) if not names - wanted - set(dir(builtins)) else None


def bound_names(*nodes: ast.AST) -> set[str]:
    """Return the names that these nodes assign to."""
    parts = [part for node in nodes for part in ast.walk(node)]
    return {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def read_names(*nodes: ast.AST) -> set[str]:
    """Return the names that occur in these nodes."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
