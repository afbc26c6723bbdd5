"""What a method works out from an attribute and does not write back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted
from .blocks import has_own_lines, inserter


@operator("written_back", 4.0, "what is taken from an attribute stays in it")
def written_back(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.paid -= change` or `self.paid = self.total` after `change = self.paid - self.total`."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Attribute(value=ast.Name()) as left, op=ast.Sub(), right=right),
        ) if has_own_lines(source, node):
            pass
        case _:
            return
    whole, rest = source.segment(left), source.segment(right)
    if "\n" in rest:
        return
    insert = inserter(source, node, True)
    for place, text in enumerate((f"{whole} -= {name}", f"{whole} = {rest}")):
        yield insert((text,), f"{quoted(text)} is added", 0.5 * bits(place))
