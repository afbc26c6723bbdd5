"""Localisation and the diagnosis made of it."""

from __future__ import annotations

import math

from selfheal_tui.engine.dialogue.tools.localise import suspects_text
from selfheal_tui.sandbox.base import CaseResult, Outcome, SuiteReport
from selfheal_tui.search.explain import diagnose
from selfheal_tui.search.program.localise import Suspect, localise
from selfheal_tui.search.program.recent import RecentChange

PROGRAM = "LIMIT = 3\n\ndef f(x):\n    if x < LIMIT:\n        return 1\n    return 2\n"


def case(name: str, outcome: Outcome, message: str = "", **more: str) -> CaseResult:
    return {
        "id": f"test_p.py::{name}",
        "outcome": outcome,
        "message": message,
        "expected": more.get("expected"),
        "actual": more.get("actual"),
        "location": more.get("location"),
        "traceback": more.get("traceback", ""),
        "duration_s": 0.0,
        "output": "",
    }


def report(*cases: CaseResult) -> SuiteReport:
    outcomes = [c["outcome"] for c in cases]
    return {
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "errors": outcomes.count("error"),
        "timeouts": outcomes.count("timeout"),
        "skipped": outcomes.count("skipped"),
        "duration_s": 0.0,
        "isolation": [],
        "trust": "provisional",
        "not_verified": None,
        "truncated": False,
        "cases": list(cases),
        "verdict": "failed",
        "error": None,
    }


def at(suspects: tuple[Suspect, ...], line: int) -> Suspect:
    return next(suspect for suspect in suspects if suspect.line == line)


COVERAGE = {
    "test_p.py::bad": {"p.py": frozenset({4, 6})},
    "test_p.py::good": {"p.py": frozenset({4, 5})},
}


def test_ochiai_over_cases() -> None:
    suspects = localise(report(case("bad", "failed"), case("good", "passed")), COVERAGE, {"p.py": PROGRAM})
    assert (suspects[0].line, suspects[0].score) == (6, 1.0)
    assert at(suspects, 4).score == round(1 / math.sqrt(2), 4)
    assert all(suspect.line != 5 for suspect in suspects)
    assert at(suspects, 4).why == "runs in the failing case and in 1 of 1 passing"


def test_what_runs_at_import_is_suspected_by_its_users() -> None:
    suspects = localise(report(case("bad", "failed"), case("good", "passed")), COVERAGE, {"p.py": PROGRAM})
    assert at(suspects, 1).why == "is used by line 4"
    assert 0 < at(suspects, 1).score < at(suspects, 4).score


def test_what_another_file_imports_is_suspected_by_the_lines_that_use_it() -> None:
    limits = "MOST = 3\nOTHER = 4\n\nclass Limits:\n    LEAST = 1\n\ndef f():\n    MOST = 5\n"
    uses = {
        "from limits import MOST\n\ndef f(x):\n    if x < MOST:\n        return 1\n    return 2\n": 1,
        "from limits import MOST as M\n\ndef f(x):\n    if x < M:\n        return 1\n    return 2\n": 1,
        "import limits\n\ndef f(x):\n    if x < limits.MOST:\n        return 1\n    return 2\n": 1,
        "import shop.limits\n\ndef f(x):\n    if x < shop.limits.MOST:\n        return 1\n    return 2\n": 1,
        "from limits import Limits\n\ndef f(x):\n    if x < Limits.LEAST:\n        return 1\n    return 2\n": 5,
    }
    for user, line in uses.items():
        suspects = localise(report(case("bad", "failed")), COVERAGE, {"p.py": user, "limits.py": limits})
        there = [(one.line, one.why) for one in suspects if one.path == "limits.py"]
        assert there == [(line, "is used by line 4 of p.py")], user
        assert suspects[0].path == "p.py", "the line itself comes first"
    user = "def f(x, row):\n    from limits import OTHER\n    MOST = 2\n"
    user += "    if x < MOST or row.OTHER:\n        return 1\n    return 2\n"
    suspects = localise(report(case("bad", "failed")), COVERAGE, {"p.py": user, "limits.py": limits})
    assert {one.path for one in suspects} == {"p.py"}, "what only has the same name is not used"


def test_the_line_that_raised_gains() -> None:
    bad = case("bad", "error", "TypeError: no", location="p.py:4", traceback="p.py:4 in f")
    suspects = localise(report(bad, case("good", "passed")), COVERAGE, {"p.py": PROGRAM})
    assert 0.8 < at(suspects, 4).score < 1.0
    assert at(suspects, 4).why.startswith("TypeError was raised here")


def test_without_coverage_frames_lead_and_every_line_stays_possible() -> None:
    bad = case("bad", "error", "NameError: name 'y' is not defined", location="p.py:1")
    suspects = localise(report(bad), {}, {"p.py": PROGRAM})
    assert suspects[0].line == 1
    assert {suspect.line for suspect in suspects} == {1, 3, 4, 5, 6}


def test_frames_outside_the_program_do_not_count() -> None:
    bad = case("bad", "failed", location="test_p.py:9", traceback='File "lib/q.py", line 4')
    lines = [s.line for s in localise(report(bad, case("good", "passed")), COVERAGE, {"p.py": PROGRAM}) if s.score == 1]
    assert lines == [6]


def test_of_lines_about_as_suspicious_the_one_that_was_changed_lately_leads() -> None:
    lines = {4, 5, 6}
    both = {"test_p.py::bad": {"p.py": frozenset(lines)}, "test_p.py::good": {"p.py": frozenset({4})}}
    verdict = report(case("bad", "failed"), case("good", "passed"))
    committed, open_change = RecentChange("1a2b3c4 Add tax", "2 days ago"), RecentChange("", "")
    recent = {("p.py", 4): open_change, ("p.py", 5): committed, ("p.py", 6): open_change, ("q.py", 1): open_change}
    suspects = localise(verdict, both, {"p.py": PROGRAM}, recent)
    assert [s.line for s in suspects if s.line in lines] == [6, 5, 4], "coverage that clearly says otherwise wins"
    assert at(suspects, 6).score == at(suspects, 5).score == 1.0, "what the cases say stays what it is"
    assert (at(suspects, 6).weighed, at(suspects, 5).weighed) == (1.0, 0.95)
    assert at(suspects, 5).reason == f"{at(suspects, 5).why}; changed by 1a2b3c4 Add tax (2 days ago)"
    assert at(suspects, 6).reason.endswith("; changed, not committed")
    assert "; changed by 1a2b3c4 Add tax (2 days ago))" in suspects_text(suspects, {"p.py": PROGRAM})
    for nothing in (None, {}, dict.fromkeys([("q.py", 1), ("p.py", 99)], open_change)):
        assert localise(verdict, both, {"p.py": PROGRAM}, nothing) == localise(verdict, both, {"p.py": PROGRAM})


def test_the_diagnosis_names_case_values_and_line() -> None:
    verdict = report(case("bad", "failed", "assert 2 == 1", expected="1", actual="2"), case("good", "passed"))
    found = diagnose(verdict, localise(verdict, COVERAGE, {"p.py": PROGRAM}), {"p.py": PROGRAM})
    assert (found["fault"], found["category"], found["by"]) == ("code", "boundary", "search")
    assert "`bad` expected 1 and got 2." in found["cause"]
    assert "The most suspicious line is p.py:6, `return 2`" in found["cause"]
    left = diagnose(verdict, localise(verdict, COVERAGE, {"p.py": PROGRAM}), {"p.py": PROGRAM}, some_closed=True)
    assert "Of the lines that are left, p.py:6 is the most suspicious, `return 2`: it " in left["cause"]
    assert found["evidence"][0] == {"file": "p.py", "line": 6, "why": "runs in the failing case and in 0 of 1 passing"}
    assert 0 < found["confidence"] <= 0.6


def test_category_follows_the_form_of_the_failure() -> None:
    forms = {
        "exception": case("bad", "failed", "IndexError: list index out of range"),
        "import": case("bad", "failed", "NameError: name 'math' is not defined"),
        "timeout": case("bad", "timeout"),
        "logic": case("bad", "failed", "assert False == True", expected="True", actual="False"),
        "value": case("bad", "failed", "assert 9 == 1", expected="1", actual="9"),
        "unknown": case("bad", "failed", "assert f(3)"),
    }
    assert [diagnose(report(c), (), {"p.py": PROGRAM})["category"] for c in forms.values()] == list(forms)


def test_a_program_that_does_not_parse_is_a_syntax_fault() -> None:
    found = diagnose(report(), (), {"p.py": "def f(:\n"})
    assert (found["category"], found["evidence"][0]["line"]) == ("syntax", 1)
    assert "p.py does not parse, line 1" in found["cause"]


def test_foreign_text_in_the_cause_is_made_safe() -> None:
    verdict = report(case("bad", "failed", "x", expected="1", actual="'\x1b[31m\n'"))
    assert "\x1b" not in diagnose(verdict, (), {"p.py": PROGRAM})["cause"]


def test_lines_by_which_pytest_shows_an_object_are_less_suspicious() -> None:
    program = "class P:\n    def __repr__(self):\n        return 'P'\n\n    def go(self):\n        return 1\n"
    ran = {"test_p.py::test_go": {"p.py": frozenset({3, 6})}, "test_p.py::test_other": {"p.py": frozenset({6})}}
    cases = report(case("test_go", "failed"), case("test_other", "passed"))
    suspects = localise(cases, ran, {"p.py": program})
    assert at(suspects, 3).score == 0.5 < at(suspects, 6).score
    printed = {**ran, "test_p.py::test_other": {"p.py": frozenset({3, 6})}}
    assert (
        at(localise(cases, printed, {"p.py": program}), 3).score
        == at(localise(cases, printed, {"p.py": program}), 6).score
    )
