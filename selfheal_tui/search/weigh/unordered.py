"""A change after which a result depends on the order of a set, which is another one in the next process. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from selfheal_tui.text import one_line

_SHOWN = 60
_IN_ORDER = frozenset({"enumerate", "filter", "iter", "list", "map", "next", "tuple", "zip"})
_METHODS = frozenset({"extend", "join", "writelines"})
_ANY_ORDER = frozenset({"all", "any", "frozenset", "len", "max", "min", "set", "sorted", "sum"})
_SETS = frozenset({"frozenset", "set"})


def unordered(before: ast.Module, after: ast.Module) -> str:
    """Say that what a set holds is gone through in order where it was not before; empty where nothing is."""
    new = Counter(map(ast.unparse, _gone_through(after)))
    new.subtract(map(ast.unparse, _gone_through(before)))
    first = next((text for text, times in new.items() if times > 0), "")
    return f"It goes through a set, `{one_line(first, _SHOWN)}`, whose order differs from run to run." if first else ""


def _gone_through(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the sets whose items are taken one after the other, where their order may show."""
    hidden = {id(argument) for node in ast.walk(tree) if _is_call(node, _ANY_ORDER) for argument in node.args}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        match node:
            case ast.For(iter=items, body=body) if not all(map(_adds_up, body)):
                parts = [items]
            case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
                parts = [generator.iter for generator in generators]
            case ast.Call(func=ast.Name(id=name), args=parts) if name in _IN_ORDER:
                pass
            case ast.Call(func=ast.Attribute(attr=name), args=parts) if name in _METHODS:
                pass
            case _:
                continue
        yield from filter(_is_set, parts)


def _is_call(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _is_set(node: ast.expr) -> bool:
    return isinstance(node, ast.Set | ast.SetComp) or _is_call(node, _SETS)


def _adds_up(statement: ast.stmt) -> bool:
    """Tell whether a statement does the same in whatever order it is done."""
    match statement:
        case ast.AugAssign() | ast.Pass() | ast.Continue():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name in ("add", "discard")
        case ast.If(body=body, orelse=other):
            return all(map(_adds_up, [*body, *other]))
    return False
