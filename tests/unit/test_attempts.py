"""Which attempt a repair card is about, and what it leaves out."""

from __future__ import annotations

from typing import cast

from selfheal_tui.engine.moment.attempts import attempt_number, attempt_words
from selfheal_tui.engine.moment.state import Record


def record(verdict: str = "reject", by: str = "human", keys: int = 1) -> Record:
    return cast(Record, {"verdict": verdict, "by": by, "keys": [str(n) for n in range(keys)]})


def test_the_first_attempt_says_nothing() -> None:
    for records in ([], [record("approve")], [record(by="policy")], [record("approve"), record()]):
        assert (attempt_number(records), attempt_words(records)) == (1, "")


def test_a_later_attempt_says_what_was_rejected_since_the_last_repair_went_in() -> None:
    assert attempt_words([record()]) == "Without the repair that you rejected"
    records = [record(keys=5), record(), record("approve"), record()]
    assert attempt_number(records) == 3
    words = attempt_words(records, [{"what": "function", "name": "area"}])
    assert words == "Without the 6 repairs that you rejected; not in area"
