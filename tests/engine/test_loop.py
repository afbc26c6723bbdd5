"""The full loop, each route of the graph: strategies, repetition, doubt, rules, the kinds of review, the ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import (
    CallFinished,
    Event,
    Noticed,
    ReviewRequested,
    StrategyEnded,
    TokenStreamed,
)
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.errors import InputError, ProviderError

from .driving import (
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_failure,
    to_repair,
    to_review,
)

HALF = BUGGY.replace("amount + discount", "amount - 3 if discount else 1")
WORSE = BUGGY.replace("amount + discount", "amount - discount - 1")
MINIMAL, REWRITE, DEFENSIVE = "smallest change", "Write the faulty function anew", "what else would fail"
"""What only the prompt of each strategy holds."""


def with_policy(given: RunOptions, **policy: Any) -> RunOptions:
    return replace(given, policy={**default_policy(), "near_miss_s": 0.0, **policy})  # type: ignore[typeddict-item]


def repairs(*replies: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Script entries: a diagnosis, and the repairer's answer to each strategy."""
    return [
        {"role": "debugger", "reply": DIAGNOSIS},
        *({"role": "repairer", "when": when, **what} for when, what in replies),
    ]


async def test_strategies_compete_and_the_tournament_ranks_them(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        *repairs(
            (MINIMAL, {"reply": repair_reply(WORSE, "One less.")}),
            (REWRITE, {"reply": repair_reply("# anew\n" + FIXED, "Anew.")}),
            (DEFENSIVE, {"reply": repair_reply(FIXED, "Subtract.")}),
        ),
    )
    given = with_policy(options(model), strategies=["minimal", "rewrite", "defensive"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        found = await to_review(session.resume())
        told = await drain(session.decide(found.checkpoint_id, review.approve()))
        asked = told[-1]
        assert isinstance(asked, ReviewRequested)
        said = {event.by for event in told if isinstance(event, TokenStreamed | CallFinished)}
        assert said == {"minimal", "rewrite", "defensive"}, "what they say at once can be told apart"
        ranked = list(asked.snapshot.candidates.values())
        # A comment is no difference: the rewrite is the defensive one's program.
        assert [r["strategy"] for r in ranked] == ["defensive", "minimal"]
        assert ranked[0]["reasons"][0] == "every case passes" and ranked[1]["breaks"]
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve(pick="1")))
    assert ended.snapshot.outcome == "healed" and ended.snapshot.program["shop.py"] == FIXED
    assert ended.snapshot.spent["calls"] == 4


@pytest.mark.parametrize("pick", ["1", "2"])
async def test_any_candidate_can_be_picked(workbench: Workbench, tmp_path: Path, pick: str) -> None:
    model = script(
        tmp_path / "m.yaml",
        *repairs(
            (MINIMAL, {"reply": repair_reply(WORSE, "One less.")}), (REWRITE, {"reply": repair_reply(FIXED, "Anew.")})
        ),
    )
    session_id = await workbench.create(
        shop_task(), with_policy(options(model), strategies=["minimal", "rewrite"], critic="off")
    )
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        last = (await drain(session.decide(asked.checkpoint_id, review.approve(pick=pick))))[-1]
    assert last.snapshot.program["shop.py"] == (FIXED if pick == "1" else WORSE)  # type: ignore[union-attr]


async def test_two_of_three_strategies_crash(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        *repairs(
            (MINIMAL, {"error": "overloaded"}),
            (REWRITE, {"reply": "no JSON at all"}),
            (DEFENSIVE, {"reply": repair_reply(FIXED)}),
        ),
    )
    given = with_policy(options(model), strategies=["minimal", "rewrite", "defensive"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        diagnosed = await to_review(session.resume())
        events = await drain(session.decide(diagnosed.checkpoint_id, review.approve()))
        asked = events[-1]
        assert isinstance(asked, type(diagnosed)) and asked.kind == "repair"
        ended = {e.strategy: e.why for e in events if isinstance(e, StrategyEnded)}
        assert "overloaded" in ended["minimal"] and "could not be read" in ended["rewrite"]
        assert dict(asked.snapshot.failures) == ended
        assert [r["strategy"] for r in asked.snapshot.candidates.values()] == ["defensive"]


async def test_all_strategies_crash_and_only_the_last_is_asked_again(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    model = script(path, *repairs((MINIMAL, {"error": "overloaded"}), (REWRITE, {"error": "overloaded"})))
    session_id = await workbench.create(
        shop_task(), with_policy(options(model, "full_auto"), strategies=["minimal", "rewrite"])
    )
    async with workbench.open_session(session_id) as session:
        failed = await to_failure(session.resume())
        assert isinstance(failed.error, ProviderError) and "overloaded" in failed.error.message
    script(path, *repairs((MINIMAL, {"reply": repair_reply(FIXED)}), (REWRITE, {"reply": repair_reply(FIXED)})))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    calls = [e.role for e in events if isinstance(e, CallFinished)]
    assert calls.count("repairer") == 1 and events[-1].snapshot.outcome == "healed"  # type: ignore[union-attr]


async def test_a_sibling_that_crashes_costs_no_second_payment(workbench: Workbench, tmp_path: Path) -> None:
    """Finished siblings are not asked again on resume, and nothing of an earlier round is judged again."""
    model = script(
        tmp_path / "m.yaml",
        *repairs((MINIMAL, {"error": "overloaded"}), (REWRITE, {"reply": repair_reply(WORSE, "One less.")})),
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model), strategies=["minimal", "rewrite"]))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        spent = asked.snapshot.spent["calls"]
        again = (await drain(session.decide(asked.checkpoint_id, review.reject("off by one"))))[-1]
    assert spent == 2
    # The same program again: left out, so nothing is there to review and the diagnosis is asked for.
    assert not again.snapshot.candidates and "tried before" in again.snapshot.repeated  # type: ignore[union-attr]


async def test_repetition_changes_the_strategy_and_then_pauses(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(WORSE, "One less.")},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        again = await to_repair(session, session.decide(asked.checkpoint_id, review.reject("not this")))
        assert again.kind == "stalled" and "One less. (iteration 1 on this branch)" in again.snapshot.repeated
        ended = await to_end(session.decide(again.checkpoint_id, review.reject("")))
        assert (ended.snapshot.outcome, ended.snapshot.reason) == ("stalled", again.snapshot.repeated)
        on = await to_review(session.decide(again.checkpoint_id, review.approve()))
        assert on.kind == "diagnosis" and not on.snapshot.repeated
        with pytest.raises(InputError, match="nothing to edit"):
            await drain(session.decide(again.checkpoint_id, review.edit({})))


async def test_repetition_in_full_autonomy_ends_as_stalled(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(WORSE, "One less.")},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model, "full_auto")))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "stalled" and "tried before" in ended.snapshot.reason


async def test_a_doubtful_diagnosis_leads_to_a_blind_retry(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": {**DIAGNOSIS, "confidence": 0.1}},
        {"role": "repairer", "when": "none that is certain enough", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.snapshot.candidates["1"]["strategy"] == "blind retry"
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("healed", 1)


async def test_an_edited_diagnosis_is_gone_by_however_doubtful(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": {**DIAGNOSIS, "confidence": 0.1}},
        {"role": "repairer", "when": "sign of the discount", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        own = {**DIAGNOSIS, "cause": "The sign of the discount.", "confidence": 0.1}
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit(own)))
    assert asked.kind == "repair" and asked.snapshot.candidates["1"]["strategy"] == "minimal"


TWO_BUGS = """def low(x):
    return x + 1


def high(x):
    return x - 1
"""
TWO_TESTS = """from two import low, high


def test_low():
    assert low(2) == 1


def test_high():
    assert high(2) == 3
"""


async def test_a_rule_from_an_approval_decides_the_next(workbench: Workbench, tmp_path: Path) -> None:
    first = TWO_BUGS.replace("x + 1", "x - 1")
    both = first.replace("def high(x):\n    return x - 1", "def high(x):\n    return x + 1")
    reply = {"summary": "One.", "files": [{"path": "two.py", "text": first}]}
    diagnosis = {**DIAGNOSIS, "evidence": [{"file": "two.py", "line": 2, "why": "sign"}]}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": diagnosis},
        {"role": "repairer", "when": "1 passed", "reply": {**reply, "files": [{"path": "two.py", "text": both}]}},
        {"role": "repairer", "reply": reply},
    )
    task = Task("fix", "two", {"two.py": TWO_BUGS, "test_two.py": TWO_TESTS}, ("two.py",), ("test_two.py",))
    session_id = await workbench.create(task, with_policy(options(model), critic="off"))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        answer: review.Answer = {**review.approve(), "rule_lines": 3}
        diagnosed = await to_review(session.decide(asked.checkpoint_id, answer))
        assert diagnosed.snapshot.rules == ({"name": "rule 1", "max_lines": 3},)
        ended = await to_end(session.decide(diagnosed.checkpoint_id, review.approve()))
        decided = [c.decision for c in await session.timeline() if c.decision and c.node == "review_repair"]
        assert ended.snapshot.outcome == "healed" and decided[-1] is not None and decided[-1]["by"] == "rule 1"
        events = await drain(session.fork(diagnosed.checkpoint_id, {"revoke": "rule 1"}, run=False))
        assert not events[-1].snapshot.rules  # type: ignore[union-attr]
        with pytest.raises(InputError, match="There is no 'rule 9' here"):
            await drain(session.fork(diagnosed.checkpoint_id, {"revoke": "rule 9"}))


SPEC = "Write total(prices, discount): the sum of the prices less the discount.\n\n>>> total([5, 5], 3)\n7\n"


async def test_everything_is_reviewed_when_asked_for(workbench: Workbench, tmp_path: Path) -> None:
    tests = "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n"
    more = "\n\ndef test_one():\n    assert total([4], 0) == 4\n"
    hostile = "from solution import total\n\n\ndef test_empty():\n    assert total([], 0) == 0\n"
    model = script(
        tmp_path / "m.yaml",
        {
            "role": "spec_tester",
            "when": "more cases",
            "reply": {"tests": tests + more},
        },
        {"role": "spec_tester", "reply": {"tests": tests}},
        {"role": "generator", "reply": {"code": FIXED}},
        {"role": "adversary", "reply": {"tests": hostile}},
        {"role": "critic", "reply": {"verdict": "approve", "summary": "Fine.", "test": "", "basis": "", "untried": []}},
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}},
    )
    task = Task("spec", "total", {}, (), (), spec=SPEC)
    session_id = await workbench.create(task, with_policy(options(model, "review_all")))
    kinds = []
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.kind == "tests" and asked.snapshot.written == "spec"
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("write more cases")))
        assert asked.kind == "tests"
        while asked.kind != "end":
            kinds.append((asked.kind, asked.snapshot.written if asked.kind == "tests" else ""))
            asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        assert kinds == [("tests", "spec"), ("code", ""), ("tests", "adversarial")]
        assert ended.snapshot.outcome == "healed"
        files = {case["id"].split("::")[0] for case in ended.snapshot.report["cases"]}  # type: ignore[index]
        assert len(files) == 3, files
        again = await to_review(session.decide(asked.checkpoint_id, review.reject("negative discounts?")))
        assert again.kind == "diagnosis" and "negative discounts?" in again.snapshot.feedback


async def test_an_unhealed_end_keeps_the_best_program(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(WORSE, "One less.")},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        diagnosed = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert diagnosed.snapshot.program["shop.py"] == WORSE
        ended = await to_end(session.decide(diagnosed.checkpoint_id, review.stop()))
    assert ended.snapshot.outcome == "stopped" and ended.snapshot.program["shop.py"] == BUGGY
    assert "Kept" in ended.snapshot.reason


@pytest.mark.deep
async def test_a_near_miss_is_completed_by_search(workbench: Workbench, tmp_path: Path) -> None:
    near = TWO_BUGS.replace("x + 1", "x - 1")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}},
        {"role": "repairer", "reply": {"summary": "Half.", "files": [{"path": "two.py", "text": near}]}},
    )
    task = Task("fix", "two", {"two.py": TWO_BUGS, "test_two.py": TWO_TESTS}, ("two.py",), ("test_two.py",))
    session_id = await workbench.create(task, with_policy(options(model), near_miss_s=20.0))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
    first = asked.snapshot.candidates["1"]
    assert first["strategy"] == "minimal + search" and first["report"]["verdict"] == "passed"


async def test_a_models_repair_is_minimised_beside_the_whole(workbench: Workbench, tmp_path: Path) -> None:
    noisy = FIXED.replace("amount = 0", "amount = int(0)")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": "shop.py:6  return amount + discount", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(noisy, "Off by one.")},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
    least, whole = (asked.snapshot.candidates[label] for label in ("1", "2"))
    assert (least["changes"], whole["changes"]) == ({"shop.py": FIXED}, {"shop.py": noisy})
    assert "1 of the 2 changes of" in least["summary"] and least["report"]["verdict"] == "passed"


async def test_lessons_hold_reasons_and_edits(workbench: Workbench, tmp_path: Path) -> None:
    seen: list[Event] = []
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "refused by the human", "reply": repair_reply(HALF, "Half of it.")},
        {"role": "repairer", "reply": repair_reply(WORSE, "One less.")},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model), critic="off"))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.reject("never less one")))
        assert asked.snapshot.candidates["1"]["summary"] == "Half of it."
        seen = await drain(session.decide(asked.checkpoint_id, review.edit({"changes": {"shop.py": FIXED}})))
    lessons = seen[-1].snapshot.lessons  # type: ignore[union-attr]
    assert "never less one" in lessons[0] and "-    return amount - 3" in lessons[1]
    assert not [e for e in seen if isinstance(e, Noticed)]
    offered = workbench.lessons.all()
    assert len(offered) == 1 and DIAGNOSIS["cause"] in offered[0].text
