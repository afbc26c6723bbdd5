"""A reading that is added to the one before: `self.updated += now` where an object begins with `clock()`. Pure.

A moment is taken anew at each reading; a sum of two moments is no moment, and passes only while the clock stands still.
"""

from __future__ import annotations

import ast

from .tree_changes import TreeChange


def adds_reading(change: TreeChange) -> str:
    """Say that a change adds up readings; empty where it does not.

    A reading is a call without arguments by which both this method and another one set the attribute.
    """
    match change.old, change.new:
        case ast.Assign(targets=[target], value=value), ast.AugAssign(op=ast.Add() | ast.Sub()):
            owners = [node for node in change.inside if isinstance(node, ast.ClassDef)]
            methods = [node for node in change.inside if isinstance(node, ast.FunctionDef)]
        case _:
            return ""
    if not owners or not methods or not isinstance(target, ast.Attribute):
        return ""
    reading = _reading(value) or _reading(_set_to(value, methods[-1]))
    others = [node for node in owners[-1].body if isinstance(node, ast.FunctionDef) and node is not methods[-1]]
    if reading and any(_reading(_set_to(target, method)) == reading for method in others):
        return f"It adds up what `{reading}()` gives each time: elsewhere `{ast.unparse(target)}` is set to it."
    return ""


def _reading(value: ast.expr | None) -> str:
    """Return the last name of a function that is called without arguments: `clock` of `self.clock()`."""
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=[]):
            return name
    return ""


def _set_to(target: ast.expr, function: ast.FunctionDef) -> ast.expr | None:
    """Return what a function sets a name or attribute to, where it does so once."""
    text = ast.unparse(target)
    values = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(ast.unparse(one) == text for one in node.targets)
    ]
    return values[0] if len(values) == 1 else None
