"""Calls: a function or method stands where its sibling was meant; a sort runs the wrong way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, quoted

_FUNCTIONS = (
    ("min", "max"),
    ("any", "all"),
    ("ceil", "floor"),
    ("sum", "max"),
    ("sum", "len"),
    ("sorted", "list"),
    ("list", "set"),
    ("int", "float"),
    ("int", "round"),
    ("str", "repr"),
)
_METHODS = (
    ("append", "extend"),
    ("lower", "upper"),
    ("strip", "rstrip", "lstrip"),
    ("startswith", "endswith"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("split", "rsplit"),
    ("partition", "rpartition"),
    ("ljust", "rjust"),
    ("keys", "values", "items"),
    ("add", "update"),
    ("append", "appendleft"),
    ("pop", "popleft"),
    ("union", "intersection", "difference"),
    ("title", "capitalize"),
    ("isdigit", "isalpha", "isalnum"),
    ("bisect_left", "bisect_right"),
    ("ceil", "floor"),
    ("search", "match", "fullmatch"),
    ("min", "max"),
)


def _siblings(groups: tuple[tuple[str, ...], ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in groups:
        for name in group:
            found.setdefault(name, []).extend(other for other in group if other != name)
    return found


_FUNCTION_SIBLINGS = _siblings((*_FUNCTIONS, ("bisect_left", "bisect_right")))
_METHOD_SIBLINGS = _siblings(_METHODS)


@operator("function", 1.4, "a function stands where its sibling was meant")
def function(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a function name, called or passed on, for a sibling or for another function of the file."""
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    start, end = source.span(node)
    for name in _FUNCTION_SIBLINGS.get(node.id, []):
        yield Splice(start, end, name, f"`{node.id}` becomes `{name}`")
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        local = [f for f in source.tree.body if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)]
        if any(f.name == node.id for f in local):
            for other in local:
                if other.name != node.id:
                    yield Splice(start, end, other.name, f"`{node.id}` becomes `{other.name}`", 1.6)


@operator("method", 1.4, "a method stands where its sibling was meant")
def method(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a called method for its sibling."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    name = node.func.attr
    end = source.span(node.func)[1]
    for other in _METHOD_SIBLINGS.get(name, []):
        yield Splice(end - len(name), end, other, f"`.{name}` becomes `.{other}`")


@operator("order", 1.7, "a sort runs the wrong way")
def order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add or drop the `reverse` of a sort."""
    if not isinstance(node, ast.Call) or not _is_sort(node):
        return
    start, end = source.span(node)
    reverse = next((k for k in node.keywords if k.arg == "reverse"), None)
    if reverse is None:
        body = source.text[start : end - 1].rstrip()
        comma = "" if body.endswith(("(", ",")) else ","
        space = "" if body.endswith("(") else " "
        yield Splice(end - 1, end, f"{comma}{space}reverse=True)", "the sort is reversed")
        return
    parts: list[ast.expr | ast.keyword] = [*node.args, *(k for k in node.keywords if k is not reverse)]
    function_end = source.span(node.func)[1]
    inner = ", ".join(source.text[slice(*source.span(part))] for part in parts)
    yield Splice(function_end, end, f"({inner})", f"{quoted('reverse')} goes from the sort")


def _is_sort(node: ast.Call) -> bool:
    return (isinstance(node.func, ast.Name) and node.func.id == "sorted") or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
    )
