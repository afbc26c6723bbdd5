"""Updates: an assignment should add up, keep the best or change another variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, replace, token_between
from .fitting import SUM, grouped
from .kinds import SEQUENCES, kinds
from .scope import own_nodes, owner, scope

_UPDATE = r"(?:\*\*|//|<<|>>|[-+*/%@&|^])="
_NEAR = {
    "+": ("-", "*"),
    "-": ("+", "//"),
    "*": ("+", "**", "/"),
    "/": ("//", "*"),
    "//": ("/", "-", "*", "%"),
    "%": ("//", "/"),
    "&": ("|", "^"),
    "|": ("&", "^"),
    "^": ("&", "|"),
}
_ALL = ("+", "-", "*", "//", "/", "%", "**", "&", "|")
_LIMITS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_LARGEST = re.compile("max|best|long|larg|high|top|most")
_SMALLEST = re.compile("min|short|small|low|least")
_FAR = 1.2
_EMPTY = {"list": "[]", "tuple": "()", "str": '""'}
"""Kind of what is added -> what there is before it."""


@operator("update", 1.6, "a variable is updated with the wrong operator")
def update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `+=` into `-=` and the like, or into `=`."""
    if not isinstance(node, ast.AugAssign):
        return
    sign = token_between(source, node.target, node.value, _UPDATE)
    if sign is None:
        return
    start, end = sign
    old = source.text[start : end - 1]
    near = _NEAR.get(old, ())
    for text in near:
        yield Splice(start, end, f"{text}=", f"`{old}=` becomes `{text}=`")
    yield Splice(start, end, "=", f"`{old}=` becomes `=`", 1.0, 1.6)
    for text in _ALL:
        if text != old and text not in near:
            yield Splice(start, end, f"{text}=", f"`{old}=` becomes `{text}=`", 1.0, _FAR)
    if old == "+" and kinds(source, node.value) & SEQUENCES:
        target = source.segment(node.target)
        text = f"= {grouped(source.segment(node.value), SUM)} + {target}"
        yield Splice(start, source.span(node)[1], text, f"the new part is put before {quoted(target)}", 1.0, 1.4)


@operator("accumulate", 3.5, "an assignment should add up")
def accumulate(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `=` into `+=` and the like; in a table also where there is nothing under the key yet."""
    if (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and not isinstance(node.targets[0], ast.Tuple | ast.List)
    ):
        sign = token_between(source, node.targets[0], node.value, "=")
        if sign is not None and _may_exist(source, node):
            for place, text in enumerate(("+=", "-=", "*=", "|=")):
                yield Splice(*sign, text, f"`=` becomes `{text}`", 1.0, 0.4 * place)
        table = node.targets[0]
        if isinstance(table, ast.Subscript) and not isinstance(table.slice, ast.Slice):
            holder, key = source.segment(table.value), source.segment(table.slice)
            key = f"({key})" if isinstance(table.slice, ast.Tuple) and key[:1] != "(" else key
            if kinds(source, table.value) <= {"dict"} and "\n" not in key:
                empty = next((_EMPTY[kind] for kind in kinds(source, node.value) if kind in _EMPTY), "0")
                for place, text in enumerate("+-" if empty == "0" else "+"):
                    added = f"{holder}.get({key}, {empty}) {text} {grouped(source.segment(node.value), SUM)}"
                    yield replace(source, node.value, added, 1.0, 0.6 + 0.8 * place)


@operator("keep_best", 3.8, "an assignment overwrites a better value", discount=1.8)
def keep_best(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Keep the larger or smaller one of the old and the new value."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name | ast.Subscript | ast.Attribute):
        return
    if not _may_exist(source, node):
        return
    target = source.segment(node.targets[0])
    if target in {source.segment(n) for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
        return
    cues = {"max": _LARGEST, "min": _SMALLEST}
    for name, cue in cues.items():
        text = f"{name}({target}, {source.segment(node.value)})"
        yield replace(source, node.value, text, 1.0, -1.8 if cue.search(target.lower()) else 0.0)


@operator("target", 2.8, "the wrong variable is assigned")
def target(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Assign to another variable, or to another place, that the function assigns."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        old = node.targets[0]
    elif isinstance(node, ast.AugAssign):
        old = node.target
    else:
        return
    function = owner(source, node)
    if not isinstance(old, ast.Name | ast.Subscript | ast.Attribute):
        return
    text = source.segment(old)
    names = {
        source.segment(n): None
        for n in own_nodes(source, function)
        if isinstance(n, ast.Name | ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    if isinstance(node, ast.Assign) and not isinstance(function, ast.Module):
        names.update(dict.fromkeys(arg.arg for arg in function.args.args))
    visible = scope(source, node)
    start, end = source.span(old)
    others = [name for name in names if name != text and "\n" not in name and len(name) < 40]
    for place, name in enumerate(others):
        if isinstance(node, ast.Assign) or not name.isidentifier() or name in visible:
            yield Splice(start, end, name, f"{quoted(name)} is assigned instead of {quoted(text)}", 1.0, bits(place))


def _may_exist(source: Source, node: ast.Assign) -> bool:
    target = node.targets[0]
    return not isinstance(target, ast.Name) or target.id in scope(source, node)


@operator("with_what_is_there", 3.0, "a limit is compared with what is added, and not with what is there already")
def with_what_is_there(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `if n > self.most:` into `if self.used + n > self.most:` where the function adds `n` to `self.used`."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], _LIMITS):
        return
    function = source.function(node)
    if function is None or "+=" not in source.text:
        return
    held = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    compared = source.segment(node)
    for added in own_nodes(source, function):
        match added:
            case ast.AugAssign(target=target, op=ast.Add(), value=value) if not isinstance(value, ast.Constant):
                total, part = source.segment(target), source.segment(value)
            case _:
                continue
        for side in (node.left, node.comparators[0]):
            if source.segment(side) == part and total not in compared and total not in held:
                yield replace(source, side, f"{total} + {grouped(part, SUM)}")
