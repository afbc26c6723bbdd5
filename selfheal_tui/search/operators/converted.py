"""An object that its own method should convert first: `other.cents` where `other.to(unit).cents` was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .kinds import kinds

_MOST = 6
"""Arguments that are tried."""
_STEP = 0.5


@operator("converted", 4.2, "an object should be converted first")
def converted(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Read an attribute of what a method gives that makes another object of the same class: with no argument, or one
    that calls of the method pass or that the object at hand has.
    """
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)):
        return
    parent, function = source.parents.get(node), source.function(node)
    if function is None or (isinstance(parent, ast.Call) and parent.func is node):
        return
    start, end = source.span(node)
    name, known = node.value.id, kinds(source, node.value)
    for owner, method in _converting(source):
        fits = owner.name in known if known else source.parents.get(function) is owner
        if not fits or method is function:
            continue
        for place, argument in enumerate(_arguments(source, function, method, name)):
            text = f"{name}.{method.name}({argument}).{node.attr}"
            reason = f"{quoted(source.text[start:end])} becomes {quoted(text)}"
            yield Splice(start, end, text, reason, 1.0, _STEP * bits(place))


def _converting(source: Source) -> list[tuple[ast.ClassDef, FunctionNode]]:
    """Return the methods that take at most one argument and return a new object of their own class, with the class."""
    if "converting" not in source.memo:
        source.memo["converting"] = [
            (owner, method)
            for owner in ast.walk(source.tree)
            if isinstance(owner, ast.ClassDef)
            for method in owner.body
            if isinstance(method, ast.FunctionDef)
            and not method.name.startswith("__")
            and not method.decorator_list
            and 1 <= len(method.args.args) <= 2
            and not (method.args.vararg or method.args.kwonlyargs)
            and any(_makes(one.value, owner.name) for one in ast.walk(method) if isinstance(one, ast.Return))
        ]
    methods: list[tuple[ast.ClassDef, FunctionNode]] = source.memo["converting"]
    return methods


def _makes(value: ast.expr | None, owner: str) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in (owner, "replace")
        case ast.Call(func=ast.Call(func=ast.Name(id="type"))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="__class__") | ast.Attribute(attr="replace")):
            return True
    return False


def _arguments(source: Source, function: FunctionNode, method: FunctionNode, name: str) -> list[str]:
    """Return what may be passed to a method of the object `name`: first what the object at hand has by that name."""
    if len(method.args.args) == 1:
        return [""]
    wanted = method.args.args[1].arg
    own = [arg.arg for arg in function.args.args if arg.arg != name]
    read = [
        source.segment(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in own
        and not isinstance(source.parents.get(node), ast.Call)
    ]
    holder = source.parents.get(function)
    first = function.args.args[0].arg if function.args.args and isinstance(holder, ast.ClassDef) else ""
    values = [one for one in own if one != first]
    passed = [
        source.segment(call.args[0])
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == method.name
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
    ]
    texts = dict.fromkeys([*values, *read, *passed])
    return sorted(texts, key=lambda text: not text.split(".")[-1].startswith(wanted))[:_MOST]
