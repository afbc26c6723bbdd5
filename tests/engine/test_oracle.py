"""A model as oracle: asked what a call should give on which good repairs disagree; a human answers as before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from selfheal_tui.cli.human import result_text
from selfheal_tui.cli.result import build_result
from selfheal_tui.engine.loop.nodes.common import role_context
from selfheal_tui.engine.loop.nodes.opinions import with_opinion
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished, Event, Noticed, ReviewRequested
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Question, RivalAnswer, Spent, default_policy
from selfheal_tui.engine.out.export.forms import exported
from selfheal_tui.engine.out.tell import tell_story
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.engine.task.task import Task
from selfheal_tui.llm.base import Completion, Request, TextDelta
from selfheal_tui.llm.scripted import ScriptedProvider
from selfheal_tui.settings import default_settings
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import WireServer

from .driving import USAGE, drain, script, to_end
from .moments import open_moment
from .test_questions import fee_task, green_task
from .test_transfer import hand_on

AREA = Task(
    "fix",
    "geo",
    {
        "geo.py": 'def area(w, h):\n    """Return the area."""\n    return w - h\n',
        "test_geo.py": "from geo import area\n\n\ndef test():\n    assert area(2, 2) == 4\n",
    },
    ("geo.py",),
    ("test_geo.py",),
)


def reply(answer: str) -> dict[str, Any]:
    return {"role": "oracle", "reply": {"thought": "", "answer": answer}, "usage": USAGE}


def asking(model: str, autonomy: Any = "review_repairs", limits: Any = None, **policy: Any) -> RunOptions:
    """Return options of a run without a model but for the oracle."""
    models = {"*": "search", "oracle": model}
    return RunOptions(autonomy, models, {**default_limits(), **(limits or {})}, {**default_policy(), **policy})


class InOrder(ScriptedProvider):
    """Gives the oracle's answers in this order, whatever the prompt."""

    def __init__(self, answers: Sequence[str]) -> None:
        super().__init__([])
        self._answers = iter(answers)

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        answer = next(self._answers, None)
        self._entries = [reply(answer) if answer else {"role": "oracle", "error": "worn out"}]
        async for part in super().stream(request):
            yield part


class OnceOnly(InOrder):
    """Answers one call; the next one hangs."""

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        if self._entries:
            await asyncio.Event().wait()
        async for part in super().stream(request):
            yield part


def oracle_calls(events: Sequence[Event]) -> list[CallFinished]:
    return [event for event in events if isinstance(event, CallFinished) and event.role == "oracle"]


async def to_question(session: Session) -> tuple[ReviewRequested, list[Event]]:
    """Run to the repair's question; return it and all events."""
    events = await drain(session.resume())
    asked = events[-1]
    assert isinstance(asked, ReviewRequested) and asked.kind == "diagnosis"
    events += await drain(session.decide(asked.checkpoint_id, review.approve()))
    asked = events[-1]
    assert isinstance(asked, ReviewRequested) and asked.kind == "repair"
    return asked, events


async def test_a_model_is_asked_within_the_bill_and_sees_no_code(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply("16"))
    session_id = await workbench.create(fee_task(), asking(model))
    async with workbench.open_session(session_id) as session:
        asked, events = await to_question(session)
        question = asked.snapshot.question
        assert question is not None
        assert question["opinion"] == {"text": "16", "agree": 3, "asked": 3, "by": model}
        assert asked.snapshot.answers == () and not asked.snapshot.origins, "it is no case and no answer"
        assert [call.replayed for call in oracle_calls(events)] == [False] * 3
        spent = asked.snapshot.spent
        assert (spent["calls"], spent["input_tokens"]) == (3, 30) and spent["cost_usd"] == pytest.approx(0.03)
        assert any(isinstance(event, Noticed) and "Asking the oracle 3 times" in event.text for event in events)
        prompts = [call["prompt"] for call in await session.calls()]
        assert len(prompts) == 3
        for prompt in prompts:
            assert question["call"] in prompt and "assert fee(2) == 4" in prompt
            assert "Return the fee for so many days." in prompt and "return days" not in prompt
        result = build_result(asked.snapshot, session_id, review=asked.kind)
        assert result["review"]["evidence"]["question"]["opinion"]["text"] == "16"
        assert "the model says 16 (3 of 3); it decides nothing" in result_text(result, default_settings({}))
        story = await tell_story(session, "main")
        assert "The model says 16 (3 of 3)." in exported(story, "markdown", {}, "")
        assert "oracle" in exported(story, "prompts", {}, "")


async def asked_again(session: Session) -> tuple[Snapshot, list[bool]]:
    """Fork before the repair's question with nothing changed; return the question's moment, and which replayed."""
    diagnosed = next(c.id for c in await session.timeline() if c.node == "diagnose")
    last = (await drain(session.fork(diagnosed, {})))[-1]
    assert isinstance(last, ReviewRequested)
    last = (events := await drain(session.decide(last.checkpoint_id, review.approve())))[-1]
    assert isinstance(last, ReviewRequested)
    return last.snapshot, [call.replayed for call in oracle_calls(events)]


@pytest.mark.deep
async def test_what_was_paid_is_not_paid_again_in_a_fork_in_the_past_or_elsewhere(
    workbench: Workbench, tmp_path: Path
) -> None:
    path, file = tmp_path / "m.yaml", tmp_path / "s.selfheal"
    model = script(path, reply("16"))
    session_id = await workbench.create(fee_task(), asking(model))
    async with workbench.open_session(session_id) as session:
        asked, _ = await to_question(session)
    script(path, {"role": "oracle", "error": "must not be asked"})
    hand_on(workbench.store.folder(session_id), file)
    strict = Workbench(tmp_path / "elsewhere", replay_only=True)
    await read_session(strict.store, file)
    try:
        for bench in (workbench, strict):
            async with bench.open_session(session_id) as session:
                now, replayed = await asked_again(session)
                at = await session.snapshot(asked.checkpoint_id)
            assert now.question == asked.snapshot.question == at.question and replayed == [True] * 3
            assert (now.spent["calls"], now.spent["replayed_calls"]) == (0, 3)
    finally:
        await strict.aclose()


async def test_a_crash_between_the_calls_loses_nothing_paid(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    model = script(path, reply("16"))
    session_id = await workbench.create(fee_task(), asking(model))
    async with workbench.open_session(session_id) as session:
        session._deps.providers[model] = OnceOnly(["16"])
        first = (await drain(session.resume()))[-1]
        assert isinstance(first, ReviewRequested)
        async with aclosing(session.decide(first.checkpoint_id, review.approve())) as events:
            async for event in events:
                if isinstance(event, CallFinished):
                    break
    async with workbench.open_session(session_id) as session:
        events_after = await drain(session.resume())
        last = events_after[-1]
        paid = len(await session.calls())
    assert isinstance(last, ReviewRequested) and last.snapshot.question is not None
    assert last.snapshot.question["opinion"]["agree"] == 3
    assert [call.replayed for call in oracle_calls(events_after)] == [True, False, False]
    assert paid == 3 and last.snapshot.spent["calls"] == 3
    assert last.snapshot.spent["cost_usd"] == pytest.approx(0.03)


async def asked_alone(
    workbench: Workbench, given: RunOptions, provider: ScriptedProvider | None = None
) -> tuple[Question, Spent, list[str]]:
    """Ask about a question without a search; return it with the opinion, the bill and what was noticed."""
    async with open_moment(workbench, fee_task(), given) as moment:
        if provider is not None:
            moment.deps.providers[given.models["oracle"]] = provider
        runtime: Any = Runtime(context=moment.deps, stream_writer=moment.events.append)
        answers: list[RivalAnswer] = [{"text": text, "repairs": 1, "share": 0.5} for text in ("16", "9")]
        question, spent = await with_opinion(
            await role_context(moment.state, runtime), {"call": "fee(8)", "answers": answers}
        )
        return question, spent, moment.notices


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-5-5", "openai:gpt-5", "ollama:tiny"])
async def test_every_vendor_is_sent_the_same_bytes_each_time_so_that_its_cache_pays(
    model: str, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean(monkeypatch)
    answers = Script.of({"role": "oracle", "reply": reply("9")["reply"]}, caches=True)
    async with WireServer(answers) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        question, spent, _ = await asked_alone(workbench, asking(model))
    assert question["opinion"] == {"text": "9", "agree": 3, "asked": 3, "by": model} and spent["calls"] == 3
    assert [chat.role for chat in server.chats] == ["oracle"] * 3
    assert len({str(chat.body) for chat in server.chats}) == 1


@pytest.mark.parametrize(
    ("answers", "text", "agree"),
    [(["16", "9", "16"], "16", 2), (["16", "9", "10"], "", 0), (["it depends"] * 3, "", 0), (["?"] * 3, "", 0)],
)
async def test_answers_that_differ_or_are_no_value_are_no_opinion(
    workbench: Workbench, tmp_path: Path, answers: list[str], text: str, agree: int
) -> None:
    given = asking(script(tmp_path / "m.yaml", reply("-")))
    question, spent, _ = await asked_alone(workbench, given, InOrder(answers))
    assert (question["opinion"]["text"], question["opinion"]["agree"], spent["calls"]) == (text, agree, 3)


@pytest.mark.parametrize(
    ("entry", "limits", "policy", "notice"),
    [
        ({"role": "oracle", "error": "overloaded"}, {}, {}, "The oracle is left out: The scripted model failed"),
        (reply("16"), {"max_calls": 2}, {}, "The oracle was not asked. What is left of the budget of 2 calls"),
        (reply("16"), {}, {"oracle_calls": 0}, ""),
    ],
)
async def test_without_a_reply_the_question_is_asked_as_ever(
    workbench: Workbench, tmp_path: Path, entry: Any, limits: Any, policy: Any, notice: str
) -> None:
    given = asking(script(tmp_path / "m.yaml", entry), limits=limits, **policy)
    question, spent, notices = await asked_alone(workbench, given)
    assert "opinion" not in question and spent["calls"] == 0
    assert any(one.startswith(notice) for one in notices) if notice else not notices


async def test_replies_that_cannot_be_read_are_paid_and_say_nothing(workbench: Workbench, tmp_path: Path) -> None:
    given = asking(script(tmp_path / "m.yaml", {"role": "oracle", "reply": "Hm.", "usage": USAGE}), oracle_calls=1)
    question, spent, notices = await asked_alone(workbench, given)
    assert not question["opinion"]["text"] and spent["calls"] == 2, "each is asked for once more"
    assert notices[-1].startswith("The oracle said nothing: ")


async def test_an_opinion_that_was_cut_short_counts_only_where_it_is_most_of_all(
    workbench: Workbench, tmp_path: Path
) -> None:
    given = asking(script(tmp_path / "m.yaml", reply("-")))
    question, spent, _ = await asked_alone(workbench, given, InOrder(["16"]))
    assert "opinion" not in question and spent["calls"] == 1
    question, spent, _ = await asked_alone(workbench, given, InOrder(["16", "16"]))
    assert question["opinion"]["agree"] == 2 and question["opinion"]["asked"] == 3 and spent["calls"] == 2


async def test_the_budget_keeps_a_call_for_each_model_that_heals(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply("16"))
    both = {"debugger": model, "repairer": model}
    for roles, most, is_asked in (({}, 3, False), ({}, 4, True), (both, 4, False), (both, 5, True)):
        given = asking(model, limits={"max_calls": most})
        question, *_ = await asked_alone(workbench, replace(given, models={**given.models, **roles}))
        assert ("opinion" in question) == is_asked, (roles, most)


async def test_a_run_without_a_model_and_a_session_of_before_ask_none(workbench: Workbench, tmp_path: Path) -> None:
    given = asking(script(tmp_path / "m.yaml", reply("16")))
    before = {name: value for name, value in given.policy.items() if name != "oracle_calls"}
    for one in (asking("search"), replace(given, policy=before)):  # type: ignore[arg-type]
        question, spent, notices = await asked_alone(workbench, one)
        assert "opinion" not in question and not spent["calls"] and not notices


async def test_nothing_is_taken_unseen_that_a_model_says_is_wrong_each_time(
    workbench: Workbench, tmp_path: Path
) -> None:
    model = script(tmp_path / "m.yaml", reply("'an area'"))
    session_id = await workbench.create(AREA, asking(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
        assert ended.outcome == "gave_up" and ended.program["geo.py"] == AREA.files["geo.py"]
        assert "the model says 'an area' (3 of 3); with this repair it gives" in ended.reason
        question = next(c.id for c in reversed([*await session.timeline()]) if c.node == "rank")
        taken = (await to_end(session.decide(question, review.approve()))).snapshot
    assert taken.outcome == "healed", "a person takes it all the same"


async def test_a_model_that_agrees_or_wavers_stands_in_no_way(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply("-"))
    session_id = await workbench.create(AREA, asking(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        session._deps.providers[model] = InOrder(["'x'", "'x'", "'y'"])
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "healed" and ended.unsettled is not None
    assert ended.unsettled["opinion"]["agree"] == 2
    assert ended.reason.endswith("The model says 'x' (2 of 3).")


@pytest.mark.deep
async def test_the_end_has_an_opinion_on_what_no_case_says(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply("'something'"))
    session_id = await workbench.create(green_task(), asking(model, "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = (await drain(session.resume()))[-1]
        assert isinstance(asked, ReviewRequested) and asked.kind == "end" and asked.snapshot.question is not None
        assert asked.snapshot.question["opinion"]["agree"] == 3 and asked.snapshot.spent["calls"] == 3
        ended = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
    assert "The model says 'something' (3 of 3)." in ended.reason
    unasked = await workbench.create(green_task(), asking(model, "review_repairs"))
    async with workbench.open_session(unasked) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.question is not None and ended.spent["calls"] == 0, "nothing is paid for what nobody decides on"
