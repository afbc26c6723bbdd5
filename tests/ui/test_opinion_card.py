"""What a model says stands beside the question's options in sight, and no key takes it for the answer."""

from __future__ import annotations

import re
from typing import Any

import pytest

from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import FakeSession
from tests.ui.running import SIZES, running
from tests.ui.test_candidate_list import five, painted
from tests.wire.rig import until

QUESTION: dict[str, Any] = {
    "call": "overlap((0, 1), (2, 3))",
    "answers": [{"text": "False", "repairs": 3, "share": 0.7}, {"text": "True", "repairs": 2, "share": 0.3}],
}


def session(**opinion: Any) -> FakeSession:
    """Return a session whose repairs disagree, with what a model says of it."""
    said = {"text": "True", "agree": 3, "asked": 3, "by": "a:b", **opinion}
    asked = five()
    asked.moment_changes = {"question": {**QUESTION, "opinion": said}}
    return asked


@SIZES
async def test_the_opinion_is_seen_beside_the_options(size: tuple[int, int]) -> None:
    async with running(session(), size=size) as run:
        await run.press("a")
        assert isinstance(run.screen.side.card, RepairCard)
        said = " ".join(run.side_text().split())
        assert "they disagree: overlap((0, 1), (2, 3)) is a: False (3 repairs) · b: True (2 repairs)." in said
        assert "the model says True (3 of 3); w says which is right" in said
        await run.press("w")
        shown = " ".join(re.sub("[│▁-█]", " ", painted(run)).split())
        assert "b: True (2 repairs) · ?: I do not know · the model says True (3 of 3)" in shown


async def test_a_person_answers_as_without_a_model() -> None:
    played = session(agree=2)
    async with running(played) as run:
        await run.press("a", "w")
        await run.press("a")
        await until(lambda: len(played.decisions) == 2, 10.0)
        await run.settle()
        _, decided = played.decisions[-1]
        assert decided["value"] == {"answer": "False"}, "the first option, which the model does not hold"


async def test_a_value_that_begins_with_an_offered_letter_is_typed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InlinePrompt, "AT_ONCE_S", 3600.0)
    played = session()
    async with running(played) as run:
        await run.press("a", "w", *"bool(0)", "enter")
        assert played.decisions[-1][1]["value"] == {"answer": "bool(0)"}


async def test_of_another_call_what_it_should_give_can_be_said_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InlinePrompt, "AT_ONCE_S", 3600.0)
    played = session()
    async with running(played) as run:
        await run.press("a", "w", *"overlap((0, 1), (1, 2)) should be True", "enter")
        assert len(played.decisions) == 1
        assert played.fork_changes[-1] == {"wrong": "overlap((0, 1), (1, 2)) should be True"}


async def test_no_opinion_is_said_as_that() -> None:
    async with running(session(text="", agree=0)) as run:
        await run.press("a")
        assert "the model has no opinion (asked 3 times); w says" in run.side_text()


async def test_an_old_question_is_answered_again_by_its_letter_and_nothing_else_is_said_in_the_past() -> None:
    played = session()
    async with running(played) as run:
        await run.press("a", "a")
        decided = len(played.decisions)
        while run.screen.model.question is None:
            await run.press("left_square_bracket")
        assert run.screen.model.past is not None
        await run.press("w", "b")
        await until(lambda: len(played.decisions) > decided, 10.0)
        assert played.decisions[-1][1]["value"] == {"answer": "True"}
