"""What `decide` may return, as the engine takes it."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui import approve, edit, reject, stop
from selfheal_tui.api.answers import answer_to
from selfheal_tui.api.review import build_question
from selfheal_tui.errors import InputError
from tests.ui.fakes import CANDIDATES, DIAGNOSIS, snapshot

AT = snapshot("c1", "rank", candidates=CANDIDATES, diagnosis=DIAGNOSIS)


def test_answers_are_those_of_the_engine() -> None:
    assert answer_to("repair", AT, None) is None
    assert answer_to("repair", AT, "approve") == {"verdict": "approve"}
    assert answer_to("repair", AT, approve(2)) == {"verdict": "approve", "value": None, "pick": "2", "note": ""}
    rejected = answer_to("repair", AT, reject("no", avoid=["data"]))
    assert rejected is not None and (rejected["note"], rejected["avoid"]) == ("no", ["data"])
    assert answer_to("budget", AT, reject()) is not None, "needs no reason"
    assert answer_to("end", AT, stop("enough")) is not None


@pytest.mark.parametrize(
    ("kind", "value", "whole"),
    [
        ("repair", {"a.py": "x"}, {"changes": {"a.py": "x"}}),
        ("repair", {"changes": {"a.py": "x"}}, {"changes": {"a.py": "x"}}),
        ("repair", {"hunks": [1]}, {"hunks": [1]}),
        ("repair", {"answer": "3"}, {"answer": "3"}),
        ("code", {"a.py": "x"}, {"changes": {"a.py": "x"}}),
        ("budget", {"max_tokens": 9}, {"max_tokens": 9}),
    ],
)
def test_an_edit_gets_the_form_of_its_kind(kind: Any, value: dict[str, Any], whole: dict[str, Any]) -> None:
    answer = answer_to(kind, AT, edit(value))
    assert answer is not None and answer["value"] == whole


def test_an_edit_of_a_diagnosis_changes_only_what_it_names() -> None:
    answer = answer_to("diagnosis", AT, edit({"cause": "Mine."}))
    assert answer is not None and answer["value"] == {**DIAGNOSIS, "cause": "Mine."}


@pytest.mark.parametrize(
    "wrong", [True, "yes", "edit", "reject", 3, {}, edit({}), reject(" "), {"pick": "1"}], ids=repr
)
def test_what_is_no_answer_says_what_to_return(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"Return "):
        answer_to("repair", AT, wrong)


def test_a_question_shows_itself_in_few_lines() -> None:
    review = build_question(AT, "repair", "s1")
    assert repr(review).startswith("<Review repair: ") and len(repr(review)) < 200
    assert [one.label for one in review.candidates] == [*AT.candidates]
    assert review.candidates[0].changes == CANDIDATES["a"]["changes"]
    assert "<pre>" in review._repr_html_() and "<Candidate a: " in repr(review.candidates[0])
