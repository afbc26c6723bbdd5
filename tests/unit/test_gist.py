"""What a step did, in few words."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.moment.gist import LONGEST, change_words, diagnosis_words, fork_words, suite_words
from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.sandbox.base import SuiteReport

OLD = "def f(a, b):\n    x = 0\n    if a < b:\n        x = a\n    return range(x)\n"


def changed(old: str, new: str) -> str:
    return change_words({"f.py": OLD}, {"f.py": OLD.replace(old, new)})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a < b", "a <= b", "line 3 `<` -> `<=`"),
        ("range(x)", "range(x[0]) + len(b)", "line 5 `range(x)` -> `range(x[0]) + len(b)`"),
        ("x = a", "x += a", "line 4 `=` -> `+=`"),
        ("range(x)", "range(x + 1)", "line 5 adds `+ 1` after `x`"),
        ("range(x)", "range(-x)", "line 5 adds `-` before `x`"),
        ("if a < b", "if not a < b", "line 3 adds `not` before `a`"),
        ("return range(x)", "return range", "line 5 drops `(x)`"),
        ("    x = 0\n", "", "line 2 removed"),
        ("    x = 0\n", "    x = 0\n    y = 1\n    z = 2\n", "before line 3 adds `y = 1` and 1 more line"),
        ("        x = a\n", "      x = a\n", "line 4 indented anew"),
        ("x = 0", "x = compute_all_of_it(first, second)", "line 2 -> `x = compute_all_of_it(first, second)`"),
        ("    if a < b:\n        x = a\n", "    while a:\n        b = a\n        a = 0\n", "lines 3-4 written anew"),
    ],
)
def test_a_change_says_where_and_what(old: str, new: str, words: str) -> None:
    assert changed(old, new) == words


def test_blanks_within_a_text_are_no_indentation() -> None:
    old = 'def f(s):\n    return s.split("=")\n'
    words = change_words({"f.py": old}, {"f.py": old.replace('"="', '"= "')})
    assert words == 'line 2 -> `return s.split("= ")`'


def test_several_places_are_named_and_several_files_named() -> None:
    new = OLD.replace("a < b", "a <= b").replace("range(x)", "range(x, 9)")
    assert change_words({"f.py": OLD}, {"f.py": new}) == "line 3 `<` -> `<=`, also at 5"
    assert change_words({"f.py": OLD, "g.py": ""}, {"f.py": OLD.replace("<", ">")}) == "f.py:3 `<` -> `>`"
    assert change_words({}, {"f.py": OLD}) == "writes f.py"


def test_hostile_code_stays_one_short_safe_line() -> None:
    words = change_words({"f.py": "x = 1\n"}, {"f.py": "x = '\x1b]0;owned\x07" + "y" * 500 + "'\n"})
    assert "\x1b" not in words and "\x07" not in words and len(words) <= LONGEST


def suite(**outcomes: str) -> SuiteReport:
    cases = [{"id": f"t.py::test_{name}", "outcome": outcome} for name, outcome in outcomes.items()]
    passed = sum(case["outcome"] == "passed" for case in cases)
    counts = {"passed": passed, "failed": len(cases) - passed, "errors": 0, "timeouts": 0}
    return cast(SuiteReport, {**counts, "cases": cases})


def test_a_run_of_the_suite_says_what_changed() -> None:
    before = suite(a="failed", b="failed", c="passed")
    assert suite_words(None, before) == ""
    assert suite_words(before, suite(a="passed", b="failed", c="failed")) == "was 1/3; now pass: a; now fail: c"
    assert suite_words(before, before) == "was 1/3: the same cases"
    assert suite_words(before, suite(a="failed", b="failed", c="passed", d="failed")) == "was 1/3; new: d"


def test_many_cases_are_counted() -> None:
    names = [f"n{number}" for number in range(6)]
    words = suite_words(suite(**dict.fromkeys(names, "failed")), suite(**dict.fromkeys(names, "passed")))
    assert words == "was 0/6; now pass: n0, n1, n2 and 3 more"


def test_a_diagnosis_is_its_line_and_first_sentence() -> None:
    diagnosis: dict[str, Any] = {
        "fault": "code",
        "cause": "overlap() compares with <=. It should not.",
        "evidence": [{"file": "f.py", "line": 8, "why": ""}],
    }
    assert diagnosis_words(cast(Diagnosis, diagnosis)) == "line 8: overlap() compares with <="
    names_line = {**diagnosis, "cause": "Line 8 compares with <=. So what."}
    assert diagnosis_words(cast(Diagnosis, names_line)) == "Line 8 compares with <="
    blames_test = {**diagnosis, "fault": "test", "evidence": []}
    assert diagnosis_words(cast(Diagnosis, blames_test)) == "the test is wrong: overlap() compares with <="


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "run again"),
        ({"afresh": "yes"}, "asked afresh"),
        ({"model": {"*": "ollama:qwen3", "debugger": "search"}}, "model: ollama:qwen3 debugger=search"),
        ({"strategies": "minimal"}, "strategies: minimal"),
        ({"code": {"f.py": "x"}}, "code of f.py"),
        ({"drop": "t.py::test_a"}, "drop a"),
        ({"max_calls": 5, "spec": "new\nlines"}, "max calls: 5; spec: new lines"),
        ({"place": "2"}, "look first at f.py:3, with 1"),
        ({"avoid": ["line:f.py:3", "function:g"]}, "not line 3 of f.py, not in g"),
    ],
)
def test_a_fork_says_what_it_changed(changes: dict[str, Any], words: str) -> None:
    also = [{"file": "f.py", "line": 1, "edit": ""}]
    evidence = [{"file": "f.py", "line": 9, "why": ""}, {"file": "f.py", "line": 3, "why": "", "also": also}]
    diagnosis = cast(Diagnosis, {"by": "search", "evidence": evidence})
    assert fork_words(changes, diagnosis, {"f.py": "def g():\n    pass\na = 1\n"}) == words


def test_a_diagnosis_of_the_search_names_its_line_once() -> None:
    evidence = [{"file": "a.py", "line": 3, "why": "w"}]
    cause = "With one edit at line 3, the failing case passes: x. More."
    words = diagnosis_words({"fault": "code", "cause": cause, "evidence": evidence, "by": "search"})  # type: ignore[typeddict-item]
    assert words == "With one edit at line 3, the failing case passes: x"
