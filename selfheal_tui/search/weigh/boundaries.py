"""Calls with values that the cases and the program name themselves: `days_in(2, 2023)`, `days_in(2, 400)`. Pure.

They tell repairs of a boundary apart where values by chance seldom do, and a person knows what they should give.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.spec_text.find import docstrings

from .inputs import call_text, easiest_first
from .seeds import seeds_of

_MOST = 16
_LONGEST = 120
_LARGEST_BASE = 100
_MOST_WORDS = 12
_NAMED = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")


def build_boundary_calls(tests: Mapping[str, str], program: Mapping[str, str]) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests; those come first that look like them.

    Each is a call of the tests with one argument that another call has in its place, or that the program compares,
    divides or looks up something by, or that its docstrings name. `tests` and `program` are path -> text.
    """
    seeds = list(seeds_of(tests))
    written = {call_text(name, arguments) for name, arguments in seeds}
    numbers, texts = numbers_of(program), _texts_of(program)
    calls: dict[str, None] = {}
    for pair in zip_longest(_exchanged(seeds), _set_to(seeds, numbers), _set_to(seeds, texts)):
        for name, arguments in filter(None, pair):
            text = call_text(name, arguments)
            if text not in written and len(text) <= _LONGEST:
                calls[text] = None
        if len(calls) >= _MOST:
            break
    return easiest_first(islice(calls, _MOST), tests)


def _exchanged(seeds: Sequence[tuple[str, list[Any]]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield calls in which one argument is that of another call of the same function."""
    for at in range(max((len(arguments) for _, arguments in seeds), default=0)):
        for name, arguments in seeds:
            for called, others in seeds:
                if called == name and at < min(len(arguments), len(others)) and others[at] != arguments[at]:
                    yield name, [*arguments[:at], others[at], *arguments[at + 1 :]]


def _set_to(seeds: Sequence[tuple[str, list[Any]]], values: Sequence[int | str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield calls in which one argument is one of the program's values: each in each place of each function once."""
    firsts: dict[tuple[str, int], list[Any]] = {}
    for name, arguments in seeds:
        for at, argument in enumerate(arguments):
            if values and type(argument) is type(values[0]):
                firsts.setdefault((name, at), arguments)
    for value in values:
        for (name, at), arguments in firsts.items():
            yield name, [*arguments[:at], value, *arguments[at + 1 :]]


def numbers_of(program: Mapping[str, str]) -> list[int]:
    """Return the whole numbers by which the program decides, that its docstrings name, and powers of its divisors.

    Of those that decide the largest come first: they are seldom mere steps.
    """
    trees = [tree for tree in map(parse_or_none, program.values()) if tree is not None]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    deciding = [node for node in nodes if isinstance(node, ast.Compare | ast.BinOp)]
    values = {value for node in deciding for inner in ast.walk(node) if (value := _whole(inner)) is not None}
    named = [int(digits) for digits in _NAMED.findall(docstrings(program))]
    divisors = {value for node in nodes if (value := _divisor(node)) is not None}
    powers = [base**power for base in sorted(divisors) for power in (1, 2, 3) if abs(base) <= _LARGEST_BASE]
    return [*dict.fromkeys([*sorted(values, key=lambda number: (-abs(number), number)), *named, *powers])]


def _texts_of(program: Mapping[str, str]) -> list[str]:
    """Return the words that the program compares with or looks up, the shortest first."""
    trees = [tree for tree in map(parse_or_none, program.values()) if tree is not None]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    deciding = [part for node in nodes if isinstance(node, ast.Compare) for part in node.comparators]
    deciding += [key for node in nodes if isinstance(node, ast.Dict) for key in node.keys if key is not None]
    deciding += [node.value for node in nodes if isinstance(node, ast.MatchValue)]
    words = {
        inner.value
        for node in deciding
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value.isidentifier()
    }
    return sorted(words, key=lambda word: (len(word), word))[:_MOST_WORDS]


def _whole(node: ast.AST) -> int | None:
    """Return the whole number that a constant is; None for 0, 1 and all others."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) > 1 else None


def _divisor(node: ast.AST) -> int | None:
    """Return what a division divides by: `n //= 10` and `n % 10` count digits, and 99 and 100 have not as many."""
    match node:
        case (
            ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=by) | ast.AugAssign(op=ast.FloorDiv() | ast.Mod(), value=by)
        ):
            return _whole(by)
    return None
