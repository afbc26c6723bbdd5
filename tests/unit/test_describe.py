"""Which evidence a prompt may do without: old repairs, old reasons, tests that no failing case names."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.cli.human import progress_line
from selfheal_tui.engine.dialogue.describe import (
    earlier_text,
    feedback_text,
    history_text,
    lessons_text,
    numbered,
    plain,
    report_text,
    shown_tests,
)
from selfheal_tui.engine.dialogue.prompt_request import PromptRequest
from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.moment.events import PromptShortened
from selfheal_tui.engine.moment.lessons import lesson_of
from selfheal_tui.engine.moment.state import Inquiry
from selfheal_tui.engine.workshop.prompt_room import Room, Shrinkable
from selfheal_tui.engine.workshop.role_context import tried_texts
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


def _case(**fields: Any) -> dict[str, Any]:
    return {"id": "t.py::test", "outcome": "failed", "expected": None, "actual": None, "output": "", **fields}


def test_each_fact_of_a_failing_case_stands_once() -> None:
    trace = "t.py:4 in test\n    assert f(1) == 2\nassert 3 == 2"
    case = _case(message="assert 3 == 2", expected="2", actual="3", location="t.py:4", traceback=trace)
    report = {**_report(case), "passed": 1}
    text = report_text(report, {})  # type: ignore[arg-type]
    assert text.splitlines()[1:] == [
        "--- t.py::test: failed",
        "expected: 2",
        "actual:   3",
        "t.py:4 in test",
        "    assert f(1) == 2",
    ]
    case = _case(message="KeyError: 'a'", location="p.py:9", traceback="t.py:4 in test\n    f()\nKeyError: 'a'")
    text = report_text({**_report(case), "passed": 1}, {})  # type: ignore[arg-type,typeddict-item]
    assert text.count("KeyError") == 1 and "at p.py:9" in text


def test_how_many_failing_cases_are_not_even_named_is_said() -> None:
    cases = [_case(id=f"t.py::test_{number}", message="", location=None, traceback="") for number in range(50)]
    text = report_text({**_report(*cases), "passed": 0}, {})  # type: ignore[arg-type,typeddict-item]
    assert "t.py::test_45 and 4 more" in text


def test_a_case_names_its_suite_where_several_are_meant() -> None:
    cases = [_case(id=f"{name}.py::test", message="", location=None, traceback="") for name in ("mine", "theirs")]
    both = report_text({**_report(*cases), "passed": 0}, {"theirs.py": "spec"})  # type: ignore[arg-type,typeddict-item]
    one = report_text({**_report(cases[1]), "passed": 0}, {"theirs.py": "spec"})  # type: ignore[arg-type,typeddict-item]
    assert "--- mine.py::test (suite yours): failed" in both and "--- theirs.py::test (suite spec): failed" in both
    assert "--- theirs.py::test: failed" in one and "Suite spec: written by a model" in one


def _repair(**fields: Any) -> Any:
    return {"summary": "Add one.", "strategy": "minimal", "by": "m", "changes": {}, "diff": "+1", **fields}


def _record(iteration: int, **fields: Any) -> Any:
    return {"iteration": iteration, "verdict": "approve", "by": "human", "note": "", **fields}


def test_a_repair_is_told_by_the_number_of_its_iteration_and_by_the_names_of_its_cases() -> None:
    names = [f"t.py::test_{number}" for number in range(12)]
    tried = [
        (_record(1, verdict="reject", by="policy", note="Worse."), _repair(fixes=[], breaks=names)),
        (_record(0), _repair(fixes=["t.py::test_a"], breaks=[])),
        (_record(0, verdict="edit", edit="-x\n+y"), _repair(strategy="human", summary="Edited.")),
    ]
    newest, first, edited = (words for words, _ in tried_texts(tried))
    assert newest.startswith("Iteration 2 (minimal), refused by the run's autonomy: Add one.\nReason: Worse.\n")
    assert "mended no case and broke t.py::test_0," in newest and "t.py::test_9 and 2 more." in newest
    assert first == "Iteration 1 (minimal), taken by the human: Add one.\nIt mended t.py::test_a and broke none."
    assert "mended" not in edited and "The human changed the proposal:\n-x\n+y" in edited


def test_a_lesson_of_a_repair_that_is_shown_is_not_told_again() -> None:
    record, repair = _record(0), _repair(fixes=["t.py::test_a"], breaks=[])
    state: Any = {"lessons": ["Mind the edges.", lesson_of(record, repair)]}
    assert lessons_text(state, [(record, repair)]).text() == "- Mind the edges."
    assert "Add one." in lessons_text(state).text()


def _inquiry(iteration: int, program: str, cause: str, *looks: str) -> Inquiry:
    return {
        "iteration": iteration, "program": program, "fault": "code", "cause": cause, "confidence": 0.9, "by": "m",
        "looks": [{"action": look, "showed": f"{look} result"} for look in looks],
    }  # fmt: skip


def test_earlier_diagnoses_are_told_once_and_what_was_looked_at_goes_first() -> None:
    inquiries = [
        _inquiry(0, "p0", "It adds.", "localise", "run a"),
        _inquiry(0, "p0", "It adds.", "localise", "run b"),
        _inquiry(1, "p1", "It is cut.", "run a"),
    ]
    value = earlier_text(inquiries, "p1")
    assert value.text().splitlines() == [
        "Of the program of iteration 1, the one above (fault: code, confidence 0.9): It is cut.",
        "- looked: run a -> run a result",
        "Of the program of iteration 0 (fault: code, confidence 0.9): It adds.",
        "- looked: localise -> localise result",
        "- looked: run b -> run b result",
        "- looked: run a -> run a result",
    ]
    assert "looked" not in value.text(3).partition("(")[0] and "It adds." in value.text(3)
    assert _all_gone(value) == "(3 earlier look lists, 2 earlier explanations left out)"
    assert earlier_text([], "p1").text() == "(none)"


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
