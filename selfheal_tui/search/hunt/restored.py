"""Edits that bring back what a recent change replaced: where that change is the fault, they mend it exactly."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from ..operators import Family, Splice
from ..operators.base import quoted
from ..operators.blocks import newline_of
from ..program.git_had import whole_changes
from ..program.location import Location, header_lines
from ..program.recent import At, RecentChange
from ..program.source import Source
from .candidates import AS_BEFORE
from .listing import Edit


def _none(_: Source, __: ast.AST) -> Iterator[Splice]:
    yield from ()


_FAMILY = Family(AS_BEFORE, -1.0, "a recent change is at fault", _none)
"""Its edits come from what git tells, and from no node of the syntax tree. No invented edit at a place costs less: that
the program was once so is more than any guess."""


_LONGEST_LINE = 160
_UNSEEN_BITS = 10.0
"""For lines that no failing case runs."""


def restored_edits(
    source: Source, location: Location, recent: Mapping[At, RecentChange], unseen_too: bool = False
) -> Iterator[Edit]:
    """Yield an edit for each change whose lines (`recent`, of all files) all still stand here and are suspicious.

    `unseen_too`: also where no failing case comes; those have no `why`.
    """
    changes = whole_changes(recent, source.path)
    statements = [node for node in source.nodes() if isinstance(node, ast.stmt)] if changes else []
    for order, (first, change) in enumerate(changes):
        rows = range(first, first + change.rows)
        located = _likeliest(statements, location, rows)
        if located is None and not unseen_too:
            continue
        bits, why = located or (_UNSEEN_BITS, "")
        start, end = source.line_start(first), source.line_start(rows.stop)
        text = change.old.replace("\n", newline_of(source))
        if not source.text[start:end].endswith(("\n", "\r")):
            text = text.rstrip("\r\n")
        splice = Splice(start, end, text, _words(change))
        yield Edit(source, splice, _FAMILY, why, round(_FAMILY.cost + bits, 4), order)


def _likeliest(statements: Sequence[ast.stmt], location: Location, rows: range) -> tuple[float, str] | None:
    """Return the fewest bits of a statement in these lines, and why; None where no failing case comes to one."""
    located = (location.bits(statement) for statement in statements if not {*rows}.isdisjoint(header_lines(statement)))
    return min(filter(None, located), key=lambda one: one[0], default=None)


def _words(change: RecentChange) -> str:
    if change.old.count("\n") <= 1 and change.rows == 1:
        return f"back to {quoted(change.old.strip(), _LONGEST_LINE)}, {change.before}"
    return f"these {change.rows} lines {change.before}" if change.rows > 1 else f"this line {change.before}"
