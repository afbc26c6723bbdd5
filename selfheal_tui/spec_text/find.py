"""Find the examples that a text gives: doctest's `>>>`, and plain forms such as `f(2) == 4` or `f(2) returns 4`. Pure.

An example judges every program, so a missing one costs less than a wrong one: what could be read in two ways is left
out, or marked as unsure.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from selfheal_tui.python_source import parse_python

from .example import Example
from .names import Names
from .plain_forms import plain_examples
from .sessions import session_examples

_MOST = 60
"""Examples taken from one text."""


def find_examples(text: str, unsure: bool = False) -> list[Example]:
    """Return the examples of a text in its order; those that contradict each other are left out.

    `unsure` takes those in too that may guide but not judge.
    """
    names = Names(text)
    try:
        examples = [*session_examples(text, names), *plain_examples(text, names)]
    except ValueError:  # an integer in hexadecimal digits of which Python does not write out the decimal ones
        return []
    examples = [one for one in examples if unsure or not one.unsure]
    results: dict[str, set[str]] = {}
    for one in examples:
        if not one.setup:
            results.setdefault(one.call, set()).add(one.value or f"raises {one.error}{one.shows}")
    distinct: dict[tuple[object, ...], Example] = {}
    for one in examples:
        if one.holds or one.setup or len(results[one.call]) == 1:
            distinct.setdefault((one.call, one.setup, one.value, one.error, one.shows, one.holds), one)
    return list(distinct.values())[:_MOST]


def docstrings(program: Mapping[str, str]) -> str:
    """Return the docstrings of program files (path -> text), one after the other: where their examples are."""
    texts: list[str] = []
    for text in program.values():
        try:
            tree = parse_python(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                texts.append(ast.get_docstring(node) or "")
    return "\n\n".join(filter(None, texts))
