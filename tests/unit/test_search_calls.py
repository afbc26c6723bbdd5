"""Calls and what they are compared with, however the test is written."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.search.program.calls import compared_calls, innermost


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("assert f(1) == 2", [("f(1)", "2")]),
        ("assert [2] == f(1)", [("f(1)", "[2]")]),
        ("assert f(1) is None", [("f(1)", "None")]),
        ("assert f(1)", [("f(1)", "True")]),
        ("assert not f(1)", [("f(1)", "False")]),
        ("candidate = f\n    assert candidate(3) == 4", [("f(3)", "4")]),
        ("assert f(1) == g(2)", []),
        ("assert f(1) > 2", []),
        ("assert f(1) == 2\n    assert f(2) == 3", [("f(1)", "2"), ("f(2)", "3")]),
    ],
)
def test_compared_calls(body: str, found: list[tuple[str, str]]) -> None:
    tests = {"t.py": f"def test_a():\n    {body}\n", "u.py": "def test_("}
    read = [(ast.unparse(call), ast.unparse(literal)) for _, call, literal in compared_calls(tests)]
    assert read == found


def test_the_call_within() -> None:
    call = ast.parse("sorted(list(f(len(x))))", mode="eval").body
    assert ast.unparse(innermost(call)) == "f(len(x))"
