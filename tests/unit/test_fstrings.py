"""Expressions in f-strings stand where they are, or are left alone."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.program.source import parse_source


def segments(line: str) -> list[str]:
    """Return the text of each expression of the f-strings of a line."""
    source = parse_source("p.py", f"é = 'ü'\ndef f(n, d, xs):\n    return {line}\n")
    strings = [node for node in source.nodes() if isinstance(node, ast.JoinedStr)]
    inside = [n for n in source.nodes() if any(n is not s and n in set(ast.walk(s)) for s in strings)]
    return [source.segment(node) for node in inside if isinstance(node, ast.expr)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('f"row {n - 1}"', ["n - 1", "n", "1"]),
        ("'é' + f'ü{n}é{{x}}{d!r:>{n}}'", ["n", "d"]),
        ("rf'{xs[1:2]}'", ["xs[1:2]", "xs", "1:2", "1", "2"]),
        ("f'''{n != 2}{d:%Y-%m}'''", ["n != 2", "n", "2", "d"]),
        ("f'{ {1: n}[1] }'", ["{1: n}[1]", "{1: n}", "1", "n", "1"]),
        ("f'{n=}'", ["n"]),
        ("f'{n}' f'{d}'", ["n", "d"]),
        ("f'{n}' f\"{d}\"", []),
        ("f'{n}' '{d}'", []),
        ("f'\\N{BULLET}{n}'", []),
        ('f"""{n}\n{d}"""', []),
    ],
)
def test_each_expression_has_its_own_text(line: str, found: list[str]) -> None:
    assert segments(line) == found


def test_an_expression_in_an_f_string_is_edited() -> None:
    source = parse_source("p.py", 'def f(n):\n    return f"row {n - 1}."\n')
    texts = {
        source.text[: splice.start] + splice.text + source.text[splice.end :]
        for node in source.nodes()
        for family in OPERATORS.values()
        for splice in family.edits(source, node)
    }
    assert source.text.replace("n - 1", "n + 1") in texts
