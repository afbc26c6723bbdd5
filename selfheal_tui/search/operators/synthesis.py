"""Synthesis: an expression over the values at a return that gives what the cases expect there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .growing import MOST, Values, enumerate_expressions
from .scope import numbers, scope, texts


@operator("synthesis", 5.0, "the result is another calculation of the values at hand")
def synthesis(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put an expression that gives every expected result in the place of a returned value."""
    if not isinstance(node, ast.Return) or node.value is None:
        return
    envs, wanted = _samples(source, node)
    distinct = len({repr(value) for value in wanted})
    if distinct < 2:
        return
    expressions: dict[ast.AST, list[tuple[str, int]]] = source.memo.setdefault("synthesis", {})
    if node not in expressions:
        names = [name for name in scope(source, node) if all(name in env for env in envs)]
        atoms = [(name, tuple(env[name] for env in envs)) for name in names]
        constants = [repr(number) for number in numbers(source, node)[:6]]
        constants += [repr(text) for text in texts(source, node)[:4]]
        atoms += [(text, (ast.literal_eval(text),) * len(envs)) for text in constants]
        expressions[node] = enumerate_expressions(atoms, wanted)
    weak = all(isinstance(value, bool) or value is None for value in wanted)
    for place, (text, size) in enumerate(expressions[node][:MOST]):
        extra = 1.2 * size - (0.0 if weak else 0.8 * min(distinct, 5)) + 0.4 * place
        yield from ranked(source, node.value, [text], 0.0, extra)


def _samples(source: Source, node: ast.Return) -> tuple[list[dict[str, Any]], Values]:
    """Return the variables at a return in each case that ended there, and what the cases expected."""
    envs: list[dict[str, Any]] = []
    wanted: list[Any] = []
    for case, values in source.observations.returns.get(node.lineno, {}).items():
        expected = source.observations.expected.get(case)
        if expected is None:
            continue
        try:
            want = ast.literal_eval(expected)
            env = {name: ast.literal_eval(text) for name, text in values.items() if len(text) < 2000}
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        envs.append(env)
        wanted.append(want)
    return envs[:12], tuple(wanted[:12])
