"""Why a strategy gave no repair: as data now, as one text in earlier sessions."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.failures import Failure, failure_text, read_failures


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("Nothing is left to try. The search found no repair.", {"why": "The search found no repair.", "final": True}),
        ("The reply fits no form.", {"why": "The reply fits no form.", "final": False}),
    ],
)
def test_sessions_from_before_say_the_same(text: str, failure: Failure) -> None:
    assert read_failures({"search": text}) == read_failures({"search": failure}) == {"search": failure}
    assert failure_text(failure) == text


def test_a_model_cannot_end_the_run_by_its_words() -> None:
    failure: Failure = {"why": "Nothing is left to try. Give up.", "final": False}
    assert read_failures({"minimal": failure})["minimal"]["final"] is False


def test_a_round_without_failures_has_none() -> None:
    assert read_failures(None) == {}
