"""Calls that no test makes, from those that the tests make in their own words (`spoken`). Pure.

An argument is exchanged for that of another call, a number in it is moved by one, a truth turned round, one that is
passed by name left out, or what it holds is put in another order: the items of a list, the numbers of a text
(`ranking(parse("a,9\\nb,5"))` with 5 and 9). Of the rows that a test builds two are taken, nearly alike, and of the
lines of a text a few, or all of them backwards.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product, zip_longest
from typing import TypeVar

from .few_rows import few_rows
from .named_values import named_values
from .spoken import Spoken, spoken_calls
from .units import beyond

_T = TypeVar("_T")
_MOST, _MOST_SEEDS, _MOST_ROWS = 32, 40, 12
_MOST_OF_EACH, _LEAST_OF_EACH, _MOST_OF_ALL = 32, 24, 120
"""Calls of one function: where several are called none of them takes the room of the others."""
_MOST_FEW_ROWS, _MOST_BEYOND = 40, 8
_LINES, _MOST_STARTS, _MOST_FEW_LINES = (2, 1, 3), 3, 16
"""How many lines beside the first a call with less of a text has, of how many places, and how many such calls."""
_FEWEST_LINES, _MOST_LINES_BACKWARDS = 2, 8
_MOST_OF_ROWS = 60
"""Arguments of one call, those too long to be asked included."""
_MOST_NUMBERS, _MOST_READ = 100, 1000
"""Rows of one test, and calls in all, among which numbers are looked at."""
_LONGEST = 160
"""Characters of a call."""
_SHOWN_WHOLE = 120
"""Characters of a call up to which a sentence shows all of it."""
_MOST_DOUBLED, _LARGE = 4, 50
"""Calls of one function with a number that is twice as much, and up to where."""
_MOST_ORDERS = 6
"""Other orders of one value."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def build_spoken_calls(tests: Mapping[str, str]) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests (path -> text)."""
    values = named_values(tests)

    def read(most_rows: int, most: int) -> list[Spoken]:
        found = (call for path, text in tests.items() for call in spoken_calls(text, values.get(path), most_rows))
        return [*islice(dict.fromkeys(islice(found, _MOST_READ)), most)]

    rows_of, every = read(_MOST_ROWS, _MOST_READ), read(_MOST_NUMBERS, _MOST_READ)
    named = [[seed for seed in rows_of if seed.function == name] for name in dict.fromkeys(s.function for s in rows_of)]
    seeds = [*islice(_by_turns([iter(own) for own in named]), _MOST_SEEDS)]
    written = {seed.text for seed in every}

    def new(calls: Iterable[Spoken], most: int) -> list[str]:
        texts = dict.fromkeys(call.text for call in calls if call.text not in written)
        return [*islice((text for text in texts if len(text) <= _LONGEST), most)]

    of_functions = [
        [seed for seed in seeds if seed.function == name] for name in dict.fromkeys(s.function for s in seeds)
    ]
    each = [
        new(chain(_turned(own), _left_out(own), _exchanged(own), _moved(own), _reordered(own)), _MOST_OF_EACH)
        for own in of_functions
    ]
    each = [[*calls, *new(_doubled(own), _MOST_DOUBLED)] for calls, own in zip(each, of_functions, strict=True)]
    most = min(max(_MOST, _LEAST_OF_EACH * len(each)), _MOST_OF_ALL)
    near = [*islice(_by_turns([iter(calls) for calls in each]), most)]
    rows = new(_by_turns([_few_rows(seed) for seed in seeds]), _MOST_READ)
    rows = sorted(rows, key=lambda text: len(text) > _SHOWN_WHOLE)[:_MOST_FEW_ROWS]
    lines = new(_by_turns([_few_lines(seed) for seed in seeds]), _MOST_FEW_LINES)
    turned = new(_by_turns([_lines_backwards(seed) for seed in seeds]), _MOST_LINES_BACKWARDS)
    numbers = sorted(new(_beyond(every), _MOST_NUMBERS), key=len)[:_MOST_BEYOND]
    return [*dict.fromkeys([*near, *rows, *lines, *turned, *numbers])]


def _turned(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which a truth in an argument is the other one."""
    for seed in seeds:
        for at, argument in enumerate(seed.arguments):
            tree = ast.parse(argument, mode="eval")
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, bool):
                    node.value = not node.value
                    turned = ast.unparse(tree)
                    node.value = not node.value
                    yield seed.with_argument(at, turned)


def _left_out(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls without one of the arguments that are passed by name."""
    for seed in seeds:
        plain = len(seed.arguments) - len(seed.names)
        for at in range(plain, len(seed.arguments)):
            names = (*seed.names[: at - plain], *seed.names[at - plain + 1 :])
            yield replace(seed, arguments=(*seed.arguments[:at], *seed.arguments[at + 1 :]), names=names)


def _exchanged(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one argument is that of another call of the same function."""
    for at in range(max((len(seed.arguments) for seed in seeds), default=0)):
        longer = [seed for seed in seeds if at < len(seed.arguments)]
        for seed, other in product(longer, seeds):
            if other.function == seed.function and (text := other.passed.get(seed.passed_as(at))) is not None:
                yield seed.with_argument(at, text)


def _moved(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one whole number of an argument is one more or less, the last number of each first."""
    for step in (1, -1):
        for seed in seeds:
            for at in reversed(range(len(seed.arguments))):
                tree = ast.parse(seed.arguments[at], mode="eval")
                numbers = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is int]
                for number in reversed(numbers):
                    value = number.value
                    number.value = value + step if isinstance(value, int) else value
                    moved = ast.unparse(tree)
                    number.value = value
                    yield seed.with_argument(at, moved)


def _doubled(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which a whole number that is an argument is twice as much: a loop goes round more often."""
    for seed in seeds:
        for at, argument in enumerate(seed.arguments):
            if argument.isdecimal() and 1 < int(argument) < _LARGE:
                yield seed.with_argument(at, str(2 * int(argument)))


def _reordered(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one list or text of an argument has what it holds in another order, or a list one less."""
    for seed in seeds:
        for at, argument in enumerate(seed.arguments):
            for text in islice(_other_orders(ast.parse(argument, mode="eval")), _MOST_ORDERS):
                yield seed.with_argument(at, text)


def _other_orders(tree: ast.Expression) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.List(elts=[_, _, *_] as items) if any(isinstance(part, ast.Call) for part in items):
                for order in (items[::-1], items[:-1]):
                    node.elts = order
                    yield ast.unparse(tree)
                node.elts = items
            case ast.Constant(value=str(text)):
                for exchanged in _numbers_exchanged(text):
                    node.value = exchanged
                    yield ast.unparse(tree)
                node.value = text


def _numbers_exchanged(text: str) -> Iterator[str]:
    """Yield a text with two of its numbers exchanged, the last ones first."""
    for one, other in combinations(reversed([*_NUMBER.finditer(text)]), 2):
        if one[0] != other[0]:
            yield text[: other.start()] + one[0] + text[other.end() : one.start()] + other[0] + text[one.end() :]


def _few_rows(seed: Spoken) -> Iterator[Spoken]:
    """Yield a call with two of its rows."""
    for at, argument in enumerate(seed.arguments):
        for text in islice(few_rows(argument), _MOST_OF_ROWS):
            yield seed.with_argument(at, text)


def _few_lines(seed: Spoken) -> Iterator[Spoken]:
    """Yield a call with a few lines of a text, its first one among them: that may name the columns."""
    for at, argument in enumerate(seed.arguments):
        tree = ast.parse(argument, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                first, *rows = text.strip("\n").split("\n")
                for size in _LINES if len(rows) > max(_LINES) else ():
                    for start in range(0, len(rows) - size + 1, size)[:_MOST_STARTS]:
                        node.value = (
                            "\n".join([first, *rows[start : start + size]]) + text[len(text.rstrip("\n")) :][:1]
                        )
                        yield seed.with_argument(at, ast.unparse(tree))
                node.value = text


def _lines_backwards(seed: Spoken) -> Iterator[Spoken]:
    """Yield a call with the lines of a text backwards after the first: what comes first of equals shows then."""
    for at, argument in enumerate(seed.arguments):
        tree = ast.parse(argument, mode="eval")
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if len(rows := text.strip("\n").split("\n")) > _FEWEST_LINES:
                    node.value = "\n".join([rows[0], *rows[:0:-1]]) + text[len(text.rstrip("\n")) :][:1]
                    yield seed.with_argument(at, ast.unparse(tree))
                    node.value = text


def _by_turns(calls: Sequence[Iterator[_T]]) -> Iterator[_T]:
    """Yield a call of each, then another one of each."""
    for turn in zip_longest(*calls):
        yield from filter(None, turn)


def _beyond(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one argument is a number that lies beside those of the tests."""
    for seed in seeds:
        for at, argument in enumerate(seed.arguments):
            if (text := beyond(argument)) is not None:
                yield seed.with_argument(at, text)
