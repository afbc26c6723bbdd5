"""Examples of a specification: which are found, how they judge, and what contradicts them."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.suites.examples import (
    contradiction,
    contradictions,
    examples_suite,
    uncontradicted,
)
from selfheal_tui.spec_text.find import docstrings, find_examples


def found(spec: str) -> list[tuple[str, str]]:
    """Return (call, what is said of it) of each example."""
    return [(one.call, one.value or one.error or one.shows or one.holds) for one in find_examples(spec)]


@pytest.mark.parametrize(
    ("spec", "call", "said"),
    [
        ("add(1, 2) == 3", "add(1, 2)", "3"),
        ("- `add(-1, 1)` -> 0.", "add(-1, 1)", "0"),
        ("1. add([1], [2]) => [1, 2]", "add([1], [2])", "[1, 2]"),
        ("The call add(2, 2) should return `4`, as it sums.", "add(2, 2)", "4"),
        ('add("a b") returns {"a": 1, "b": 1}; more', "add('a b')", "{'a': 1, 'b': 1}"),
        ("add('') = ''", "add('')", "''"),
        ("is_even(4) is True", "is_even(4)", "True"),
        ("Gives the number times two. add(2, 2) == 4", "add(2, 2)", "4"),
        ("Negative numbers are not allowed. add(2, 2) == 4.", "add(2, 2)", "4"),
        ("Adds... add(2, 2) == 4", "add(2, 2)", "4"),
        ("Adds! add(2, 2) == 4!", "add(2, 2)", "4"),
        ("Adds; add(2, 2) == 4; no more", "add(2, 2)", "4"),
        ("It adds: add(2, 2) == 4", "add(2, 2)", "4"),
        ("It adds (add(2, 2) == 4).", "add(2, 2)", "4"),
        ("It adds. (add(2, 2) == 4.)", "add(2, 2)", "4"),
        ("It adds [add([2], []) == [2]].", "add([2], [])", "[2]"),
        ("It adds, e.g. add(2, 2) == 4, that is the sum.", "add(2, 2)", "4"),
        ("It adds, i.e. `add(2, 2)` returns `4`.", "add(2, 2)", "4"),
        ("Since v1.2. add(2, 2) == 4", "add(2, 2)", "4"),
        ("assert add(\n    1,\n    2,\n) == 3", "add(1, 2)", "3"),
        ("assert 3 == add(1, 2)", "add(1, 2)", "3"),
        ("assert add(0, 0) is None", "add(0, 0)", "None"),
        ("add(10**20) == 10**40", "add(10 ** 20)", "10 ** 40"),
        ("sorted(add([2], [1])) == [1, 2]", "sorted(add([2], [1]))", "[1, 2]"),
        ("parse('x') raises a ValueError.", "parse('x')", "ValueError"),
        (">>> add(1, 2)\n3", "add(1, 2)", "3"),
        ("```\n>>> add(1, 2)\n3\n```", "add(1, 2)", "3"),
        ("    >>> add(1, 2)\n    3\n    This is their sum.", "add(1, 2)", "3"),
        ('    >>> add(1, 2)\n    3"""', "add(1, 2)", "3"),
        (">>> add(1, 2) == 3\nTrue", "add(1, 2)", "3"),
        (">>> from tools import add\n>>> add(1, 2)\n3", "add(1, 2)", "3"),
        (">>> hello('Bob')\nHello Bob!", "hello('Bob')", "Hello Bob!"),
        (">>> parse('')\nTraceback (most recent call last):\n  ...\nValueError: empty", "parse('')", "ValueError"),
    ],
)
def test_forms_that_are_examples(spec: str, call: str, said: str) -> None:
    assert found(spec) == [(call, said)]


def test_all_examples_of_a_sentence_are_found() -> None:
    spec = "It adds. add(1, 1) == 2. add(2, 2) == 4; add(3, 3) == 6, add(0, 0) == 0 and add(4, 4) == 8. No more."
    assert found(spec) == [(f"add({n}, {n})", str(2 * n)) for n in (1, 2, 3, 0, 4)]


@pytest.mark.parametrize(
    "spec",
    [
        "add(x, 3) == 4",
        "def add(a=1) -> None: ...",
        "reset() -> None",
        "add(1, 2) returns 4 but it should return 3",
        "It is wrong that add(1, 2) == 4",
        "add(1, 2) never returns 4",
        "add(1, 2) returns 3 items",
        "add(1, 2) returns 3, 4",
        "split('a') -> ('a', 'b'), ('c')",
        "1 + add(1, 2) == 4",
        "list.add(1) == 2",
        "len([1]) == 1",
        "add(1, 2) == 3\nadd(1, 2) == 4",
        ">>> add(1\n3",
        ">>> next(a)\n1",
        ">>> unknown + add(1)\n1",
        "return add(1, 2) == 3",
        "This is wrong. add(1, 2) == 4",
        "This is a bug. (add(1, 2) == 4)",
        "It is wrong; add(1, 2) == 4",
        "It never holds, e.g. add(1, 2) == 4",
        "list. add is what. list .add(1) == 2",
        "list . add(1) == 2",
        "rows[add(1, 2) == 4]",
        "[1, add(1, 2) == 4]",
        "[add(1, 2) == 4, 5]",
        "It adds. add(x) == mul(x)",
        "See 1.add(1, 2) == 4",
        "Up to version 2.0. add(1, 2) is older.",
        "It adds. add(1, 2) == 4.5 cm",
        "if add(1, 2) == 3 then stop",
        "",
        f"add(1, 2) == 0x{'f' * 5000}",
    ],
)
def test_what_may_be_read_otherwise_is_left_out(spec: str) -> None:
    assert found(spec) == []


@given(st.text(alphabet=st.sampled_from("f(x)1, 2[]{}'\"\n>=-.#:` returns assert"), max_size=120))
def test_any_text_is_read(text: str) -> None:
    for path, source in examples_suite(text, "solution").items():
        assert path == "test_examples.py"
        ast.parse(source)


LITERALS = st.recursive(
    st.integers(-99, 99) | st.booleans() | st.none() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.integers(0, 9), inner),
    max_leaves=6,
)


@given(st.lists(LITERALS, min_size=1, max_size=3), LITERALS)
def test_any_literal_survives(arguments: list[Any], value: Any) -> None:
    call = f"f({', '.join(map(repr, arguments))})"
    (one,) = find_examples(f"- {call} == {value!r}")
    assert (ast.literal_eval(one.value), one.call) == (value, ast.unparse(ast.parse(call)))
    (one,) = find_examples(f">>> {call} == {value!r}\nTrue\n")
    assert ast.literal_eval(one.value) == value


def outcomes(spec: str, **names: Any) -> dict[str, bool]:
    """Run the suite of the examples over functions; return case name -> whether it passes."""
    module = types.ModuleType("solution")
    vars(module).update(names)
    (source,) = examples_suite(spec, "solution").values()
    space: dict[str, Any] = {}
    sys.modules["solution"] = module
    try:
        exec(source, space)
        return {name: _passes(case) for name, case in space.items() if name.startswith("test_")}
    finally:
        del sys.modules["solution"]


def _passes(case: Callable[[], None]) -> bool:
    try:
        case()
    except (AssertionError, Exception, pytest.fail.Exception):
        return False
    return True


def test_cases_judge_one_by_one_and_are_readable() -> None:
    spec = "add(1, 2) == 3\nadd(-1, 1) == 0\nadd(1, 2) == 3\nmul(2, 2) == 4\nadd('x', 1) raises TypeError"
    spec += "\nadd('2024-01-31', '-') == '2024-01-31-'"
    assert outcomes(spec, add=lambda a, b: a + b) == {
        "test_add_1_2": True,
        "test_add_minus_1_1": True,
        "test_mul_2_2": False,
        "test_add_x_1_raises_typeerror": True,
        "test_add_2024_01_31": True,
    }


@pytest.mark.parametrize(
    ("said", "got", "passes"),
    [
        ("1.67", 5 / 3, True),
        ("1.67", 1.676, False),
        ("0.3", 0.1 + 0.2, True),
        ("0.3", 0.31, False),
        ("2.0", 2, True),
        ("[1.67, 2]", [5 / 3, 2], True),
        ("[1.67, 2]", [5 / 3, 3], False),
        ("[('a', 1.67)]", [("a", 5 / 3)], True),
        ("[('a', 1.67)]", [("a", 1.6)], False),
        ("{'a': [0.25]}", {"a": [0.25]}, True),
        ("None", 0, False),
    ],
)
def test_numbers_are_compared_as_far_as_they_are_shown(said: str, got: Any, passes: bool) -> None:
    assert list(outcomes(f"f(1) -> {said}" if said != "None" else "f(1) == None", f=lambda _: got).values()) == [passes]


def test_session_examples_keep_their_setup_and_what_they_print() -> None:
    spec = (
        ">>> s = Stack()\n>>> s.push(3)\n>>> s.pop()\n3\n>>> s.pop()\nTraceback (most recent call last):\n"
        "    ...\nIndexError: empty\n\n>>> hello('Bob')\nHello Bob\n\n>>> check()\nTraceback (most recent call last):\n"
        "OwnError: no\n"
    )

    class Stack(list[int]):
        push = list.append

        def pop(self, *_: Any) -> int:
            if not self:
                raise IndexError("empty")
            return super().pop()

    class OwnError(Exception):
        pass

    def check() -> None:
        raise OwnError("no")

    def hello(name: str) -> None:
        print("Hello", name)

    good = outcomes(spec, Stack=Stack, hello=hello, check=check)
    assert set(good.values()) == {True} and len(good) == 4
    assert not outcomes(spec, Stack=Stack, hello=lambda _: "Hello Bob", check=check)["test_hello_bob"]


def test_file_gets_a_path_of_its_own() -> None:
    assert list(examples_suite("f(1) == 2", "solution", ("test_examples.py",))) == ["test_examples_2.py"]
    assert examples_suite("nothing here", "solution") == {}


def test_docstrings_of_a_program_hold_examples() -> None:
    program = {"a.py": 'def f(x):\n    """Double.\n\n    >>> f(2)\n    4\n    """\n    return x\n', "b.py": "def ("}
    assert found(docstrings(program)) == [("f(2)", "4")]


SPEC = "add(1, 2) == 3\nmean([1, 2, 2]) -> 1.667\nparse('x') raises ValueError\nis_even(4) == True"


@pytest.mark.parametrize(
    "body",
    [
        "assert add(1, 2) == 4",
        "assert 4 == add( 1 ,2 )",
        "assert add(1, 2) != 3",
        "assert solution.add(1, 2) == 4, 'sum'",
        "got = add(1, 2)\n    assert got == 4",
        "assert mean([1, 2, 2]) == 2",
        "assert mean([1, 2, 2]) == pytest.approx(1.7)",
        "assert parse('x') is None",
        "with pytest.raises(TypeError):\n        parse('x')",
        "with pytest.raises(ValueError):\n        add(1, 2)",
        "assert not is_even(4)",
        "assert is_even(4) is False",
        "for a, want in [(5, 7), (1, 9)]:\n        assert add(a, 2) == want",
        "assert add(5, 5) == 10 and add(1, 2) == 9",
    ],
)
def test_other_results_for_the_same_call_contradict(body: str) -> None:
    text = f"import pytest\n\n\ndef test_a():\n    {body}\n\n\ndef test_b():\n    assert add(1, 2) == 3\n"
    assert list(contradictions(text, SPEC)) == ["test_a"]
    assert "the specification says" in contradiction(text, SPEC)
    kept, why = uncontradicted(text, SPEC)
    assert "test_a" not in kept and "test_b" in kept and list(why) == ["test_a"]


def test_an_example_behind_a_full_stop_contradicts_a_wrong_case() -> None:
    spec = "Gives back the number times two. double(5) == 10"
    wrong = "from solution import double\n\n\ndef test_a():\n    assert double(5) == 11\n"
    assert list(contradictions(wrong, spec)) == ["test_a"]


@pytest.mark.parametrize(
    "body",
    [
        "assert add(1, 2) == 3.0",
        "assert add(2, 1) == 4",
        "assert mean([1, 2, 2]) == pytest.approx(5 / 3)",
        "assert mean([1, 2, 2]) == pytest.approx(1.6667)",
        "with pytest.raises(Exception):\n        parse('x')",
        "with pytest.raises((TypeError, ValueError)):\n        parse('x')",
        "assert is_even(4)",
        "x = [1]\n    x.append(2)\n    assert add(*x) == 9",
        "assert add(1, n) == 9",
        "xs = [1, 2, 2]\n    xs.sort()\n    assert mean(xs) == 9",
    ],
)
def test_agreement_and_what_is_not_understood_stay(body: str) -> None:
    assert contradictions(f"def test_a():\n    {body}\n", SPEC) == {}


def test_only_the_wrong_rows_of_a_parametrised_case_go() -> None:
    text = (
        '@pytest.mark.parametrize("a, b, want", [\n    (1, 2, 3),  # é\n    (1, 2, 5),\n'
        "    pytest.param(7, 7, 14),\n])\ndef test_a(a, b, want):\n    assert add(a, b) == want\n"
    )
    kept, why = uncontradicted(text, SPEC)
    assert list(why) == ["test_a[1]"] and "5" not in kept and "(1, 2, 3)" in kept and "pytest.param(7, 7, 14)" in kept
    assert contradictions(kept, SPEC) == {}
    alone = text.replace("    (1, 2, 3),  # é\n", "").replace("    pytest.param(7, 7, 14),\n", "")
    assert uncontradicted(alone, SPEC)[0].strip() == ""
