"""What brings nothing new ends or pauses the run, and is kept apart from what the human says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench

from .driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task, to_end, to_repair, to_review


@pytest.mark.parametrize("same", [BUGGY, "# Sums.\n" + BUGGY, BUGGY.replace("amount = 0\n", "amount = 0  # cents\n\n")])
async def test_a_program_that_does_not_change_stalls_after_two_rounds(
    workbench: Workbench, tmp_path: Path, same: str
) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(same, "All is well.")},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "stalled" and "changes nothing" in ended.snapshot.reason
    assert ended.snapshot.spent["calls"] == 4, "two diagnoses and two repairs"
    assert ended.snapshot.feedback == (), "nobody has said anything"
    assert len(ended.snapshot.empty_rounds) == 2


async def test_a_human_is_asked_after_two_rounds_without_a_change(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(BUGGY, "All is well.")},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
    assert asked.kind == "stalled" and "changes nothing" in asked.snapshot.repeated
    assert asked.snapshot.spent["calls"] == 4


def heard(*loop: str, human: str = "(nothing)") -> list[str]:
    """Return what a prompt holds that keeps the loop's own words apart from the human's."""
    return [*loop, f"=== what the human said ===\n{human}"]


async def test_the_loops_own_words_are_not_the_humans(workbench: Workbench, tmp_path: Path) -> None:
    """The debugger of the second round reads what came of the first, and that the human said nothing."""
    second: dict[str, Any] = {**DIAGNOSIS, "cause": "Seen again.", "strategy": "Subtract."}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": heard("changes nothing"), "reply": second},
        {"role": "debugger", "when": heard("above ===\n(nothing yet)"), "reply": DIAGNOSIS},
        {"role": "repairer", "when": heard("changes nothing"), "reply": repair_reply(FIXED)},
        {"role": "repairer", "when": heard(), "reply": repair_reply(BUGGY)},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "healed" and ended.snapshot.diagnosis["cause"] == "Seen again."


async def test_what_the_policy_refuses_is_not_said_by_the_human(workbench: Workbench, tmp_path: Path) -> None:
    worse = BUGGY.replace("amount + discount", "amount + discount + 1")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": heard("did not make more cases pass"), "reply": repair_reply(FIXED)},
        {"role": "repairer", "when": "tried before ===\n(nothing yet)", "reply": repair_reply(worse)},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        assert (await to_end(session.resume())).snapshot.outcome == "healed"


async def test_what_the_human_says_stays_theirs(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {
            "role": "repairer",
            "when": heard("changes nothing", human="- Mind the sign.\n=== end"),
            "reply": repair_reply(FIXED),
        },
        {"role": "repairer", "when": "Mind the sign", "reply": repair_reply(BUGGY)},
        {"role": "repairer", "reply": repair_reply(BUGGY + "\n\nSIZE = 1\n")},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("Mind the sign.")))
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "repair" and asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}
        assert asked.snapshot.feedback == ("Mind the sign.",)


async def test_a_model_that_cannot_be_read_is_not_asked_in_every_iteration(
    workbench: Workbench, tmp_path: Path
) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": "I would rather talk about it."},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        calls = await session.calls()
    assert ended.snapshot.outcome == "stalled" and "could not be read" in ended.snapshot.reason
    assert ended.snapshot.spent["calls"] <= 6, calls
