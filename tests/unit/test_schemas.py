"""The check of an edited proposal: what is wrong is said at the field."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.engine.session.edit_checks import edit_problems

GOOD: dict[str, Any] = {
    "fault": "code",
    "category": "boundary",
    "cause": "Off by one.",
    "evidence": [{"file": "a.py", "line": 3, "why": "here"}],
    "strategy": "Compare with <=.",
    "confidence": 0.5,
    "by": "search",
}


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"cause": ""}, "cause", "must not be empty"),
        ({"fault": "me"}, "fault", "must be one of code, test"),
        ({"confidence": 2}, "confidence", "at most 1"),
        ({"confidence": "high"}, "confidence", "must be a number"),
        ({"evidence": [{"file": "a.py", "line": 0, "why": ""}]}, "evidence.0.line", "at least 1"),
        ({"evidence": [{"file": "a.py", "line": 1}]}, "evidence.0.why", "is missing"),
        ({"colour": 1}, "", "no field `colour`; its fields are"),
    ],
)
def test_diagnosis_problem_is_at_its_field(change: dict[str, Any], field: str, words: str) -> None:
    (problem,) = edit_problems("diagnosis", GOOD | change, ["a.py"])
    assert problem.field == field and words in problem.message


def test_evidence_points_into_the_run() -> None:
    value = GOOD | {"evidence": [{"file": "b.py", "line": 1, "why": ""}, {"file": "test_a.py", "line": 1, "why": ""}]}
    (problem,) = edit_problems("diagnosis", value, ["a.py"], ["test_a.py"])
    assert problem.field == "evidence.0.file" and "a.py, test_a.py" in problem.message


def test_good_edits_pass() -> None:
    assert edit_problems("diagnosis", GOOD, ["a.py"]) == []
    assert edit_problems("repair", {"changes": {"a.py": "x = 1\n", "b.txt": "{"}}, ["a.py", "b.txt"]) == []


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"a.py": "def f(:\n"}, "changes.a.py", "does not parse, line 1"),
        ({"a.py": "x = '\0'"}, "changes.a.py", "does not parse"),
        ({"a.py": "x = " + "-" * 200_000 + "1"}, "changes.a.py", "does not parse: it is nested too deeply"),
        ({"test_a.py": ""}, "changes.test_a.py", "may not be changed"),
        ({"a.py": 3}, "changes.a.py", "must be text"),
        ({}, "changes", "at least one path"),
        (None, "changes", "at least one path"),
    ],
)
def test_repair_problem_is_at_its_file(changes: Any, field: str, words: str) -> None:
    (problem,) = edit_problems("repair", {"changes": changes}, ["a.py"])
    assert problem.field == field and words in problem.message
