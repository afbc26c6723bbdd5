"""What a card says after a rejection: which attempt this is, and what it leaves out."""

from __future__ import annotations

from typing import cast

from selfheal_tui.engine.moment.state import Record
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import CANDIDATES, snapshot
from tests.ui.running import running


def test_a_card_says_which_attempt_it_is_and_what_it_leaves_out() -> None:
    card = RepairCard()
    card.snapshot = snapshot("c", "rank", candidates=CANDIDATES)
    assert "attempt" not in card.heading() and "Without" not in card.describe().plain
    rejected = cast(Record, {"verdict": "reject", "by": "human", "keys": ["k"]})
    card.snapshot = snapshot("c", "rank", candidates=CANDIDATES, records=(rejected,))
    assert "approve repair 1 of 2, attempt 2?" in card.heading()
    assert card.describe().plain.startswith("↺ Without the repair that you rejected\n")


async def test_a_diagnosis_after_a_rejected_one_says_which_attempt_it_is() -> None:
    async with running(size=(140, 45)) as run:
        assert "Attempt" not in str(run.screen.side.border_title)
        await run.press("r", *"not there", "enter")
        assert run.screen.model.question is not None and run.screen.model.question.kind == "diagnosis"
        assert str(run.screen.side.border_title) == "◆ Attempt 2: is this the cause?"
        await run.press("a")
        assert run.screen.model.question is not None and run.screen.model.question.attempt == 1
