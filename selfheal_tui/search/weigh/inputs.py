"""Calls to tell candidates apart by: the tests' own calls with their arguments changed a little, always the same."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from selfheal_tui.python_source import is_literal, parse_expression, parse_or_none
from selfheal_tui.sandbox.inside.roots import module_names
from selfheal_tui.spec_text.find import docstrings, find_examples

from ..program.calls import imported_names
from .seeds import seeds_of

_TRIES = 6
_LONGEST = 400
_MOST_EXAMPLES = 30


def build_calls(tests: Mapping[str, str], number: int = 50, known_values: Sequence[int | str] = ()) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests (path -> text).

    Those whose numbers look most like the numbers in the tests come first: a person can say what they give.

    `known_values` are constants of the program: numbers at and beside them and their letters are tried as well.
    """
    seeds = list(seeds_of(tests))
    change = _Change(random.Random(0), known_values)
    chance = change.chance
    written = {call_text(name, arguments) for name, arguments in seeds}
    calls: dict[str, None] = {}
    for _ in range(number * _TRIES):
        if not seeds or len(calls) >= number:
            break
        name, arguments = chance.choice(seeds)
        arguments = copy.deepcopy(arguments)
        for _ in range(chance.choice([1, 1, 2, 3])):
            if arguments:
                at = chance.randrange(len(arguments))
                arguments[at] = change.value(arguments[at])
        text = call_text(name, arguments)
        if text not in written and len(text) <= _LONGEST:
            calls[text] = None
    return easiest_first(calls, tests)


def easiest_first(calls: Iterable[str], tests: Mapping[str, str]) -> list[str]:
    """Return the calls in the order in which a person can say what they give: those like the tests' own first."""
    seeds: dict[str, list[list[Any]]] = {}
    for name, arguments in seeds_of(tests):
        seeds.setdefault(name, []).append(arguments)

    def key(call: str) -> tuple[int, int]:
        name, _, arguments = call.partition("(")
        return strangeness(ast.literal_eval(f"[{arguments[:-1]}]"), seeds.get(name, []))

    return sorted(calls, key=key)


def build_examples(
    program: Mapping[str, str], spec: str = "", tests: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return call -> repr of its value: the examples in the docstrings of `program` (path -> text) and in `spec`.

    Only calls of the program's top-level functions with literal arguments are taken. They help to rank repairs and
    judge none, so those in doubtful form are among them. Where the `tests` import a module and not the function, the
    call names the module as they do: `inflection.ordinal(1)`.
    """
    homes: dict[str, str] = {}
    for path, text in program.items():
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef):
                homes.setdefault(node.name, path)
    modules = _modules_named(tests or {})
    bound = set().union(*map(imported_names, (tests or {}).values()))
    values: dict[str, str] = {}
    for example in find_examples(f"{docstrings(program)}\n\n{spec}", unsure=True):
        value, call = example.value or example.shows, example.call
        if example.setup or not _is_ordered_literal(value) or not (name := _literal_call(call, homes)):
            continue
        if name not in bound:
            module = next((modules[one] for one in module_names([homes[name]], ("", "src")) if one in modules), "")
            call = f"{module}.{call}" if module else call
        values.setdefault(call, repr(ast.literal_eval(value)))
    return dict(islice(values.items(), _MOST_EXAMPLES))


def _modules_named(tests: Mapping[str, str]) -> dict[str, str]:
    """Return the modules that test files (path -> text) import -> what they call them: `shop.fees` -> `fees`."""
    named: dict[str, str] = {}
    for text in tests.values():
        tree = parse_or_none(text)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Import):
                named |= {alias.name: alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                named |= {f"{node.module}.{alias.name}": alias.asname or alias.name for alias in node.names}
    return named


def _is_ordered_literal(value: str) -> bool:
    """Tell whether equal values have equal reprs: a set's depends on how it was built."""
    return is_literal(value) and not any(
        isinstance(node, ast.Set) for node in ast.walk(parse_expression(value.strip()))
    )


def _literal_call(source: str, functions: Collection[str]) -> str:
    """Return the function that is called with literals alone; empty for anything else."""
    match parse_expression(source):
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name in functions:
            return name if all(map(is_literal, [*arguments, *(keyword.value for keyword in keywords)])) else ""
    return ""


def call_text(name: str, arguments: Sequence[Any]) -> str:
    """Return a call as source text."""
    return f"{name}({', '.join(map(repr, arguments))})"


def strangeness(arguments: Sequence[Any], seeds: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """Return how hard it is to say what a call gives: the less it looks like the cases' own calls, the higher.

    First the numbers whose kind no seed has in their place (another sign, or more or fewer digits) and the tuples of
    another length. Then the numbers that are below or above those of all seeds: month 14 beside 2, 4 and 11.
    """
    unlike = outside = 0
    for at, value in enumerate(arguments):
        others = [seed[at] for seed in seeds if at < len(seed)]
        if type(value) in (int, float):
            numbers = [other for other in others if type(other) in (int, float)]
            unlike += _kind(value) not in {_kind(other) for other in others}
            outside += not numbers or not min(numbers) <= value <= max(numbers)
        elif isinstance(value, tuple):
            alike = [other for other in others if isinstance(other, tuple) and len(other) == len(value)]
            inner = strangeness(value, alike) if alike else (1, 0)
            unlike, outside = unlike + inner[0], outside + inner[1]
    return unlike, outside


def _kind(value: Any) -> tuple[int, int]:
    """Return sign and number of digits before the point; the same for all that is no number."""
    if type(value) not in (int, float):
        return 0, 0
    return (value > 0) - (value < 0), len(str(abs(value)).partition(".")[0])


class _Change:
    """Changes values of literals, always in the same way."""

    def __init__(self, chance: random.Random, constants: Sequence[int | str]) -> None:
        self.chance = chance
        self._numbers = [at + off for at in constants if isinstance(at, int) for off in (0, 1, -1)]
        self._letters = sorted({letter for text in constants if isinstance(text, str) for letter in text})

    def value(self, value: Any) -> Any:
        """Return a value of the same type that differs, mostly a little."""
        chance = self.chance
        match value:
            case bool():
                return not value
            case int():
                near = [value + 1, value - 1, 0, 1, value * 2, -value]
                others = [chance.choice(self._numbers)] if self._numbers else []
                return chance.choice([*near, chance.randint(0, 20), value + chance.randint(-5, 5), *others])
            case float():
                return chance.choice([value + 1, value - 0.5, 0.0, -value, round(chance.uniform(-10, 10), 2)])
            case str():
                return self._text(value)
            case list() | tuple():
                return type(value)(self._items(list(value)))
            case dict() if value:
                key = chance.choice(list(value))
                if chance.random() < 0.3:
                    return {name: found for name, found in value.items() if name != key}
                return {**value, key: self.value(value[key])}
            case set() if value:
                return set(self._items(sorted(value, key=repr)))
        return value

    def _text(self, value: str) -> str:
        chance = self.chance
        if not value:
            return chance.choice(["", "a", "ab"])
        at, letters = chance.randrange(len(value)), [*sorted(set(value)), "a", "B", " ", "1"]
        if self._letters:
            letters = [*letters, *chance.choices(self._letters, k=len(letters))]
        return chance.choice(
            [
                value[:at] + value[at + 1 :],
                value[:at] + chance.choice(letters) + value[at:],
                value[::-1],
                value + value,
                value[:at],
                value[at:],
                value[:at] + chance.choice(letters) + value[at + 1 :],
            ]
        )

    def _items(self, items: list[Any]) -> list[Any]:
        chance = self.chance
        how = chance.randrange(6)
        if how == 0 and items:
            items.pop(chance.randrange(len(items)))
        elif how == 1 and items:
            items.insert(chance.randrange(len(items) + 1), chance.choice(items))
        elif how == 2:
            items.reverse()
        elif how == 3:
            chance.shuffle(items)
        elif items:
            at = chance.randrange(len(items))
            items[at] = self.value(items[at])
        return items
