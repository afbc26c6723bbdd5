"""After a human's own version of a repair the record says what it does to the cases; the models read no false zeros."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.state import Record, Repair
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.role_context import last_change, tried_texts

from .driving import DIAGNOSIS, options, script, to_end, to_repair, to_review

CALC = "def double(n):\n    return n * 3\n\n\ndef half(n):\n    return n // 3\n\n\ndef third(n):\n    return n // 4\n"
TESTS = (
    "from calc import double, half, third\n\n\ndef test_double():\n    assert double(2) == 4\n\n\n"
    "def test_half():\n    assert half(4) == 2\n\n\ndef test_third():\n    assert third(6) == 2\n\n\n"
    "def test_nothing():\n    assert double(0) == 0\n"
)
TASK = Task("fix", "calc", {"calc.py": CALC, "test_calc.py": TESTS}, ("calc.py",), ("test_calc.py",))
TWO = CALC.replace("n * 3", "n * 2").replace("n // 3", "n // 2")
ALL = TWO.replace("n // 4", "n // 3")
FOUND = {**DIAGNOSIS, "cause": "Wrong constants.", "evidence": [{"file": "calc.py", "line": 2, "why": "n * 3"}]}


def mends(text: str) -> dict[str, object]:
    return {"summary": "Right constants.", "files": [{"path": "calc.py", "text": text}]}


async def test_a_partial_take_is_told_with_what_it_does(workbench: Workbench, tmp_path: Path) -> None:
    turned = "It mended test_calc.py::test_double and broke none."
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": [turned, "+    return n * 2"], "reply": FOUND},
        {"role": "debugger", "when": "above ===\n(nothing yet)", "reply": FOUND},
        {"role": "repairer", "when": turned, "reply": mends(ALL)},
        {"role": "repairer", "when": "=== tried before ===\n(nothing yet)", "reply": mends(TWO)},
    )
    session_id = await workbench.create(TASK, options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit({"hunks": [1]})))
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        assert (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot.outcome == "healed"


async def test_an_edit_that_breaks_is_told_as_that(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": "broke test_calc.py::test_nothing.", "reply": FOUND},
        {"role": "debugger", "when": "above ===\n(nothing yet)", "reply": FOUND},
        {"role": "repairer", "when": "It mended no case and broke test_calc.py::test_nothing.", "reply": mends(ALL)},
        {"role": "repairer", "when": "=== tried before ===\n(nothing yet)", "reply": mends(TWO)},
    )
    session_id = await workbench.create(TASK, options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        own = {"changes": {"calc.py": CALC.replace("n * 3", "n + 1")}}
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit(own)))
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        assert asked.snapshot.candidates["1"]["report"]["verdict"] == "passed"


def test_a_record_of_before_says_that_it_was_not_tried() -> None:
    record: Record = {
        "prev": "",
        "iteration": 0,
        "repair_ref": "",
        "changes_ref": "",
        "verdict": "edit",
        "note": "",
        "by": "human",
        "keys": [],
    }
    repair: Repair = {"summary": "Mine.", "changes": {}, "strategy": "human", "by": "human"}
    ((words, _),) = tried_texts([(record, repair)])
    (change,) = last_change((record, repair)).pieces
    for text in (words, change):
        assert "not tried" in text and "mended" not in text
