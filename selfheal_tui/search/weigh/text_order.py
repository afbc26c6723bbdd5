"""A change that asks which of two texts comes first where it was asked whether they are the same. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..program.source import FunctionNode
from .shared_trees import shared_tree
from .tree_changes import TreeChange

_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def text_order(change: TreeChange, tests: Iterable[str]) -> str:
    """Say that texts are compared by their order, as tests (texts of files) give texts there; empty where not."""
    if not isinstance(change.old, ast.Eq | ast.NotEq) or type(change.new) not in _SIGNS or not change.inside:
        return ""
    compared = change.inside[-1]
    function = next((node for node in reversed(change.inside) if isinstance(node, FunctionNode)), None)
    if not isinstance(compared, ast.Compare) or function is None:
        return ""
    sides = [compared.left, *compared.comparators]
    parameters = [arg.arg for arg in function.args.args if arg.arg not in ("self", "cls")]
    places = [parameters.index(side.id) for side in sides if isinstance(side, ast.Name) and side.id in parameters]
    texts = any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)
    if texts or any(_is_given_text(function.name, place, tests) for place in places):
        sign = _SIGNS[type(change.new)]  # type: ignore[index]
        return f"It asks with `{sign}` which text comes first, where it was asked whether they are the same."
    return ""


def _is_given_text(name: str, place: int, tests: Iterable[str]) -> bool:
    """Tell whether a test gives a function a text at a place."""
    for text in tests:
        tree = shared_tree(text)
        for node in ast.walk(tree) if tree is not None else ():
            match node:
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=args) if called == name:
                    if len(args) > place and isinstance(value := getattr(args[place], "value", None), str):
                        return bool(value)
    return False
