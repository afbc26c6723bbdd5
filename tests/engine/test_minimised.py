"""A minimised repair keeps what no case judges and goes in unseen never; the lesson tells of what was taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task

from .driving import DIAGNOSIS, drain, options, script, to_end, to_repair, to_review

CALC = (
    'def double(n):\n    """Twice n."""\n    m = n\n    return m * 3\n\n\n'
    'def half(n):\n    """Half of n."""\n    return n // 3\n'
)
RIGHT = CALC.replace("m * 3", "m * 2").replace("n // 3", "n // 2")
ONE = "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
UNJUDGED = ONE.replace("double\n", "double, half\n", 1) + "\n\ndef test_half():\n    assert half(4)\n"
BOTH = {
    **DIAGNOSIS,
    "category": "constant",
    "cause": "double() multiplies by 3 and half() divides by 3.",
    "evidence": [{"file": "calc.py", "line": 4, "why": "m * 3"}, {"file": "calc.py", "line": 9, "why": "n // 3"}],
    "strategy": "Use 2 in double and in half.",
}
MENDED = "Right constants in double and half."


def calc_task(tests: str, spec: str = "double() gives twice n, half() gives half of n.") -> Task:
    return Task("fix", "calc", {"calc.py": CALC, "test_calc.py": tests}, ("calc.py",), ("test_calc.py",), spec)


def calc_script(path: Path, text: str, diagnosis: dict[str, Any] = BOTH) -> str:
    return script(path, {"role": "debugger", "reply": diagnosis}, {"role": "repairer", "reply": mends(text)})


def mends(text: str) -> dict[str, Any]:
    return {"summary": MENDED, "files": [{"path": "calc.py", "text": text}]}


@pytest.mark.parametrize("tests", [ONE, UNJUDGED])
@pytest.mark.parametrize("told", [True, False])
async def test_both_functions_are_mended_though_the_tests_judge_one(
    workbench: Workbench, tmp_path: Path, tests: str, told: bool
) -> None:
    """Nobody looks: the repair goes in as it is, whether the diagnosis names the other function or nothing does."""
    found = BOTH if told else {**DIAGNOSIS, "cause": "A constant is wrong.", "evidence": [], "strategy": "Use 2."}
    model = calc_script(tmp_path / "m.yaml", RIGHT, found)
    session_id = await workbench.create(calc_task(tests, "" if not told else "See both."), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "healed" and ended.snapshot.program["calc.py"] == RIGHT


async def test_a_human_is_offered_no_part_that_undoes_what_is_named(workbench: Workbench, tmp_path: Path) -> None:
    noisy = RIGHT.replace("m = n\n", "m = n + 0\n")
    session_id = await workbench.create(calc_task(UNJUDGED), options(calc_script(tmp_path / "m.yaml", noisy)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
    texts = [repair["changes"]["calc.py"] for repair in asked.snapshot.candidates.values()]
    assert texts == [RIGHT, noisy], "only what the cases ran and nobody named goes"


async def test_nobody_looks_and_the_whole_goes_in(workbench: Workbench, tmp_path: Path) -> None:
    noisy = RIGHT.replace("m = n\n", "m = n + 0\n")
    session_id = await workbench.create(calc_task(ONE), options(calc_script(tmp_path / "m.yaml", noisy), "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        rank = next(c for c in await session.timeline() if c.node == "rank")
        ranked = list((await session.snapshot(rank.id)).candidates.values())
    assert ended.snapshot.program["calc.py"] == noisy
    assert [repair["changes"]["calc.py"] for repair in ranked] == [noisy, RIGHT]
    assert "a part of another candidate" in ranked[1]["reasons"]


async def test_a_rule_takes_the_whole(workbench: Workbench, tmp_path: Path) -> None:
    """A rule answers in the human's place: then nobody looks either."""
    noisy = RIGHT.replace("m = n\n", "m = n + 0\n")
    tests = ONE + "\n\ndef test_more():\n    assert double(3) == 6\n"
    first = CALC.replace("m * 3", "m + 2")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": BOTH},
        {"role": "repairer", "when": "return m + 2", "reply": mends(noisy)},
        {"role": "repairer", "reply": mends(first)},
    )
    given = options(model)
    session_id = await workbench.create(calc_task(tests), replace(given, policy={**given.policy, "near_miss_s": 0.0}))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, {**review.approve(), "rule_lines": 9}))
        assert asked.kind == "diagnosis"
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert ended.snapshot.program["calc.py"] == noisy and ended.snapshot.records[0]["by"] == "rule 1"


DEAD = (
    CALC.replace("    m = n\n    return m * 3\n", "    return n * 2\n")
    .replace('"""Twice n."""', '"""Return twice n."""')
    .replace("n // 3", "n // 2")
)


async def test_no_part_loses_a_docstring_or_leaves_dead_code(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(calc_task(ONE), options(calc_script(tmp_path / "m.yaml", DEAD)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
    assert [repair["changes"]["calc.py"] for repair in asked.snapshot.candidates.values()] == [DEAD]


async def test_the_lesson_tells_of_what_was_taken(workbench: Workbench, tmp_path: Path) -> None:
    noisy = RIGHT.replace("m = n\n", "m = n + 0\n")
    model = calc_script(tmp_path / "m.yaml", noisy)
    given = options(model)
    session_id = await workbench.create(calc_task(ONE), replace(given, policy={**given.policy, "critic": "off"}))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        least = asked.snapshot.candidates["1"]
        assert least["part_of"] == asked.snapshot.candidates["2"]["key"]
        ended = (await drain(session.decide(asked.checkpoint_id, review.approve(pick="1"))))[-1]
    (lesson,) = ended.snapshot.lessons  # type: ignore[union-attr]
    (left,) = workbench.lessons.all()
    for text in (lesson, left.text):
        assert MENDED not in text and "+ return m * 2" in " ".join(text.split())


async def test_the_lesson_tells_of_the_hunks_that_the_human_took(workbench: Workbench, tmp_path: Path) -> None:
    given = options(calc_script(tmp_path / "m.yaml", RIGHT))
    session_id = await workbench.create(calc_task(ONE), replace(given, policy={**given.policy, "critic": "off"}))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.edit({"hunks": [1]}, "half is for later")))
    (left,) = workbench.lessons.all()
    healed = left.text.partition("Healed by")[2]
    assert "+ return m * 2" in healed and "n // 2" not in healed and MENDED not in healed
    assert "half is for later" in healed
