"""What `sessions fork --set` makes of its words."""

from __future__ import annotations

import pytest

from selfheal_tui.cli.fork import parse_changes, split_assignment
from selfheal_tui.errors import InputError, SettingsError


def changes(*given: str, tests: tuple[str, ...] = ("test_solution.py",)) -> dict[str, object]:
    """Return what the assignments change."""
    return parse_changes([split_assignment(item) for item in given], ("solution.py",), tests)


def test_generated_tests_are_set_dropped_and_pinned() -> None:
    case = "test_solution.py::test_a[x=1]"
    assert changes(f"drop={case}", "drop=test_b.py::test_b", f"pin={case}", "tests=def test_a(): pass") == {
        "drop": [case, "test_b.py::test_b"],
        "pin": [case],
        "tests": {"test_solution.py": "def test_a(): pass"},
    }
    assert changes("tests:test_b.py=x", "unpin=y") == {"tests": {"test_b.py": "x"}, "unpin": ["y"]}


def test_which_file_must_be_said_where_there_are_several() -> None:
    with pytest.raises(InputError, match="Say which generated test file"):
        changes("tests=x", tests=("test_a.py", "test_b.py"))
    with pytest.raises(InputError, match="cannot set 'drop:x'"):
        changes("drop:x=1")


def test_afresh_is_a_yes_or_a_no() -> None:
    assert parse_changes([split_assignment("afresh=yes")], ["a.py"]) == {"afresh": True}
    assert parse_changes([split_assignment("afresh=no")], ["a.py"]) == {"afresh": False}
    with pytest.raises(SettingsError, match="afresh"):
        parse_changes([split_assignment("afresh=perhaps")], ["a.py"])
