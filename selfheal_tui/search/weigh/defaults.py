"""Default values that become another number: `totals.get(key, 0)` becomes `totals.get(key, -1)`. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from selfheal_tui.text import one_line

from .tree_changes import TreeChange

_SHOWN = 40
"""Most characters of code in a sentence."""
_WITH_DEFAULT = frozenset({"get", "setdefault", "pop", "getattr", "next"})
"""Calls whose last argument is the value for what is not there."""
_STARTS = frozenset({"start", "default", "initial"})


def default_at_number(changes: Iterable[TreeChange]) -> str:
    """Say which default number a change sets to another one than 0; empty where it sets none."""
    for change in changes:
        numbers = _is_number(change.old) and _is_number(change.new)
        if numbers and _code(change.new) != "0" and (owner := _owner(change)):
            return f"It only starts {owner} at `{_code(change.new)}` instead of `{_code(change.old)}`."
    return ""


def _owner(change: TreeChange) -> str:
    """Return in words what a changed number is the default of; empty when it is none."""
    owner = change.inside[-1] if change.inside else None
    match owner:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[*others, last]) if others:
            return f"`{_code(owner)}`" if last is change.old and name in _WITH_DEFAULT | {"sum"} else ""
        case ast.keyword(arg=str(name)) if name in _STARTS:
            return f"`{_code(owner)}`"
        case ast.arguments():
            return f"the default of `{_parameter(owner, change.old)}`"
    return ""


def _parameter(owner: ast.arguments, default: ast.AST | None) -> str:
    """Return the name of the parameter that has this default."""
    positional = [*owner.posonlyargs, *owner.args]
    pairs = [
        *zip(positional[len(positional) - len(owner.defaults) :], owner.defaults, strict=True),
        *zip(owner.kwonlyargs, owner.kw_defaults, strict=True),
    ]
    return next((parameter.arg for parameter, value in pairs if value is default), "")


def _is_number(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant(value=value) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return isinstance(value, int | float) and not isinstance(value, bool)
    return False


def _code(node: ast.AST | None) -> str:
    return one_line(ast.unparse(node), _SHOWN) if node is not None else ""
