"""A counter-example: the file it becomes, what it may go by, and whose mistake its failure is."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.engine.suites.counter_example import as_file, headed, is_quoted, module_name, objected, why_not

PROGRAM = {
    "shop.py": 'LIMIT = 3\n\n\ndef total(prices):\n    """Sum the prices."""\n    return 0  # never below zero\n'
}
CASE = "def test_sum():\n    assert total([1]) == 1\n"


def test_what_is_missing_is_imported() -> None:
    text = as_file("def test_x():\n    with pytest.raises(ValueError):\n        total(LIMIT)\n", PROGRAM, PROGRAM)[1]
    assert text.startswith("import pytest\nfrom shop import LIMIT, total\n\n\ndef test_x")
    text = as_file(f"from __future__ import annotations\n{CASE}", PROGRAM, PROGRAM)[1]
    assert text.startswith("from __future__ import annotations\nfrom shop import total\n")
    own = f"import shop as s\n{CASE.replace('total', 's.total')}"
    assert as_file(own, PROGRAM, PROGRAM) == ("test_critic.py", own)


def test_a_name_is_new_in_every_folder() -> None:
    taken = [*PROGRAM, "tests/test_critic.py", "test_critic_2.py"]
    assert as_file(CASE, PROGRAM, taken)[0] == "test_critic_3.py"


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("", "has no counter-example"),
        ("def test_a(:\n", "does not parse"),
        ("x = 1\n", "there are 0"),
        (CASE + CASE.replace("test_sum", "test_more"), "there are 2"),
        ("def test_a():\n    assert 1 == 2\n", "does not use the program"),
    ],
)
def test_what_is_no_counter_example_is_said(test: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        as_file(test, PROGRAM, PROGRAM)


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.py", "a"), ("pkg/b.py", "pkg.b"), ("src/pkg/__init__.py", "pkg"), ("my-script.py", ""), ("data.txt", "")],
)
def test_module_names(path: str, name: str) -> None:
    assert module_name(path) == name


def test_a_basis_is_quoted_word_for_word() -> None:
    spec = "Return the sum.\nAn empty list gives\n`0`, always."
    assert is_quoted("an empty list gives 0", spec, [])
    assert is_quoted("Sum the prices.", "", PROGRAM.values()) and is_quoted("never below zero", "", PROGRAM.values())
    assert not is_quoted("An empty list gives 1", spec, PROGRAM.values())
    assert not is_quoted("return 0  # never below", "", PROGRAM.values()), "code settles nothing"
    assert not is_quoted("the", spec, []) and not is_quoted("", spec, ["def f(:"])


def test_an_iteration_knows_its_objection() -> None:
    files = {"test_critic.py": headed(CASE, 2, "Too\nsmall", "Sum the prices.")}
    assert files["test_critic.py"].splitlines()[0] == "# Objection of iteration 2: Too small"
    assert objected(files, 2) and not objected(files, 1) and not objected({}, 2)


def report(*cases: tuple[str, str, str, str | None], error: str | None = None) -> Any:
    names = ("id", "outcome", "message", "location")
    return {"cases": [dict(zip(names, case, strict=True)) for case in cases], "error": error}


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (("t.py::a", "failed", "assert 1 == 2", "t.py:3"), ""),
        (("t.py::a", "failed", "AssertionError: no", "t.py:3"), ""),
        (("t.py::a", "failed", "Failed: DID NOT RAISE ValueError", "t.py:3"), ""),
        (("t.py::a", "failed", "KeyError: 'x'", "shop.py:3"), ""),
        (("t.py::a", "timeout", "no result within 5 s", "shop.py:3"), ""),
        (("t.py::a", "timeout", "no result within 5 s", "t.py:3"), "not in the program"),
        (("t.py::a", "failed", "NameError: name 'tota'", "t.py:3"), "mistake of its own: NameError"),
        (("t.py::a", "failed", "TypeError: missing 1 argument", "t.py:3"), "mistake of its own"),
        (("t.py::a", "error", "fixture 'x' not found", None), "mistake of its own"),
        (("t.py::a", "passed", "", None), "passes its counter-example"),
        (("t.py::a", "skipped", "", None), "skips itself"),
        (("t.py", "error", "ImportError: no name", "t.py:1"), "cannot be run: ImportError"),
    ],
)
def test_whose_mistake_a_failure_is(case: tuple[str, str, str, str | None], words: str) -> None:
    why = why_not(report(case), "t.py", ["shop.py"])
    assert words in why and bool(words) == bool(why)


def test_one_mistake_among_parameters_is_enough() -> None:
    good, bad = ("t.py::a[0]", "failed", "assert 0", "t.py:3"), ("t.py::a[1]", "failed", "NameError: x", "t.py:3")
    assert why_not(report(good, bad), "t.py", []) and not why_not(report(good), "t.py", [])
    assert "was found" in why_not(report(), "t.py", []) and "boom" in why_not(report(error="boom"), "t.py", [])
