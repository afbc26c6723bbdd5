"""Calls that are missing: the file has a private function for it that nothing calls, and nobody else may."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import inserter
from .insertion import spots
from .scope import scope

_MOST_ARGUMENTS = 2
_MOST_CALLS = 20


@operator("never_called", 3.4, "a private function of the file is never called")
def never_called(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self._check(a)` or `a = self._fixed(a)` where the class has such a method and no line names it."""
    functions = _never_named(source)
    for statement, after in spots(source, node) if functions else ():
        insert = inserter(source, statement, after)
        for place, text in enumerate(_calls(source, statement, functions)):
            reason = f"{quoted(text)} is added"
            if isinstance(statement, ast.Pass):
                yield Splice(*source.span(statement), text, reason, 1.0, 0.5 * bits(place))
            else:
                yield insert((text,), reason, 0.5 * bits(place))


def _calls(source: Source, statement: ast.stmt, functions: list[FunctionNode]) -> Iterator[str]:
    """Yield statements that call these functions, where they can be called, with variables that are there."""
    own_class, own_self = _class_and_self(source, statement)
    around = source.function(statement)
    for function in functions:
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        holder, called = source.parents.get(function), function.name
        if isinstance(holder, ast.ClassDef):
            if holder is not own_class or not own_self or not names or function.decorator_list:
                continue
            names, called = names[1:], f"{own_self}.{called}"
        wanted = names[: len(names) - len(function.args.defaults)] if function.args.defaults else names
        if function is around or len(wanted) > _MOST_ARGUMENTS:
            continue
        variables = [name for name in scope(source, statement) if name != own_self]
        chosen = sorted(permutations(variables, len(wanted)), key=lambda names: sum(map(str.__ne__, names, wanted)))
        gives = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function))
        for arguments in chosen[:_MOST_CALLS]:
            call = f"{called}({', '.join(arguments)})"
            yield f"{arguments[0]} = {call}" if gives and arguments else call


def _class_and_self(source: Source, statement: ast.stmt) -> tuple[ast.AST | None, str]:
    """Return the class whose method a statement is in, and the name of its object there."""
    function = source.function(statement)
    holder = source.parents.get(function) if function is not None else None
    if function is None or not isinstance(holder, ast.ClassDef):
        return None, ""
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    return holder, names[0] if names and not function.decorator_list else ""


def _never_named(source: Source) -> list[FunctionNode]:
    """Return the private functions and methods of the file whose name stands nowhere else, not even in a text."""
    if "never_named" not in source.memo:
        nodes = list(ast.walk(source.tree))
        named = {n.id for n in nodes if isinstance(n, ast.Name)} | {
            n.attr for n in nodes if isinstance(n, ast.Attribute)
        }
        named |= {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        source.memo["never_named"] = [
            node
            for node in nodes
            if isinstance(node, ast.FunctionDef)
            and isinstance(source.parents.get(node), ast.ClassDef | ast.Module)
            and node.name.startswith("_")
            and not node.name.endswith("__")
            and node.name not in named
        ]
    functions: list[FunctionNode] = source.memo["never_named"]
    return functions
