"""A value that belongs among others: `text in ("no", "false")` lacks `"off"`, which the tests name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted
from .texts import literal

_MOST = 24
"""Values of the tests."""
_STEP = 0.5


@operator("missing_member", 3.6, "a value is missing among others")
def missing_member(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a value that the tests name behind the last one of a list, tuple or set of texts or of whole numbers."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or len(node.elts) < 2:
        return
    held = [item.value for item in node.elts if isinstance(item, ast.Constant)]
    kind = {type(value) for value in held}
    if len(held) != len(node.elts) or kind not in ({str}, {int}) or not _is_asked(source, node):
        return
    values = [value for value in source.observed if type(value) in kind and value not in held][:_MOST]
    at = source.span(node.elts[-1])[1]
    for place, value in enumerate(dict.fromkeys(values)):
        text = literal(value, _quote(source, node.elts)) if isinstance(value, str) else repr(value)
        reason = f"{quoted(source.segment(node))} gets {quoted(text)}"
        yield Splice(at, at, f", {text}", reason, 1.0, _STEP * bits(place))


def _is_asked(source: Source, node: ast.AST) -> bool:
    """Tell whether values are looked for in a display, or it has a name by which they may be."""
    match source.parents.get(node):
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.Assign() | ast.AnnAssign():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
    return False


def _quote(source: Source, items: Sequence[ast.expr]) -> str:
    return source.segment(items[-1])[-1:]
