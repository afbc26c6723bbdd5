"""By the keyboard alone: a whole healing with a look back and two forks, over a real session and sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task
from tests.ui.real_sessions import PATIENCE_S, answer, app_over
from tests.wire.rig import until


@pytest.mark.deep
async def test_a_healing_with_two_forks(tmp_path: Path) -> None:
    model = script(
        tmp_path / "replies.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    async with app_over(tmp_path, shop_task(), options(model)) as (screen, pilot):
        assert await answer(screen, pilot, "a") == "repair"

        for label in ("other", "third"):
            await pilot.press("left_square_bracket")
            await until(lambda: screen.model.past is not None, PATIENCE_S)
            await pilot.press("f", *label, "enter")
            await until(lambda label=label: label in screen.model.timeline.branches, PATIENCE_S)  # type: ignore[misc]
            await until(lambda: screen.model.question is not None and screen._arming.armed, PATIENCE_S)
        assert len(screen.model.timeline.branches) == 3

        while screen.model.outcome == "":
            await answer(screen, pilot, "a")
        assert screen.model.outcome == "healed"
        assert screen.model.committed is not None and screen.model.committed.branch == "third"
        assert screen.model.committed.program["shop.py"] == FIXED

        await pilot.press("T")
        assert screen.query_one(TimelineTree).has_focus
        await pilot.press("home")
        await until(lambda: screen.model.past is not None, PATIENCE_S)
        assert screen.model.past is not None and screen.model.past.program["shop.py"] == BUGGY
        await pilot.press("n")
        assert screen.model.past is None
