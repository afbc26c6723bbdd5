"""Names that a change leaves without a use: `cents * percent // 10` becomes `cents // 10`. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from selfheal_tui.text import one_line

from ..program.leaving import blocks_of
from ..program.source import FunctionNode
from .tree_changes import are_same

_SHOWN = 40
"""Most characters of a name in a sentence."""
_OWN = frozenset({"self", "cls"})


def unused_name(before: ast.Module, after: ast.Module) -> str:
    """Say which parameter or variable of a function was read before and is still bound, but read no more."""
    there = dict(functions(after))
    for name, old in functions(before):
        new = there.get(name)
        if new is None or are_same(old, new):
            continue
        parameters = _parameters(new)
        left = (_read(old) - _read(new)) & (parameters.keys() | _assigned(new)) - _OWN
        for unused in sorted((one for one in left if not one.startswith("_")), key=lambda n: (n not in parameters, n)):
            kind = "parameter" if unused in parameters else "variable"
            return f"The {kind} `{one_line(unused, _SHOWN)}` is used no more."
    return ""


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield (qualified name, function), those in classes and functions too."""
    for node in chain.from_iterable(blocks_of(tree)):
        inner = prefix
        if isinstance(node, FunctionNode):
            yield f"{prefix}{node.name}", node
        if isinstance(node, FunctionNode | ast.ClassDef):
            inner = f"{prefix}{node.name}."
        yield from functions(node, inner)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.arg]:
    arguments = function.args
    others = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return {one.arg: one for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *others]}


def _read(function: ast.AST) -> set[str]:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    # `total += x` reads the total as well.
    counted = (node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign))
    return names | {target.id for target in counted if isinstance(target, ast.Name)}


def _assigned(function: ast.AST) -> set[str]:
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}
