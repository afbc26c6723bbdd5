"""Variables: a name stands where another one in scope was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from selfheal_tui.search.source import Source

from .base import Splice, operator, replace


@operator("variable", 1.7, "the wrong variable is used")
def variable(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a name that is read by another variable in scope."""
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)) or _is_fixed(source, node):
        return
    parent = source.parents.get(node)
    ranged = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "range"
    bound = ranged or isinstance(parent, ast.Slice) or (isinstance(parent, ast.Subscript) and parent.slice is node)
    for name in source.names_before(node):
        if name != node.id:
            yield replace(source, node, name, 0.8 if bound else 1.0)


@operator("constant_for_variable", 2.0, "a constant stands where a variable was meant")
def constant_for_variable(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a constant by a variable in scope."""
    if not isinstance(node, ast.Constant) or isinstance(source.parents.get(node), ast.Expr | ast.JoinedStr):
        return
    if source.function(node) is None or node.value is None:
        return
    for name in source.names_before(node):
        yield replace(source, node, name)


@operator("attribute", 1.8, "the wrong attribute is used")
def attribute(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace an attribute of a variable by another that the file uses on the same variable."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return
    parent = source.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    if called or isinstance(node.ctx, ast.Del):
        return
    for name in source.attributes.get(node.value.id, ()):
        if name != node.attr:
            yield replace(source, node, f"{node.value.id}.{name}")


@operator("argument_order", 1.9, "arguments are passed in the wrong order")
def argument_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap two neighbouring positional arguments, elements of a tuple, or targets of an unpacking."""
    items = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
    for first, second in pairwise(items):
        if isinstance(first, ast.Starred) or isinstance(second, ast.Starred) or ast.dump(first) == ast.dump(second):
            continue
        start, end = source.span(first)[0], source.span(second)[1]
        between = source.text[source.span(first)[1] : source.span(second)[0]]
        left, right = source.segment(first), source.segment(second)
        yield Splice(start, end, f"{right}{between}{left}", f"`{left}` and `{right}` change places")


def _is_fixed(source: Source, node: ast.Name) -> bool:
    """Tell what is no variable: a called name, a decorator, an annotation, an exception type, a base."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return True
    if isinstance(parent, ast.arg | ast.ExceptHandler | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return True
    at: ast.AST | None = node
    while at is not None and not isinstance(at, ast.stmt):
        above = source.parents.get(at)
        if isinstance(above, ast.arg | ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        if isinstance(above, ast.AnnAssign) and above.annotation is at:
            return True
        at = above
    return isinstance(at, ast.Import | ast.ImportFrom)
