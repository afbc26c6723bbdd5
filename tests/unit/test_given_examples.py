"""Examples of a spec that came with code: cases of their own, unless the user's tests say otherwise."""

from __future__ import annotations

from selfheal_tui.engine.task.given_examples import given_examples
from selfheal_tui.engine.task.task import Task

SPEC = "Sum the prices less the discount.\n\n>>> total([1, 2], 1)\n2\n>>> other(3)\n4\n"
FILES = {"shop.py": "def total(prices, discount):\n    return 0\n", "test_shop.py": "def test_a():\n    assert True\n"}


def task(files: dict[str, str] = FILES, judges: bool = True) -> Task:
    return Task("fix", "shop", files, ("shop.py",), ("test_shop.py",), SPEC, spec_judges=judges)


def test_examples_of_what_the_program_defines_are_cases() -> None:
    suite, left_out = given_examples(task())
    (text,) = suite.values()
    assert "from shop import total" in text and "other" not in text and not left_out


def test_they_judge_only_where_the_user_gave_the_spec() -> None:
    assert given_examples(task(judges=False)) == ({}, [])


def test_the_users_tests_outrank_them() -> None:
    tests = "from shop import total\n\n\ndef test_a():\n    assert total([1, 2], 1) == 3\n"
    suite, left_out = given_examples(task({**FILES, "test_shop.py": tests}))
    assert not suite and "test_shop.py says otherwise" in left_out[0]
