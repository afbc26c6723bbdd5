"""Defaults: a mutable default argument that all calls share; a mutable value that several names share."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted, replace
from .blocks import first_statement, has_own_lines, indent_of, newline_of, step_of
from .fitting import ATOM, grouped
from .kinds import kinds
from .scope import is_value

_MUTABLE = (ast.List, ast.Dict, ast.Set)
_SHARED = frozenset({"list", "dict", "set", "deque", "Counter", "defaultdict"})


@operator("mutable_default", 2.0, "all calls share one default argument")
def mutable_default(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make the default None and create the value in the function."""
    if not isinstance(node, FunctionNode):
        return
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(positional[::-1], spec.defaults[::-1], strict=False)]
    pairs += [(arg, value) for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is not None]
    first = first_statement(node)
    if not has_own_lines(source, first):
        return
    indent, newline = indent_of(source, first), newline_of(source)
    for arg, value in pairs:
        is_shared = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _SHARED
        if isinstance(value, _MUTABLE) or is_shared:
            start, end = source.span(value)
            at = source.line_start(first.lineno)
            check = f"{indent}if {arg.arg} is None:{newline}"
            check += f"{indent}{step_of(source)}{arg.arg} = {source.text[start:end]}{newline}"
            text = f"None{source.text[end:at]}{check}"
            yield Splice(start, at, text, f"each call makes its own {quoted(arg.arg)}")


@operator("shared", 3.6, "two places share one changing value")
def shared(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Copy a list, dict or set where it is stored, appended, passed or returned."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or not is_value(source, node):
        return
    parent = source.parents.get(node)
    kind = kinds(source, node)
    if kind and not kind & _SHARED:
        return
    stored = isinstance(parent, ast.Assign | ast.Return | ast.Tuple | ast.List | ast.keyword)
    passed = isinstance(parent, ast.Call) and node in parent.args
    if not (stored or passed) or (not kind and not isinstance(parent, ast.Assign | ast.Call)):
        return
    own = grouped(source.segment(node), ATOM)
    extra = 0.0 if kind else 1.2
    yield replace(source, node, f"{own}[:]" if kind == {"list"} else f"{own}.copy()", 1.0, extra)
    if passed or not kind:
        yield replace(source, node, f"list({source.segment(node)})", 1.0, extra + 0.4)


@operator("repeated_row", 2.4, "all rows of a table are one and the same")
def repeated_row(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `[[x] * n] * m` into a comprehension that makes a row each time."""
    match node:
        case ast.BinOp(left=ast.List(elts=[row]), op=ast.Mult(), right=count):
            if isinstance(row, ast.List | ast.Dict | ast.Set | ast.BinOp | ast.Call):
                text = f"[{source.segment(row)} for _ in range({source.segment(count)})]"
                yield replace(source, node, text)
