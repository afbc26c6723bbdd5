"""What a change makes of a function's results: another type, or the opposite of all of them. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from selfheal_tui.text import one_line

from ..program.calls import compared_calls
from ..program.source import FunctionNode
from .tree_changes import TreeChange

_SHOWN = 40
"""Most characters of code in a sentence."""


def other_type(changes: Sequence[TreeChange], tests: Mapping[str, str]) -> str:
    """Say where a change returns true or false though all else is numbers: `False` equals `0.0`; empty if nowhere."""
    for change in changes:
        function = _function(change)
        value = _new_result(change)
        if function is None or value is None:
            continue
        kinds = {kind for _, call, literal in compared_calls(tests) if (kind := _kind(literal, call, function.name))}
        results = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
        kinds |= {
            "flag" if _is_flag(result) else "number" for result in results if _is_flag(result) or _is_number(result)
        }
        if kinds == {"number"}:
            return f"It returns `{one_line(ast.unparse(value), _SHOWN)}` where all other results are numbers."
    return ""


def swapped_results(changes: Sequence[TreeChange]) -> str:
    """Say whose results become their opposites: every `True` becomes `False`; empty when nobody's do."""
    swapped: dict[int, int] = {}
    for change in changes:
        function = _function(change)
        if function is None or not isinstance(change.inside[-1], ast.Return):
            continue
        match change.old, change.new:
            case ast.Constant(value=bool(old)), ast.Constant(value=bool(new)) if old != new:
                swapped[id(function)] = swapped.get(id(function), 0) + 1
                flags = sum(
                    _is_flag_constant(node.value) for node in ast.walk(function) if isinstance(node, ast.Return)
                )
                if swapped[id(function)] == flags > 1:
                    name = one_line(function.name, _SHOWN)
                    return f"It turns every result of `{name}` into its opposite: `True` and `False` change places."
    return ""


def _function(change: TreeChange) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return next((node for node in reversed(change.inside) if isinstance(node, FunctionNode)), None)


def _new_result(change: TreeChange) -> ast.expr | None:
    """Return a true or false that a change returns."""
    new = change.new
    if isinstance(new, ast.expr) and isinstance(change.inside[-1], ast.Return):
        return new if _is_flag(new) else None
    returns = (node for node in ast.walk(new) if isinstance(node, ast.Return)) if new is not None else ()
    return next((node.value for node in returns if node.value is not None and _is_flag(node.value)), None)


def _kind(literal: ast.expr, call: ast.expr, name: str) -> str:
    """Return `number` or `other` for what a test expects of a call of the function; empty for another call."""
    match call:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called == name:
            return "number" if _is_number(literal) else "other"
    return ""


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_number(operand)
        case ast.Constant(value=int() | float() | complex() as value):
            return not isinstance(value, bool)
    return False


def _is_flag(node: ast.expr) -> bool:
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.IfExp(body=body, orelse=other):
            return _is_flag(body) or _is_flag(other)
        case ast.BoolOp(values=values):
            return any(map(_is_flag_constant, values)) or all(map(_is_flag, values))
    return _is_flag_constant(node)


def _is_flag_constant(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)
