"""How unlikely it is that a place is the wrong one, in bits, from suspicious lines and evaluated expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping, Sequence

from .localise import Suspect
from .source import Source, place

_STEEP = 1.5
"""Bits for each halving of the suspiciousness; fits where known fixes stand among the suspects."""
_LEAST_SCORE = 0.05
_HINTED_SCORE = 1.0
_COMPARES = frozenset({"__eq__", "__ne__"})
_COMPARES_BITS = 5.0
"""For a place that says when objects are equal: every test that compares such objects passes through it."""


class Location:
    """Bits of the places of one file; `hinted` are lines that a diagnosis points to."""

    def __init__(
        self, source: Source, suspects: Sequence[Suspect], failing: Sequence[str], hinted: Collection[int] = ()
    ) -> None:
        self._source = source
        self._scores: Mapping[int, Suspect] = {s.line: s for s in suspects if s.path == source.path}
        self._best = max((s.weighed for s in self._scores.values()), default=0.0)
        self._hinted = frozenset(hinted)
        evaluated = source.observations.evaluated
        self._failing = [evaluated[case] for case in failing if case in evaluated]
        self._raised = frozenset(line for _, _, line in source.observations.errors)
        self._reached = frozenset().union(*self._failing) if self._failing else None

    def bits(self, node: ast.AST) -> tuple[float, str] | None:
        """Return the bits and why, half a sentence; None for a place that no failing case comes to."""
        statement = self._source.statement(node)
        if statement is None:
            return (0.0, "") if self._best else None
        lines = header_lines(statement)
        suspect = max((self._scores[n] for n in lines if n in self._scores), key=lambda s: s.weighed, default=None)
        score, why = (suspect.weighed, f"line {suspect.line} {suspect.why}") if suspect else (0.0, "")
        if self._hinted.intersection(lines):
            score, why = max(score, _HINTED_SCORE), f"the diagnosis points to line {lines.start}"
        elif self._unreached(node):
            return None
        if score <= 0.0:
            return None
        function = self._source.function(node)
        more = _COMPARES_BITS if function is not None and function.name in _COMPARES and not self._hinted else 0.0
        return _STEEP * math.log2(1.0 / max(score, _LEAST_SCORE)) + more, why

    def _unreached(self, node: ast.AST) -> bool:
        """Tell whether the expression was watched and no failing case came to it: one that raises has no value, but
        parts that have, or its line is named by the exception."""
        if (
            self._reached is None
            or not isinstance(node, ast.expr)
            or place(node) not in self._source.observations.watched
        ):
            return False
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if not self._raised.isdisjoint(lines):
            return False
        return not any(isinstance(part, ast.expr) and place(part) in self._reached for part in ast.walk(node))


def header_lines(statement: ast.stmt) -> range:
    """Return the lines of a statement without the blocks under it."""
    body = getattr(statement, "body", None)
    last = statement.end_lineno or statement.lineno
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, last + 1)
