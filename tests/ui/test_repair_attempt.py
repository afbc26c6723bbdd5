"""The title and the first line of a repair card after a rejection."""

from __future__ import annotations

from typing import cast

from selfheal_tui.engine.moment.state import Record
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import CANDIDATES, snapshot


def test_a_card_says_which_attempt_it_is_and_what_it_leaves_out() -> None:
    card = RepairCard()
    card.snapshot = snapshot("c", "rank", candidates=CANDIDATES)
    assert "attempt" not in card.heading() and "Without" not in card.describe().plain
    rejected = cast(Record, {"verdict": "reject", "by": "human", "keys": ["k"]})
    card.snapshot = snapshot("c", "rank", candidates=CANDIDATES, records=(rejected,))
    assert "approve repair 1 of 2, attempt 2?" in card.heading()
    assert card.describe().plain.startswith("↺ Without the repair that you rejected\n")
