"""What a program remembers: a flag that is set where it turns round, an entry that is made anew where one may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, replace
from .scope import own_nodes

_EMPTY_CALLS = frozenset({"Counter", "OrderedDict", "dict", "list", "set"})
_LOOPS = ast.For | ast.While | ast.AsyncFor


@operator("turned_flag", 3.2, "a flag is set where it should turn round, or turns where it should be set")
def turned_flag(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `quoted = True` in a loop into `quoted = not quoted`, and the other way round."""
    match node:
        case ast.Assign(targets=[target], value=ast.Constant(value=bool()) as value):
            if _is_in_loop(source, node) and _is_set_elsewhere(source, node, target):
                yield replace(source, value, f"not {source.segment(target)}")
        case ast.Assign(targets=[target], value=ast.UnaryOp(op=ast.Not(), operand=operand) as value):
            if source.segment(target) == source.segment(operand):
                yield replace(source, value, "True")
                yield replace(source, value, "False", 1.0, 0.2)


@operator("kept_entry", 3.4, "an entry that is there already is made anew, or should be")
def kept_entry(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `d[k] = []` into `d.setdefault(k, [])`, with a value that is not empty less likely, and the other way."""
    match node:
        case ast.Assign(targets=[*others, ast.Subscript(value=whole, slice=key) as last], value=value):
            if isinstance(key, ast.Slice | ast.Tuple) or not isinstance(whole, ast.Name | ast.Attribute):
                return
            call = f"{source.segment(whole)}.setdefault({source.segment(key)}, {source.segment(value)})"
            start = source.span(last)[0]
            reason = f"{quoted(source.segment(last))} is made only where it is not there"
            if not others:
                start = source.span(node)[0]
            yield Splice(start, source.span(value)[1], call, reason, 1.0, 0.0 if _is_empty(value) else 1.4)
        case ast.Call(func=ast.Attribute(value=whole, attr="setdefault"), args=[key, value], keywords=[]):
            parent = source.parents.get(node)
            item = f"{source.segment(whole)}[{source.segment(key)}]"
            if isinstance(parent, ast.Expr):
                text = f"{item} = {source.segment(value)}"
                yield Splice(*source.span(parent), text, f"{quoted(item)} is set where it is there too")


def _is_in_loop(source: Source, node: ast.AST) -> bool:
    function = source.function(node)
    while (above := source.parents.get(node)) is not None and above is not function:
        if isinstance(above, _LOOPS):
            return True
        node = above
    return False


def _is_set_elsewhere(source: Source, node: ast.Assign, target: ast.expr) -> bool:
    """Tell whether the function sets the same flag in another place: it is a state and no result."""
    function = source.function(node)
    text = source.segment(target)
    others = own_nodes(source, function) if function is not None else ()
    return any(
        isinstance(other, ast.Assign) and other is not node and source.segment(other.targets[0]) == text
        for other in others
    )


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY_CALLS or name[:1].isupper()
    return isinstance(value, ast.Constant) and value.value in (0, "") and value.value is not False
