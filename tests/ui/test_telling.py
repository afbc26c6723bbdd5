"""At an end where nothing was to heal the user says what is right in one key, or what is wrong in a sentence."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import Input

from selfheal_tui.engine.moment.state import Question
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from tests.ui.fakes import FakeSession
from tests.ui.running import Run, running
from tests.wire.rig import until

QUESTION: Question = {
    "call": "fee(8)",
    "answers": [{"text": "9", "repairs": 3, "share": 0.9}, {"text": "b'x'", "repairs": 1, "share": 0.1}],
    "now": "9",
}


async def end(run: Run, question: Question | None) -> None:
    """Let the run have ended with nothing to heal."""
    model = run.screen.model
    assert model.committed is not None
    ended = replace(model.committed, outcome="nothing_to_heal", reason="All pass.", question=question, pending=None)
    run.screen.show(replace(model, committed=ended, review=None, outcome="nothing_to_heal"))
    await run.settle()


async def test_a_letter_answers_at_once_and_a_question_mark_says_that_it_is_not_known() -> None:
    session = FakeSession("s1")
    async with running(session) as run:
        for key, answer in (("a", "9"), ("question_mark", "?")):
            await end(run, QUESTION)
            assert "no test says what fee(8) gives" in run.side_text()
            await run.press("w", key)
            await until(lambda given=answer: session.fork_changes and given in str(session.fork_changes[-1]), 10.0)
            await run.settle()
            assert session.fork_changes[-1] == {"wrong": {"call": "fee(8)", "answer": answer}}
        await end(run, QUESTION)
        await run.press("w", "b")
        assert len(session.fork_changes) == 2 and run.screen.query_one(InlinePrompt).is_open, "b may begin a value"
        await run.press("enter")
        assert session.fork_changes[-1] == {"wrong": {"call": "fee(8)", "answer": "b'x'"}}


async def test_where_nothing_is_asked_a_sentence_says_what_is_wrong() -> None:
    session = FakeSession("s1")
    async with running(session) as run:
        await end(run, None)
        assert "w says what a call should give" in run.side_text()
        await run.press("w", *"fee(3) == 5", "enter")
        assert session.fork_changes == [{"wrong": "fee(3) == 5"}]


async def test_a_letter_answers_in_the_place_of_what_was_left_in_the_line() -> None:
    session = FakeSession("s1")
    async with running(session) as run:
        await end(run, QUESTION)
        await run.press("w", *"no", "escape")
        await run.press("w")
        assert run.screen.query_one(InlinePrompt).query_one(Input).selected_text == "no"
        await run.press("a")
        await until(lambda: bool(session.fork_changes), 10.0)
        assert session.fork_changes == [{"wrong": {"call": "fee(8)", "answer": "9"}}]
