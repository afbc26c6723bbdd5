"""Which evidence a prompt may do without: old repairs, old reasons, tests that no failing case names."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.cli.human import progress_line
from selfheal_tui.engine.dialogue.describe import feedback_text, history_text, numbered, plain, shown_tests
from selfheal_tui.engine.dialogue.prompt_request import PromptRequest
from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.moment.events import PromptShortened
from selfheal_tui.engine.workshop.prompt_room import Room, Shrinkable
from selfheal_tui.llm.faults import ContextTooLong
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.ui.view.log_lines import log_line


def _report(*failing: dict[str, Any], error: str = "") -> SuiteReport:
    cases = [
        {"id": "tests/test_ok.py::test_fine", "outcome": "passed", "message": "", "location": None, "traceback": ""},
        *({"outcome": "failed", "message": "", "location": None, "traceback": "", **case} for case in failing),
    ]
    return {"cases": cases, "error": error}  # type: ignore[typeddict-item,return-value]


FILES = {
    name: f"# {name}\n" for name in ("tests/conftest.py", "tests/test_bad.py", "tests/test_ok.py", "tests/test_x.py")
}


def _all_gone(value: Shrinkable) -> str:
    return value.text(len(value.goes))


def test_tests_of_failing_cases_stay_and_helpers_go_last() -> None:
    value = shown_tests(FILES, _report({"id": "tests/test_bad.py::test_it"}))
    assert [list(FILES)[index] for index, _ in value.goes] == [
        "tests/test_x.py",
        "tests/test_ok.py",
        "tests/conftest.py",
    ]
    assert _all_gone(value) == "--- tests/test_bad.py\n# tests/test_bad.py\n\n(3 test files left out)"
    assert value.text() == plain(FILES)


@pytest.mark.parametrize(
    "failing",
    [
        {"id": "a.py::test", "traceback": 'File "tests/conftest.py", line 3'},
        {"id": "a.py::test", "location": "tests/conftest.py:3"},
    ],
)
def test_a_file_in_a_traceback_is_named(failing: dict[str, Any]) -> None:
    assert "# tests/conftest.py" in _all_gone(shown_tests(FILES, _report(failing)))


def test_when_no_file_is_named_all_stay() -> None:
    assert shown_tests(FILES, _report(error="the suite could not be collected")).goes == ()
    assert len(shown_tests(FILES, _report(error="tests/test_x.py does not parse")).goes) == 3


def test_the_newest_repair_and_reason_stay() -> None:
    tried = [("third: rejected", "-c"), ("second: rejected", ""), ("first: rejected", "-a")]
    value = history_text(tried)
    assert value.text() == "third: rejected\n-c\n\nsecond: rejected\n\nfirst: rejected\n-a"
    assert value.text(1) == "third: rejected\n-c\n\nsecond: rejected\n\nfirst: rejected\n(1 older diff left out)"
    assert _all_gone(value) == "third: rejected\n(2 older diffs, 2 older repairs left out)"
    assert _all_gone(feedback_text(["old", "older", "new"])) == "- new\n(2 older reasons left out)"
    assert (history_text([]).text(), feedback_text([]).text()) == ("(nothing yet)", "(nothing)")


def test_a_program_is_never_cut() -> None:
    text = "x = 1\n" * 20_000
    assert plain({"a.py": text}).count("x = 1") == numbered({"a.py": text}).count("x = 1") == 20_000


def test_values_that_a_prompt_does_not_show_are_not_told_as_left_out() -> None:
    prompt = load_prompt("spec_tester")
    values = {"spec": "Write f.", "feedback": "", "history": history_text([("b", "-b"), ("a", "-a")])}
    question = PromptRequest(prompt, "openai:tiny", values, ("history",), "0.0")
    assert question.fitted(Room(6000)).left_out == ()
    assert question.fitted(Room()).request.max_tokens == prompt.max_tokens
    with pytest.raises(
        ContextTooLong, match=r"takes about \d+ tokens and its reply 1,024 at least, .* context of 1,100"
    ):
        question.fitted(Room(1100))


def test_it_is_told_in_the_log_and_to_people() -> None:
    event = PromptShortened("repairer", 8192, ("3 older diffs", "1 older repair"))
    words = "history shortened to fit 8,192 tokens: without 3 older diffs, 1 older repair"
    assert words in log_line(event) and words in progress_line(event) and "repairer" in log_line(event)
