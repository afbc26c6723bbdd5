"""Find the examples that a text gives: doctest's `>>>`, and plain forms such as `f(2) == 4` or `f(2) returns 4`. Pure.

An example judges every program, so a missing one costs less than a wrong one: what could be read in two ways is left
out, or marked as unsure.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from selfheal_tui.python_source import parse_python

from .example import Example
from .names import Names
from .plain_forms import plain_examples
from .sessions import session_examples

_MOST = 60
"""Examples taken from one text."""


def find_examples(text: str, unsure: bool = False, names: Collection[str] = ()) -> list[Example]:
    """Return the examples of a text in its order; those that contradict each other are left out.

    `unsure` takes those in too that may guide but not judge; `names` are further ones that they may use.
    """
    return _agreeing([one for one in _read(text, names) if unsure or not one.unsure])[:_MOST]


def docstring_examples(source: str, functions: Collection[str]) -> list[Example]:
    """Return the examples in the docstrings of one program file, however many; `functions` are those it may call.

    Each docstring is read by itself: what one says of printing, or binds in its session, tells nothing of another.
    """
    examples = [one for text in _docstrings_of(source) for one in _read(text, functions)]
    return _agreeing([one for one in examples if not one.unsure])


def _read(text: str, known: Collection[str] = ()) -> list[Example]:
    names = Names(text)
    names.defined |= {*known}
    try:
        return [*session_examples(text, names), *plain_examples(text, names)]
    except ValueError:  # an integer in hexadecimal digits of which Python does not write out the decimal ones
        return []


def _agreeing(examples: Sequence[Example]) -> list[Example]:
    """Leave out what is said twice, and those that contradict each other."""
    results: dict[str, set[str]] = {}
    for one in examples:
        if not one.setup:
            results.setdefault(one.call, set()).add(one.value or f"raises {one.error}{one.shows}")
    distinct: dict[tuple[object, ...], Example] = {}
    for one in examples:
        if one.holds or one.setup or len(results[one.call]) == 1:
            distinct.setdefault((one.call, one.setup, one.value, one.error, one.shows, one.holds), one)
    return list(distinct.values())


def docstrings(program: Mapping[str, str]) -> str:
    """Return the docstrings of program files (path -> text), one after the other: where their examples are."""
    return "\n\n".join(words for text in program.values() for words in _docstrings_of(text))


def _docstrings_of(source: str) -> Iterator[str]:
    try:
        tree = parse_python(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if words := ast.get_docstring(node):
            yield words
