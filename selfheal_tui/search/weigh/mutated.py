"""Arguments that are changed where they were only read: `graph.get(n, {})` becomes `graph.setdefault(n, {})`. Pure."""

from __future__ import annotations

import ast

from selfheal_tui.text import one_line

from .acts import MUTATORS
from .tree_changes import TreeChange

_SHOWN = 40
"""Most characters of code in a sentence."""


def mutated_argument(change: TreeChange) -> str:
    """Say which argument a method changes now that another one only read before; empty for none."""
    match change.old, change.new:
        case ast.Attribute(value=ast.Name(id=name), attr=read), ast.Attribute(attr=method) as new:
            pass
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=read)),
            ast.Call(func=ast.Attribute(attr=method) as new),
        ):
            pass
        case _:
            return ""
    function = next((one for one in reversed(change.inside) if isinstance(one, _FUNCTIONS)), None)
    if read in MUTATORS or method not in MUTATORS or function is None or ast.unparse(new.value) != name:
        return ""
    arguments = {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    if name not in arguments or _is_changed(function, name):
        return ""
    return f"It changes `{name}`, which is passed in and was only read: `{one_line(ast.unparse(new), _SHOWN)}`."


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_changed(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Tell whether a function binds a name anew, or changes what it holds."""
    for node in ast.walk(function):
        match node:
            case ast.Name(id=other, ctx=ast.Store() | ast.Del()) if other == name:
                return True
            case ast.Subscript(value=ast.Name(id=other), ctx=ast.Store() | ast.Del()) if other == name:
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=other), attr=method)) if other == name:
                if method in MUTATORS:
                    return True
    return False
