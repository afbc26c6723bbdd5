"""Calls that hardly anybody would make, which a person is asked about only where no other part repairs. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from selfheal_tui.python_source import is_literal, parse_expression, parse_or_none

from .seeds import seeds_of

_LEAST_INSIDE, _LEAST_BESIDE = 2, 4
"""Different pairs of the tests that have to rise; two arguments that nothing binds do so by chance."""
Seed = tuple[str, list[Any]]
"""(function, literal arguments) of a call that a test compares, as `seeds_of` yields them."""


def unlikely_calls(calls: Collection[str], tests: Mapping[str, str]) -> set[str]:
    """Return the calls with glued texts, negative numbers where the tests have none, or pairs turned round."""
    seeds = list(seeds_of(tests))
    return glued_calls(calls, seeds) | negative_calls(calls, seeds) | turned_calls(calls, seeds)


def glued_calls(calls: Iterable[str], seeds: Iterable[Seed]) -> set[str]:
    """Return the calls in which a text is one of the tests' own twice without anything between: `'10 - 310 - 3'`.

    They tell repairs apart, but nobody can say what they should give.
    """
    own = {text for _, arguments in seeds for text in _texts(arguments)}
    return {call for call in calls if any(text not in own and _is_glued(text, own) for text in _texts(_literals(call)))}


def _literals(call: str) -> list[ast.expr]:
    tree = parse_or_none(call)
    return [node for node in ast.walk(tree) if isinstance(node, ast.Constant)] if tree is not None else []


def _texts(values: object) -> Iterator[str]:
    """Yield the texts in a value, at any depth."""
    match values:
        case str():
            yield values
        case ast.Constant(value=str(text)):
            yield text
        case dict():
            yield from _texts([*values, *values.values()])
        case list() | tuple() | set():
            for value in values:
                yield from _texts(value)


def _is_glued(text: str, own: Collection[str]) -> bool:
    """Tell whether words or numbers of a text in several parts touch where it begins anew: not so `abcabc`."""
    half = len(text) // 2
    parts = [one for one in own if len(one) > 2 and text.startswith(one) and len(text) >= 2 * len(one) - 2]
    if half > 2 and text[:half] == text[half:]:
        parts.append(text[:half])
    return any(not one.isalnum() and one[-1].isalnum() and text[len(one) : len(one) + 1].isalnum() for one in parts)


def negative_calls(calls: Iterable[str], seeds: Iterable[Seed]) -> set[str]:
    """Return the calls with a negative number at a place where the tests have none: often an impossible input."""
    return {call for call, arguments, own in _with_own(calls, seeds) if -1 in new_signs(arguments, own)}


def new_signs(arguments: Sequence[Any], seeds: Sequence[Sequence[Any]]) -> set[int]:
    """Return the signs of numbers that no seed has at their place: -1 for width -10 beside 10 and 50."""
    return {
        sign
        for at, value in enumerate(arguments)
        for sign in _signs(value).difference(*(_signs(seed[at]) for seed in seeds if at < len(seed)))
    }


def _signs(value: Any) -> set[int]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {(value > 0) - (value < 0)}
    if isinstance(value, list | tuple | set):
        return set().union(*map(_signs, value))
    return set()


def turned_calls(calls: Iterable[str], seeds: Iterable[Seed]) -> set[str]:
    """Return the calls with a pair that falls where all of the tests rise: an interval that ends before it begins.

    A pair is a tuple or list of two numbers or texts, or two numbers that are arguments side by side.
    """
    return {call for call, arguments, own in _with_own(calls, seeds) if _falls(arguments, own)}


def _falls(arguments: Sequence[Any], seeds: Sequence[Sequence[Any]]) -> bool:
    for at, pairs in _pairs(arguments).items():
        own = [pair for seed in seeds for pair in _pairs(seed).get(at, ())]
        least = _LEAST_BESIDE if len(at) > 1 else _LEAST_INSIDE
        rise = (
            len({*own}) >= least and all(one <= other for one, other in own) and any(one < other for one, other in own)
        )
        if rise and any(one > other for one, other in pairs):
            return True
    return False


def _pairs(arguments: Sequence[Any]) -> dict[tuple[int, ...], list[tuple[Any, Any]]]:
    """Return place -> pairs of comparable values there."""
    found: dict[tuple[int, ...], list[tuple[Any, Any]]] = {}
    for at, (one, other) in enumerate(pairwise(arguments)):
        if _is_number(one) and _is_number(other):
            found[at, at + 1] = [(one, other)]
    for at, value in enumerate(arguments):
        inner = [tuple(one) for one in value if _is_pair(one)] if isinstance(value, list | tuple) else []
        found[at,] = [tuple(value), *inner] if isinstance(value, tuple) and _is_pair(value) else inner
    return found


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and (all(map(_is_number, value)) or all(isinstance(one, str) for one in value))
    )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _with_own(calls: Iterable[str], seeds: Iterable[Seed]) -> Iterator[tuple[str, list[Any], list[list[Any]]]]:
    """Yield (call, its arguments, those of the tests' calls of the same function) of calls with literals alone."""
    of_function: dict[str, list[list[Any]]] = {}
    for name, arguments in seeds:
        of_function.setdefault(name, []).append(arguments)
    for call in calls:
        match parse_expression(call):
            case ast.Call(func=func, args=places, keywords=[]) if all(map(is_literal, places)):
                if own := of_function.get(ast.unparse(func), []):
                    yield call, [ast.literal_eval(place) for place in places], own
