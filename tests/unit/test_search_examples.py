"""Examples are read from the ways in which people write them, and from nothing else."""

from __future__ import annotations

import pytest

from selfheal_tui.search.examples import build_examples, docstrings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(1, 2) == 3", {"f(1, 2)": "3"}),
        ("f([1, 2]) => [2, 1]", {"f([1, 2])": "[2, 1]"}),
        ("  f('a)') ➞ 'b'", {"f('a)')": "'b'"}),
        ("f(1) -> True, as one is odd", {"f(1)": "True"}),
        ("For example f(3) should return 9.", {"f(3)": "9"}),
        (">>> f('x')\n    'y'\n>>> f('z')\n", {"f('x')": "'y'"}),
        ("f(x) == 3", {}),
        ("half(1) == 3", {}),
        ("f(1) == f(2)", {}),
        ("f(1) and f(2)", {}),
        ("f(1", {}),
        ("f(3) = 1 + (2 / 2) = 2", {}),
        ("f(3) = f(2) + 1", {}),
        ("f(3) == 4 (as 3 is odd)", {"f(3)": "4"}),
        ("f(1) == 2\nf(1) == 3", {"f(1)": "2"}),
    ],
)
def test_examples(text: str, found: dict[str, str]) -> None:
    assert build_examples([text], ["f"]) == found


def test_docstrings_and_functions_of_a_program() -> None:
    program = {"a.py": '"""Top."""\ndef f():\n    """In f."""\n', "b.py": "def g(:\n", "c.py": "x = 1\n"}
    assert docstrings(program) == (["Top.", "In f."], ["f"])
