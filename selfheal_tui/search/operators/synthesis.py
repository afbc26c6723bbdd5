"""Synthesis: an expression over the values at a return that gives what the cases expect there.

Bottom-up enumeration by observed values: of all expressions with the same values in every case only the shortest is
kept (Albarghouthi, Gulwani, Kincaid: "Recursive Program Synthesis", CAV 2013). Only literals and pure functions of
Python's own are evaluated here, on small values, so nothing of the program runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .fitting import ATOM, PRODUCT, grouped
from .scope import numbers, scope, texts

Values = tuple[Any, ...]
_UNARY: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("len({})", len),
    ("sum({})", sum),
    ("max({})", max),
    ("min({})", min),
    ("sorted({})", sorted),
    ("list({})", list),
    ("set({})", set),
    ("tuple({})", tuple),
    ("str({})", str),
    ("int({})", int),
    ("float({})", float),
    ("abs({})", abs),
    ("round({})", round),
    ("{a}[0]", lambda x: x[0]),
    ("{a}[-1]", lambda x: x[-1]),
    ("{a}[1:]", lambda x: x[1:]),
    ("{a}[:-1]", lambda x: x[:-1]),
    ("{a}[::-1]", lambda x: x[::-1]),
    ("-{a}", lambda x: -x),
    ("not {a}", lambda x: not x),
    ("{a}.lower()", lambda x: x.lower()),
    ("{a}.upper()", lambda x: x.upper()),
    ("{a}.strip()", lambda x: x.strip()),
    ("{a}.split()", lambda x: x.split()),
    ("{a}.swapcase()", lambda x: x.swapcase()),
    ("{a}.title()", lambda x: x.title()),
    ("''.join({})", "".join),
    ("' '.join({})", " ".join),
)
_BINARY: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = (
    ("{a} + {b}", lambda x, y: x + y),
    ("{a} - {b}", lambda x, y: x - y),
    ("{a} * {b}", lambda x, y: x * y),
    ("{a} // {b}", lambda x, y: x // y),
    ("{a} / {b}", lambda x, y: x / y),
    ("{a} % {b}", lambda x, y: x % y),
    ("{a} == {b}", lambda x, y: x == y),
    ("{a} < {b}", lambda x, y: x < y),
    ("{a} <= {b}", lambda x, y: x <= y),
    ("{a} in {b}", lambda x, y: x in y),
    ("{p}[{q}]", lambda x, y: x[y]),
    ("{p}[:{q}]", lambda x, y: x[:y]),
    ("{p}[{q}:]", lambda x, y: x[y:]),
    ("{p}.count({q})", lambda x, y: x.count(y)),
    ("max({x}, {q})", max),
    ("min({x}, {q})", min),
    ("{a} and {b}", lambda x, y: x and y),
    ("{a} or {b}", lambda x, y: x or y),
    ("({x}, {q})", lambda x, y: (x, y)),
    ("[{x}, {q}]", lambda x, y: [x, y]),
)
_MOST_TRIED = 40_000
"""Expressions, so that a busy machine finds the same; about 0.2 s with a few cases."""
_LARGEST = 5
_WIDEST = 120
_MOST = 12
_BIGGEST = 10**6


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
    for place, (text, size) in enumerate(expressions[node][:_MOST]):
        extra = 1.2 * size - (0.0 if weak else 0.8 * min(distinct, 5)) + 0.4 * place
        yield from ranked(source, node.value, [text], 0.0, extra)


def enumerate_expressions(
    atoms: Sequence[tuple[str, Values]], wanted: Values, most_tried: int = _MOST_TRIED
) -> list[tuple[str, int]]:
    """Return expressions (text, number of parts) over atoms (text, its value in each case) that have the wanted values.

    Smallest first. An expression that raises in any case is left out.
    """
    tried = 0
    matching: list[tuple[str, int]] = []
    signatures: set[str] = set()
    bank: dict[int, list[tuple[str, Values]]] = {1: []}

    def keep(text: str, values: Values, size: int) -> None:
        signature = repr(values)
        if len(signature) > 2000:
            return
        if all(_same(value, want) for value, want in zip(values, wanted, strict=True)):
            matching.append((text, size))
        if signature not in signatures:
            signatures.add(signature)
            bank[size].append((text, values))

    for text, values in atoms:
        keep(text, values, 1)
    for size in range(2, _LARGEST + 1):
        bank[size] = []
        for text, results in _grown(bank, size):
            tried += 1
            if len(matching) >= _MOST or tried > most_tried:
                return matching
            if results is not None:
                keep(text, results, size)
        if matching and size > 2:
            break
    return matching


def _grown(bank: Mapping[int, list[tuple[str, Values]]], size: int) -> Iterator[tuple[str, Values | None]]:
    for text, values in list(bank[size - 1])[: 4 * _WIDEST]:
        atom = grouped(text, ATOM)
        for form, function in _UNARY:
            yield form.format(text, a=atom), _applied(function, values)
    for left_size in range(1, size - 1):
        for one, some in bank[left_size][:_WIDEST]:
            for other, others in bank[size - 1 - left_size][:_WIDEST]:
                texts = {"a": grouped(one, PRODUCT + 1), "b": grouped(other, PRODUCT + 1), "p": grouped(one, ATOM)}
                for form, combine in _BINARY:
                    yield form.format(**texts, x=one, q=other), _applied(combine, some, others)


def _applied(function: Callable[..., Any], *columns: Values) -> Values | None:
    try:
        if len(columns) == 2 and not all(_small(x, y) for x, y in zip(*columns, strict=True)):
            return None
        return tuple(function(*values) for values in zip(*columns, strict=True))
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError, OverflowError, MemoryError):
        return None


def _small(one: Any, other: Any) -> bool:
    """Tell whether a product of the two cannot grow large."""
    for value, count in ((one, other), (other, one)):
        if (
            isinstance(count, int)
            and isinstance(value, str | list | tuple | bytes)
            and len(value) * abs(count) > 10_000
        ):
            return False
        if isinstance(value, int | float) and abs(value) > _BIGGEST**4:
            return False
    return True


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(value, int | float) and not isinstance(value, bool):
        return bool(abs(value - wanted) <= 1e-9 * max(1.0, abs(wanted)))
    return type(value) is type(wanted) and bool(value == wanted)


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
