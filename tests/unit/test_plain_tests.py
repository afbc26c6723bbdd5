"""Plain scripts of assertions become one case each, and nothing else is touched."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.sandbox.plain_tests import as_pytest, is_script


def cases(text: str) -> list[str]:
    """Return the bodies of the cases."""
    tree = ast.parse(as_pytest(text))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return [" ; ".join(map(ast.unparse, node.body)) for node in functions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "from p import f\nassert f(1) == 2\nassert f('a\\n  b') == 3, 'no'\n",
            ["assert f(1) == 2", "assert f('a\\n  b') == 3, 'no'"],
        ),
        (
            "def check(candidate):\n    'doc'\n    assert candidate(1)\n    assert candidate(2)\ncheck(f)\n",
            ["candidate = f ; assert candidate(1)", "candidate = f ; assert candidate(2)"],
        ),
        ("def check(f):\n    assert f(1)\ncheck(f)\n", ["assert f(1)"]),
        ("def check(c):\n    for i in range(3):\n        assert c(i)\ncheck(f)\n", ["check(f)"]),
        ("LIMIT = 3\nassert f(LIMIT)\n", ["assert f(LIMIT)"]),
        (
            "x = []\nf(x)\nassert x == [1]\nassert len(x) == 1\n",
            ["x = [] ; f(x) ; assert x == [1] ; assert len(x) == 1"],
        ),
        ("for i in range(3):\n    assert f(i)\nassert f(9)\n", ["for i in range(3):\n    assert f(i) ; assert f(9)"]),
        ("for i in range(3):\n    assert f(i)\n", ["for i in range(3):\n    assert f(i)"]),
    ],
)
def test_every_assertion_is_a_case(text: str, expected: list[str]) -> None:
    assert cases(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "def test_a():\n    assert 1\n",
        "class TestA:\n    pass\nassert 1\n",
        "x = 1\n",
        "def f(:\n",
        "print('hello')\n",
        "if __name__ == '__main__':\n    assert f(1)\n",
        "",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert not is_script(text)
    assert as_pytest(text) == text


def test_long_strings_keep_their_lines() -> None:
    text = 'assert f("""\n  two\n    lines\n""") == 1\n'
    scope: dict[str, object] = {"f": lambda text: len(text.splitlines()) - 2}
    exec(as_pytest(text), scope)
    scope["test_1"]()  # type: ignore[operator]


def test_a_script_that_calls_its_own_test_functions_has_those_cases_only() -> None:
    script = "from p import f\ndef test1():\n    assert f() == 1\ndef test2():\n    assert f() == 2\ntest1()\n"
    assert is_script(script)
    text = as_pytest(script)
    assert "def test1()" in text and "def _test2()" in text and "\ntest1()" not in text
    collected = "def test_a():\n    assert True\n"
    assert not is_script(collected) and as_pytest(collected) == collected
