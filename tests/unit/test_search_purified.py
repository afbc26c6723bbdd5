"""Failing tests with a copy for each of their checks."""

from __future__ import annotations

from typing import cast

import pytest

from selfheal_tui.sandbox.base import CaseResult, Outcome, SuiteReport
from selfheal_tui.search.program.purified import NO_COPIES, Purified, copied_from, purified

TESTS = '''"""Tests."""
import pytest
from stack import Stack

@pytest.fixture
def full():
    return Stack([1, 2])

def test_pop(full):
    """What goes in comes out."""
    assert full.pop() == 2
    assert full.pop() == 1
    with pytest.raises(IndexError):
        full.pop()

def test_one():
    assert Stack([1]).size == 1

class TestPush:
    def test_push(self, full):
        full.push(3)
        for value in (3, 2, 1):
            assert full.pop() == value
        self.assertEqual(full.size, 0)
'''


def case(case_id: str, outcome: Outcome = "failed", duration_s: float = 0.01) -> CaseResult:
    return cast(CaseResult, {"id": case_id, "outcome": outcome, "duration_s": duration_s, "message": ""})


def report(*cases: CaseResult) -> SuiteReport:
    return cast(SuiteReport, {"cases": list(cases), "verdict": "failed", "error": None})


def made(*cases: CaseResult, tests: str = TESTS) -> Purified:
    return purified({"test_stack.py": tests}, report(*cases))


POP, PUSH = "test_stack.py::test_pop", "test_stack.py::TestPush::test_push"


def test_each_check_of_a_failing_test_has_a_copy_in_which_the_others_may_fail() -> None:
    copies = made(case(POP), case("test_stack.py::test_one"), case(PUSH, "passed"))
    assert copies.checks == {
        f"{POP}__check_1": "assert full.pop() == 2",
        f"{POP}__check_2": "assert full.pop() == 1",
        f"{POP}__check_3": "with pytest.raises(IndexError):",
    }
    text = copies.files["test_stack.py"]
    third = text[text.index("def test_pop__check_3(full):") : text.index("def test_one")]
    assert third.count("try:") == third.count("except Exception:") == 2
    assert third.rstrip().endswith("with pytest.raises(IndexError):\n        full.pop()")
    assert "assert full.pop() == 1" not in text[text.index("check_1") : text.index("check_2")], (
        "what follows is left out"
    )
    assert copies.written == {"test_stack.py": TESTS}


def test_a_method_has_its_copies_in_its_class_and_a_loop_is_one_check() -> None:
    copies = made(case(PUSH))
    assert [*copies.checks.values()] == ["for value in (3, 2, 1):", "self.assertEqual(full.size, 0)"]
    assert copies.copies(PUSH) == [f"{PUSH}__check_1", f"{PUSH}__check_2"]
    assert "    def test_push__check_2(self, full):" in copies.files["test_stack.py"]


def test_what_a_copy_is_of_is_told_by_its_name() -> None:
    copies = made(case(f"{POP}[a-1]"), case(f"{POP}[b]", "passed"))
    one = f"{POP}__check_2[a-1]"
    assert copies.is_copy(one)
    assert not copies.is_copy(f"{POP}[a-1]")
    assert copied_from(one) == f"{POP}[a-1]"
    assert copies.real([one, f"{POP}[b]"]) == (f"{POP}[b]",)
    assert copies.words(one) == "`assert full.pop() == 1` of test_pop holds without it, and not with it"
    assert NO_COPIES.real([one]) == (one,)


def test_a_test_is_mended_where_edits_mend_all_its_failing_copies_between_them() -> None:
    copies = made(case(POP))
    one, two, three = copies.copies(POP)
    assert copies.still_failing([POP, one, three], [one]) == {POP, three}
    assert copies.still_failing([POP, one, three], [one, three]) == set()
    assert copies.still_failing([POP, two, PUSH], [two]) == {PUSH}
    assert copies.still_failing([POP, PUSH], [POP]) == {PUSH}


def test_many_checks_share_copies() -> None:
    checks = [f"    assert size({n}) == {n}" for n in range(25)]
    copies = made(case("test_stack.py::test_size"), tests="\n".join(["def test_size():", *checks]))
    assert len(copies.checks) == 10
    assert "assert size(24) == 24" in copies.files["test_stack.py"]


@pytest.mark.parametrize(
    "cases",
    [
        [case(POP, "passed")],
        [case(POP, "timeout")],
        [case(POP, "error")],
        [case(POP, duration_s=1.0)],
        [case(f"{POP}[{n}]") for n in range(30)],
        [case("test_stack.py::test_one")],
        [case("test_other.py::test_pop")],
    ],
)
def test_there_are_none_where_they_would_tell_nothing_or_take_long(cases: list[CaseResult]) -> None:
    assert made(*cases) == NO_COPIES


def test_there_are_none_where_a_failure_is_no_exception_or_the_name_is_taken() -> None:
    body = "    def test_push(self):\n        with self.subTest(1):\n            assert a\n        assert b\n"
    assert made(case(PUSH), tests=f"class TestPush:\n{body}") == NO_COPIES
    assert made(case(POP), tests=TESTS + "\ndef test_pop__check_1(): pass\n") == NO_COPIES
    assert made(case(POP), tests="def test_pop(:") == NO_COPIES
    assert purified({"test_stack.py": TESTS}, report(case(POP), case(PUSH)), [POP]).copies(POP) == []
