"""Questions about what calls of the tests do beside what is asserted: a result that no test looks at, and what becomes
of arguments, `[left := {'a': 1}, merge(left, {'a': 2}), left][-1]`.

A repair may give what the tests expect and change what it was handed. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from selfheal_tui.python_source import is_literal, parse_expression, parse_or_none
from selfheal_tui.steps import call_of_steps

from ..program.source import FunctionNode
from .acts import MUTATORS
from .seeds import seeds_of

_MOST = 8
_LONGEST = 200
_CHANGES = (list, dict, set)


def build_argument_calls(
    tests: Mapping[str, str], program: Mapping[str, str], edited: Collection[str] = ()
) -> list[str]:
    """Return calls as source text, those of the functions `edited` first, then the shortest.

    `tests` and `program` are path -> text; in the tests names stand as their values (`program.bound.with_values`).
    """
    functions = {node.name: node for text in program.values() for node in _functions(text)}
    parameters = {name: [one.arg for one in node.args.args] for name, node in functions.items() if _may_change(node)}
    unread = [*_unread(tests)]
    calls = {ast.unparse(call): name for name, _, call in unread if name in functions}
    for name, arguments in [*seeds_of(tests), *((name, arguments) for name, arguments, _ in unread)]:
        calls |= dict.fromkeys(_with_arguments(name, arguments, parameters.get(name.rpartition(".")[2], [])), name)
    fit = [text for text in calls if len(text) <= _LONGEST]
    return sorted(fit, key=lambda text: (calls[text].rpartition(".")[2] not in edited, len(text)))[:_MOST]


def _with_arguments(name: str, arguments: list[Any], parameters: list[str]) -> Iterator[str]:
    """Yield a call for each argument that it may change, which is read after it."""
    named = zip(parameters, arguments, strict=False)
    own = {at: one for at, (one, value) in enumerate(named) if value and isinstance(value, _CHANGES)}
    steps: list[ast.expr] = [
        ast.NamedExpr(ast.Name(one, ast.Store()), parse_expression(repr(arguments[at]))) for at, one in own.items()
    ]
    passed = ", ".join(own.get(at, repr(value)) for at, value in enumerate(arguments))
    for one in own.values():
        yield call_of_steps([*steps, parse_expression(f"{name}({passed})"), ast.Name(one, ast.Load())])


def _unread(tests: Mapping[str, str]) -> Iterator[tuple[str, list[Any], ast.Call]]:
    """Yield (function, arguments, call) of the calls with plain values that stand in a test as a statement."""
    for text in tests.values():
        tree = parse_or_none(text)
        for node in ast.walk(tree) if tree is not None else ():
            match node:
                case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) as call):
                    if arguments and all(map(is_literal, arguments)):
                        yield name, [ast.literal_eval(argument) for argument in arguments], call


def _functions(text: str) -> Iterator[FunctionNode]:
    """Yield the functions of a module."""
    tree = parse_or_none(text)
    for node in tree.body if tree is not None else ():
        if isinstance(node, FunctionNode):
            yield node


def _may_change(function: FunctionNode) -> bool:
    """Tell whether a function changes something that holds others: what it only reads stays as it is."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in MUTATORS:
                return True
    return False
