"""Edits that bring back what a recent change replaced: where that change is the fault, they mend it exactly."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from ..operators import Family, Splice
from ..operators.base import quoted
from ..operators.blocks import newline_of
from ..program.location import Location
from ..program.recent import At, RecentChange
from ..program.source import Source
from .listing import Edit


def _none(_: Source, __: ast.AST) -> Iterator[Splice]:
    yield from ()


_FAMILY = Family("as_before", 1.0, "a recent change is at fault", _none)
"""Its edits come from what git tells, and from no node of the syntax tree."""


def restored_edits(source: Source, location: Location, recent: Mapping[At, RecentChange]) -> Iterator[Edit]:
    """Yield an edit for each change whose lines (`recent`, of all files) all still stand here and are suspicious."""
    lines = {line: change for (path, line), change in recent.items() if path == source.path and change.rows}
    statements = [node for node in source.nodes() if isinstance(node, ast.stmt)] if lines else []
    for order, (first, change) in enumerate(sorted(lines.items(), key=lambda one: one[0])):
        rows = range(first, first + change.rows)
        if lines.get(first - 1) == change or any(lines.get(line) != change for line in rows):
            continue
        if (located := _likeliest(statements, location, rows)) is None:
            continue
        bits, why = located
        start, end = source.line_start(first), source.line_start(rows.stop)
        text = change.old.replace("\n", newline_of(source))
        if not source.text[start:end].endswith(("\n", "\r")):
            text = text.rstrip("\r\n")
        splice = Splice(start, end, text, _words(change))
        yield Edit(source, splice, _FAMILY, why, round(_FAMILY.cost + bits, 4), order)


def _likeliest(statements: Sequence[ast.stmt], location: Location, rows: range) -> tuple[float, str] | None:
    """Return the fewest bits of a statement that begins in these lines, and why; None where no failing case comes."""
    located = (location.bits(statement) for statement in statements if statement.lineno in rows)
    return min(filter(None, located), key=lambda one: one[0], default=None)


def _words(change: RecentChange) -> str:
    before = f"as before {change.commit.partition(' ')[0]}" if change.commit else "as in the last commit"
    if change.old.count("\n") <= 1 and change.rows == 1:
        return f"back to {quoted(change.old.strip())}, {before}"
    return f"these {change.rows} lines {before}" if change.rows > 1 else f"this line {before}"
