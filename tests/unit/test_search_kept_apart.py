"""Objects that failing tests make stay apart, in a case of its own that only the search sees."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.search.program.kept_apart import made_objects, with_objects
from selfheal_tui.search.program.purified import NO_COPIES

PROGRAM = """class Length:
    def __init__(self, number, unit="m"):
        self.number, self.unit = number, unit
    def __eq__(self, other):
        return self.number == other.number
class Plain:
    def __init__(self, number):
        self.number = number
"""
TESTS = """from length import Length, Plain
def test_to():
    assert Length(250, "cm").to("m") == Length(2.5)
    assert Length(1) == Length(100, unit="cm")
def test_more(size):
    assert [size.longer(Length(x)), Length(2)] == [Length(3), Length(2)] and Plain(4)
def test_passes():
    assert Length(9) != Length(8)
"""


def objects(tests: str, *failing: str, program: str = PROGRAM) -> dict[str, list[str]]:
    cases = [{"id": f"test_l.py::{name}", "outcome": "failed", "message": ""} for name in failing]
    report = cast(SuiteReport, {"cases": cast(Any, cases)})
    return made_objects({"test_l.py": tests}, {"length.py": program}, report)


def test_objects_of_plain_values_of_failing_tests_that_no_test_takes_for_equal() -> None:
    every = ["Length(2.5)", "Length(250, 'cm')", "Length(2)", "Length(3)"]
    assert objects(TESTS, "test_to", "test_more") == {"test_l.py::test_to": every}
    assert objects(TESTS, "test_more[1-2]") == {"test_l.py::test_more": ["Length(2)", "Length(3)"]}
    assert objects(TESTS) == {}
    assert objects(TESTS, "test_to", program=PROGRAM.replace("__eq__", "same")) == {}, "no `__eq__` of its own"
    assert objects(TESTS.replace("def test_to", "@mark\ndef test_to"), "test_to") == {}, "its parameters are not known"


def test_the_case_stands_beside_its_test_and_is_none_of_it() -> None:
    in_class = "class TestL:\n    def test_to(self):\n        assert Length(1).to() == Length(2)\n"
    held = {"test_l.py::TestL::test_to": ["Length(1)", "Length(2)"]}
    copies = with_objects(NO_COPIES, {"test_l.py": in_class}, held)
    (case,) = copies.checks
    assert case == "test_l.py::TestL::test_to__check_50" and copies.is_copy(case)
    assert "    def test_to__check_50(self):\n        assert len({(lambda made: repr(" in copies.files["test_l.py"]
    assert "}) > 1" in copies.files["test_l.py"] and copies.written["test_l.py"] == in_class
    assert copies.words(case) == "`Length(1)` and most other objects of test_to are alike with it"
    cases = [{"id": case}, {"id": "test_l.py::TestL::test_to"}]
    report = cast(SuiteReport, {"cases": cast(Any, cases)})
    assert [one["id"] for one in copies.without_objects(report)["cases"]] == ["test_l.py::TestL::test_to"]
