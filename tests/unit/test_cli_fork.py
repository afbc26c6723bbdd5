"""What `sessions fork --set` makes of its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli.race import lane_changes
from selfheal_tui.engine.session.changes import (
    ASSIGNABLE,
    parse_changes,
    parse_models,
    split_assignment,
    typed_changes,
)
from selfheal_tui.engine.session.lanes import parse_lane
from selfheal_tui.errors import InputError, SettingsError


def changes(*given: str, tests: tuple[str, ...] = ("test_solution.py",)) -> dict[str, object]:
    """Return what the assignments change."""
    return typed_changes([split_assignment(item) for item in given], ("solution.py",), tests)


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
    assert typed_changes([split_assignment("afresh=yes")], ["a.py"]) == {"afresh": True}
    assert typed_changes([split_assignment("afresh=no")], ["a.py"]) == {"afresh": False}
    with pytest.raises(SettingsError, match="afresh"):
        typed_changes([split_assignment("afresh=perhaps")], ["a.py"])


def test_what_is_text_is_taken_as_it_is_and_every_field_can_be_set() -> None:
    given = {"spec": "The sum, less 3.", "lessons": "- Mind the ends\n- and the signs", "revoke": "rule 1"}
    assert changes(*(f"{name}={text}" for name, text in given.items())) == given
    for field in ASSIGNABLE:
        if ":" not in field:
            try:
                changes(f"{field}=1")
            except (InputError, SettingsError) as refused:
                assert field in str(refused)


def test_a_lane_of_a_race_is_read_as_a_fork_is(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("X = 1\n", "utf-8")
    lane = parse_lane(
        f"code:solution.py=@{tmp_path / 'mine.py'} model=debugger=search max_calls=3 strategies=minimal,search"
    )
    assert lane_changes(lane, ("solution.py",)) == {
        "code": {"solution.py": "X = 1\n"},
        "model": {"debugger": "search"},
        "max_calls": 3,
        "strategies": "minimal,search",
    }
    for wrong in ("diagnosis=x", "code:other.py=x", "afresh=perhaps", "tests=x", "max_calls=0"):
        with pytest.raises((InputError, SettingsError)):
            lane_changes(parse_lane(wrong), ("solution.py",))


def test_a_line_of_the_app_is_read_without_being_judged() -> None:
    assert parse_changes(" revoke = rule 1 ") == {"revoke": "rule 1"}
    assert parse_changes("model=debugger=search ollama:q") == {"model": {"debugger": "search", "*": "ollama:q"}}
    assert parse_changes("colour") == {"colour": ""}
    several = parse_changes("max_calls=20 model=debugger=search critic=openai:q autonomy=full_auto wrong=f(a=3) is 5")
    assert several == {
        "max_calls": "20",
        "model": {"debugger": "search", "critic": "openai:q"},
        "autonomy": "full_auto",
        "wrong": "f(a=3) is 5",
    }
    several = parse_changes("avoid=none place=jobs.py:42 pin=test_x.py::test_a[b c] group=1")
    assert several == {"avoid": "none", "place": "jobs.py:42", "pin": "test_x.py::test_a[b c]", "group": "1"}
    assert parse_changes("feedback=try max_calls=3") == {"feedback": "try max_calls=3"}, "a text is what it is"
    assert parse_models("ollama:qwen3:8b critic=openai:x") == {"*": "ollama:qwen3:8b", "critic": "openai:x"}
