"""Where repairs that pass every case disagree the human is asked; the answer becomes a case and prunes them."""

from __future__ import annotations

import pytest

from selfheal_tui.engine import review
from selfheal_tui.engine.answers import answer_problem, answers_suite
from selfheal_tui.engine.events import ReviewRequested
from selfheal_tui.engine.task import Task
from selfheal_tui.engine.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import drain, options, to_repair

PROGRAM = '''def fee(days):
    """Return the fee for so many days."""
    return days + 1
'''
TESTS = (
    "from fee import fee\n\n\ndef test_few():\n    assert fee(2) == 4\n\n\ndef test_none():\n    assert fee(0) == 0\n"
)


def fee_task() -> Task:
    return Task("fix", "fee", {"fee.py": PROGRAM, "test_fee.py": TESTS}, ("fee.py",), ("test_fee.py",))


async def test_an_answer_becomes_a_case_and_prunes_the_repairs(workbench: Workbench) -> None:
    session_id = await workbench.create(fee_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        question = asked.snapshot.question
        assert asked.kind == "repair" and question is not None and len(question["answers"]) > 1
        with pytest.raises(InputError, match="as repr writes it"):
            await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "nine days"})))
        rare = question["answers"][-1]["text"]
        events = await drain(session.decide(asked.checkpoint_id, review.edit({"answer": rare})))
        last = events[-1]
        assert isinstance(last, ReviewRequested) and last.kind == "repair"
        assert last.snapshot.answers == ((question["call"], rare),)
        (path,) = [path for path, kind in last.snapshot.origins.items() if kind == "answers"]
        assert question["call"] in last.snapshot.tests[path]
        green = [r for r in last.snapshot.candidates.values() if r["report"]["verdict"] == "passed"]
        assert green, "what gave that answer is still there"
        ran = [case["id"] for case in green[0]["report"]["cases"]]
        assert any(case.startswith(path) for case in ran)
        assert last.snapshot.iteration == 0, "an answer is no iteration"
        nodes = [c.node for c in await session.timeline()]
        assert nodes.count("diagnose") == 1, "the diagnosis stands"
        again = await drain(session.decide(asked.checkpoint_id, review.approve()))
        assert again[-1].snapshot.branch == "approve-1"  # type: ignore[union-attr]


async def test_nothing_is_answered_where_nothing_was_asked(workbench: Workbench) -> None:
    tests = TESTS + "\n\ndef test_more():\n    assert [fee(n) for n in range(-50, 50)] == [*range(-100, 100, 2)]\n"
    task = Task("fix", "fee", {"fee.py": PROGRAM, "test_fee.py": tests}, ("fee.py",), ("test_fee.py",))
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        if asked.snapshot.question is None:
            with pytest.raises(InputError, match="Nothing was asked"):
                await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "1"})))


def test_answers_are_cases_of_the_module_that_defines_the_call() -> None:
    program = {"a.py": "X = 1\n", "src/pkg/b.py": "def f(x):\n    return x\n"}
    suite = answers_suite([["f(1)", "2"], ["f('')", "!ValueError"]], program, ["test_answers.py"])
    (path,) = suite
    assert path.startswith("test_answers") and "from pkg.b import f" in suite[path]
    assert "f(1)" in suite[path] and "ValueError" in suite[path]
    assert answers_suite([["g(1)", "2"]], program, []) == {}


@pytest.mark.parametrize(("text", "fine"), [("[1, 2]", True), ("!KeyError", True), ("!", False), ("x + 1", False)])
def test_what_can_be_an_answer(text: str, fine: bool) -> None:
    assert (answer_problem(text) == "") == fine
