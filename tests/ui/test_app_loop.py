"""The app over a real session: generated tests, rules, options and the end are asked about, and the keys do it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.ui.kit.suite_table import CaseList
from selfheal_tui.ui.run.cards.repair import RepairCard
from selfheal_tui.ui.run.cards.side import Side
from tests.engine.driving import DIAGNOSIS, FIXED, options, repair_reply, script, shop_task
from tests.engine.test_questions import fee_task, green_task
from tests.ui.real_sessions import PATIENCE_S, answer, app_over, armed
from tests.wire.rig import until

TESTS = (
    "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n\n\n"
    "def test_wrong():\n    assert total([], 0) == 5\n"
)
SPEC_MODEL: tuple[dict[str, Any], ...] = (
    {"role": "spec_tester", "reply": {"tests": TESTS}},
    {"role": "generator", "reply": {"code": FIXED}},
    {"role": "adversary", "error": "not today"},
    {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}},
    {"role": "critic", "error": "not today"},
)


async def test_tests_code_and_end_are_asked_about(tmp_path: Path) -> None:
    right = TESTS.split("\n\n\ndef test_wrong", maxsplit=1)[0] + "\n"
    model = script(tmp_path / "m.yaml", {"role": "spec_tester", "reply": {"tests": right}}, *SPEC_MODEL[1:])
    task = load_task([], [], "Write total(prices, discount).", [])
    async with app_over(tmp_path, task, options(model, "review_all")) as (screen, pilot):
        card = screen.query_one(Side).card
        assert armed(screen) == "tests" and card is not None and "test_sum" in card.describe().plain
        assert await answer(screen, pilot, "a") == "code"
        assert await answer(screen, pilot, "a") == "end"
        card = screen.query_one(Side).card
        assert card is not None and "The only case passes" in card.describe().plain
        assert await answer(screen, pilot, "a") == "healed"


@pytest.mark.deep
async def test_a_generated_case_is_dropped_from_the_tests_tab(tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", *SPEC_MODEL)
    task = load_task([], [], "Write total(prices, discount).", [])
    async with app_over(tmp_path, task, options(model)) as (screen, pilot):
        assert armed(screen) == "diagnosis"
        await pilot.press("v", "v")
        cases = screen.query_one("#tests CaseList", CaseList)
        await until(lambda: cases.has_focus and bool(cases.cases), PATIENCE_S)
        assert cases.cases[0]["id"] == "test_solution.py::test_wrong"
        await pilot.press("d")
        await until(lambda: screen.query_one(Side).prompt.is_open, PATIENCE_S)
        assert await answer(screen, pilot, "enter") == "healed"
        shown = screen.model.shown
        assert shown is not None and shown.branch == "tests-1" and "test_wrong" not in shown.tests["test_solution.py"]


@pytest.mark.deep
async def test_an_approval_becomes_a_rule_and_an_option_changes_the_rest(tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
        {"role": "critic", "error": "not today"},
    )
    async with app_over(tmp_path, shop_task(), options(model)) as (screen, pilot):
        await pilot.press("o", *"colour=red")
        await pilot.press("enter")
        await until(lambda: "colour" in str(screen.query_one("#picker .picker-hint").render()), PATIENCE_S)
        assert screen.model.shown is not None and screen.model.shown.branch == "main"
        await pilot.press("escape")
        await until(lambda: not screen.model.running and armed(screen) == "diagnosis", PATIENCE_S)
        assert await answer(screen, pilot, "a") == "repair"
        await pilot.press("A")
        await until(lambda: screen.query_one(Side).prompt.is_open, PATIENCE_S)
        assert await answer(screen, pilot, "3", "enter") == "healed"
        assert screen.model.shown.rules == ({"name": "rule 1", "max_lines": 3},)


@pytest.mark.deep
async def test_the_right_answer_is_given_where_repairs_disagree(tmp_path: Path) -> None:
    async with app_over(tmp_path, fee_task(), options()) as (screen, pilot):
        assert await answer(screen, pilot, "a") == "repair"
        card = screen.query_one(Side).card
        assert isinstance(card, RepairCard) and card.question is not None
        question = card.question
        assert f"they disagree: {question['call']} is a: " in card.describe().plain
        await pilot.press("w")
        await until(lambda: screen.query_one(Side).prompt.is_open, PATIENCE_S)
        assert await answer(screen, pilot, "?") == "repair"
        assert screen.model.shown is not None and screen.model.shown.unknown == (question["call"],)
        other = screen.query_one(Side).card.question  # type: ignore[union-attr]
        assert other is not None and other["call"] != question["call"], "it is not asked again"
        await pilot.press("w")
        await until(lambda: screen.query_one(Side).prompt.is_open, PATIENCE_S)
        assert await answer(screen, pilot, "b") == "repair"
        assert screen.model.shown.answers == ((other["call"], other["answers"][1]["text"]),)


async def test_the_end_asks_what_no_test_says(tmp_path: Path) -> None:
    async with app_over(tmp_path, green_task(), options(autonomy="review_all")) as (screen, pilot):
        card = screen.query_one(Side).card
        assert armed(screen) == "end" and card is not None and card.question is not None
        question = card.question
        said = card.describe().plain
        assert f"? no test says what {question['call']} gives:" in said
        assert f"a {question['now']}  now" in said and "w says what is right" in said
        assert "which?" in [words for _, words, _ in card.keys()]  # noqa: SIM118
        await pilot.press("w")
        await until(lambda: screen.query_one(Side).prompt.is_open, PATIENCE_S)
        assert await answer(screen, pilot, "b") == "diagnosis"
        assert screen.model.shown is not None
        assert screen.model.shown.answers == ((question["call"], question["answers"][1]["text"]),)


async def test_decisions_and_the_whole_session_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with app_over(tmp_path, shop_task(), options("search")) as (screen, pilot):
        screen.taking.export("jsonl")
        await until(lambda: bool(screen.app._notifications), PATIENCE_S)
        assert [n.message for n in screen.app._notifications] == ["Nothing has been decided yet."]
        assert await answer(screen, pilot, "a") in ("repair", "healed")
        screen.taking.export("jsonl")
        await until(lambda: bool(list(tmp_path.glob("*.jsonl"))), PATIENCE_S)
        screen.taking.export("session")
        await until(lambda: bool(list(tmp_path.glob("*.selfheal"))), PATIENCE_S)
        there = len(screen.model.timeline.checkpoints)
    (lines,) = tmp_path.glob("*.jsonl")
    assert [json.loads(line)["verdict"] for line in lines.read_text().splitlines()] == ["approve"]
    (file,) = tmp_path.glob("*.selfheal")
    other = Workbench(tmp_path / "elsewhere")
    imported = await read_session(other.store, file)
    async with other.open_session(imported.session_id) as session:
        assert len([*await session.timeline()]) == there
    await other.aclose()
