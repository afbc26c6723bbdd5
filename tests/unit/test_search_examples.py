"""Examples that help to rank repairs: read from the ways in which people write them, and from nothing else."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.inputs import build_examples
from selfheal_tui.spec_text.find import docstrings, find_examples


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
        ("f(1) == 2\nf(1) == 3", {}),
        ("f(1) == {1, 2}", {}),
    ],
)
def test_examples(text: str, found: dict[str, str]) -> None:
    assert build_examples({"p.py": "def f(x):\n    pass\n"}, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (">>> f(1) == 2", {"f(1)": "2"}),
        ("Whatever f(0) should\nreturn 0 and f(1) should return 2.", {"f(1)": "2"}),
        ("f(1) # => 2", {"f(1)": "2"}),
        ("f(1)  # 2", {"f(1)": "2"}),
        ("f(1) should be 2.", {"f(1)": "2"}),
        ("f(1) is 2 (the sum)", {"f(1)": "2"}),
    ],
)
def test_doubtful_forms_help_to_rank_but_judge_nothing(text: str, found: dict[str, str]) -> None:
    assert build_examples({"p.py": "def f(x):\n    pass\n"}, text) == found
    assert find_examples(text) == []


def test_a_value_that_may_be_printed_helps_to_rank() -> None:
    text = "Output: a number\n\n>>> f(1)\n2"
    assert build_examples({"p.py": "def f(x):\n    pass\n"}, text) == {"f(1)": "2"}
    assert [example.shows for example in find_examples(text)] == ["2"]


def test_docstrings_and_functions_of_a_program() -> None:
    program = {"a.py": '"""Top."""\ndef f():\n    """f(1) == 2"""\n', "b.py": "def g(:\n", "c.py": "x = 1\n"}
    assert docstrings(program) == "Top.\n\nf(1) == 2"
    assert build_examples(program) == {"f(1)": "2"}


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from shop.fees import fee", "fee(1)"),
        ("import shop.fees", "shop.fees.fee(1)"),
        ("import shop.fees as f", "f.fee(1)"),
        ("from shop import fees", "fees.fee(1)"),
        ("from shop import fees as f, other", "f.fee(1)"),
        ("import other", "fee(1)"),
    ],
)
def test_an_example_is_called_as_the_tests_call_its_function(imports: str, call: str) -> None:
    program = {"src/shop/fees.py": 'def fee(n):\n    """Fee.\n\n    >>> fee(1)\n    2\n    """\n'}
    assert build_examples(program, tests={"test_fees.py": f"{imports}\n"}) == {call: "2"}
