"""Calls with texts one sign or word away from those of the cases: `evaluate("2-3")` beside `evaluate("2+3")`. Pure.

A program that reads a text decides by signs that it names itself, and a person knows what the same text with another
sign should give.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.python_source import parse_or_none

from .inputs import call_text
from .seeds import seeds_of

_Change = Callable[[str, Sequence[str]], Iterator[str]]
_MOST = 16
_LONGEST = 120
_MOST_SIGNS = 8
_MOST_LONGER = 20
"""Calls with one term more, of as many as possible of the orders in which two signs can stand."""
_MOST_WORDS, _MOST_CAPITALS, _MOST_NAMED = 10, 4, 16
"""Calls with another word, and with a capital letter; words of the program that are tried."""
_WORD = re.compile(r"[^\W\d_]{2,12}")
_LONGEST_SIGN = 2
_LONGEST_LIST = 12
"""Characters of a text that lists signs: `"+-*/"`."""
_SIGNS = frozenset(string.punctuation) - frozenset("()[]{}<>'\"`\\_")
"""What stands alone: another bracket or quote makes a text that nobody can read."""


def build_text_calls(tests: Mapping[str, str], program: Mapping[str, str]) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests; the shortest come first.

    Each is a call of the tests with one text in which a sign or a word becomes another one that the program names, that
    begins with a sign, or that has one term less or more. `tests` and `program` are path -> text.
    """
    seeds = sorted(seeds_of(tests), key=lambda seed: len(call_text(*seed)))
    written = {call_text(name, arguments) for name, arguments in seeds}
    signs, words = _signs(program), _words(program)

    def made(named: Sequence[str], *changes: _Change) -> list[str]:
        texts = dict.fromkeys(
            text
            for change in changes
            for name, arguments in seeds
            for changed in _changed(arguments, named, change)
            if (text := call_text(name, changed)) not in written and len(text) <= _LONGEST
        )
        return [*texts]

    by_sign = made(signs, _other_sign, _leading_sign, _term_less)[:_MOST]
    longer = _of_each_kind(sorted(made(signs, _term_more), key=len))[:_MOST_LONGER]
    by_word = sorted(made(words, _other_word), key=len)[:_MOST_WORDS]
    return [*by_sign, *longer, *by_word, *made(words, _capital)[:_MOST_CAPITALS]]


def _changed(arguments: Sequence[Any], signs: Sequence[str], change: _Change) -> Iterator[list[Any]]:
    for at, value in enumerate(arguments):
        if isinstance(value, str):
            for text in change(value, signs):
                yield [*arguments[:at], text, *arguments[at + 1 :]]


def _other_sign(text: str, signs: Sequence[str]) -> Iterator[str]:
    """`2+3` as `2-3`: the first of each sign becomes each other one."""
    for sign in signs:
        if (at := text.find(sign)) >= 0:
            yield from (text[:at] + other + text[at + len(sign) :] for other in signs if other != sign)


def _leading_sign(text: str, signs: Sequence[str]) -> Iterator[str]:
    """`2+3` as `-2+3`."""
    if "-" in signs and text[:1].isdigit():
        yield f"-{text}"


def _term_less(text: str, signs: Sequence[str]) -> Iterator[str]:
    """`2+3*4` as `2+3` and as `3*4`."""
    places = [(at, at + len(sign)) for sign in signs if (at := text.find(sign)) > 0]
    if places:
        last = max(text.rfind(sign) for sign in signs)
        yield from (part for part in (text[:last], text[min(places)[1] :]) if part.strip())


def _term_more(text: str, signs: Sequence[str]) -> Iterator[str]:
    """`2 ^ 3` as `2 ^ 3 * 3` and as `2 * 2 ^ 3`, of `2^3^2` its start: both signs show what binds closer."""
    for sign in signs:
        match [part.strip() for part in text.split(sign)]:
            case [first, last, *more] if first.isalnum() and last.isalnum():
                begin = sign.join(text.split(sign)[:2]).rstrip() if more else text
                for other in (one for one in signs if one != sign):
                    joint = f" {other} " if f" {sign} " in text else other
                    yield from (f"{begin}{joint}{last}", f"{first}{joint}{begin}")


def _of_each_kind(calls: Sequence[str]) -> list[str]:
    """Return the calls, those first in which signs stand that did not stand so in one before."""
    first: dict[str, str] = {}
    for call in calls:
        first.setdefault("".join(letter for letter in call if letter in _SIGNS), call)
    return [*first.values(), *(call for call in calls if call not in {*first.values()})]


def _other_word(text: str, words: Sequence[str]) -> Iterator[str]:
    """`debug = Yes` as `debug = No` and as `debug = YES`: of many lines, the one that has the word."""
    known = {word.casefold() for word in words}
    for line in text.splitlines():
        for found in _WORD.finditer(line):
            if (word := found[0]).casefold() in known:
                style = str.title if word.istitle() else str.upper if word.isupper() else str.lower
                others = [style(other) for other in words if other.casefold() != word.casefold()]
                for other in dict.fromkeys([*others, word.upper(), word.lower()]):
                    if other != word:
                        yield line[: found.start()] + other + line[found.end() :]


def _capital(text: str, words: Sequence[str]) -> Iterator[str]:
    """`name = demo` as `name = Demo`: the last word of small letters that the program does not ask for."""
    known = {word.casefold() for word in words}
    plain = [found for found in _WORD.finditer(text) if found[0].islower() and found[0].casefold() not in known]
    for found in plain[-1:]:
        yield text[: found.start()] + found[0].title() + text[found.end() :]


def _words(program: Mapping[str, str]) -> list[str]:
    """Return the words among which a program decides: of displays that it looks something up in, and keys of tables."""
    groups: list[list[ast.expr | None]] = []
    for tree in filter(None, map(parse_or_none, program.values())):
        for node in ast.walk(tree):
            match node:
                case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
                    groups.append([*getattr(right, "elts", ())])
                case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                    groups.append([right])
                case ast.Dict(keys=[_, _, *_] as keys):
                    groups.append(keys)
    values = [one.value for group in groups for one in group if isinstance(one, ast.Constant)]
    words = [value for value in values if isinstance(value, str) and _WORD.fullmatch(value)]
    return [*dict.fromkeys(words)][:_MOST_NAMED]


def _signs(program: Mapping[str, str]) -> list[str]:
    """Return the signs that a program names: short texts of signs alone, and each sign of a list of them."""
    trees = [tree for tree in map(parse_or_none, program.values()) if tree is not None]
    texts = [
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value and set(node.value) <= _SIGNS
    ]
    signs = [sign for text in texts if len(text) <= _LONGEST_LIST for sign in (text, *text)]
    return [*dict.fromkeys(sign for sign in signs if len(sign) <= _LONGEST_SIGN)][:_MOST_SIGNS]
