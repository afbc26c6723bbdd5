"""A repair that mends a part says that nobody knows how sure the search is of it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.sureness import unsure_line, unsure_of_taken
from selfheal_tui.ui.run.cards.repair_text import repair_content
from tests.ui.fakes import part_of_search as repair

SAYS = "how sure the search is: not known while other cases fail"


def test_a_part_says_so_on_its_card() -> None:
    part = repair(independent=True)
    assert unsure_line(part) == SAYS
    assert unsure_line({**part, "search_s": 59.6}) == f"{SAYS}; it used up its 60 s"
    text = repair_content(cast(Repair, part)).plain
    assert f"? {SAYS}" in text and "the lines it changes, and say nothing of it" in text


@pytest.mark.parametrize(
    "changes",
    [
        {"by": "anthropic:claude"},
        {"confidence": 0.9},
        {"fixes": []},
        {"report": None},
        {"report": {"verdict": "passed", "error": None, "not_verified": None}},
    ],
)
def test_others_do_not(changes: dict[str, Any]) -> None:
    other = repair(**changes)
    assert unsure_line(other) == "" and SAYS not in repair_content(cast(Repair, other)).plain


def test_what_was_left_out_before_is_not_said_to_be_less_likely_than_what_leads_instead() -> None:
    """The first says that the search holds this one for likelier: both sentences cannot be."""
    passed = {"verdict": "passed", "error": None, "not_verified": None}
    leads = repair(report=passed, confidence=0.5)
    left_out = repair(report=passed, marks=[{"kind": "declined", "why": "You left this out."}])
    other = repair(report=passed)
    listed = cast("list[Repair]", [leads, other, left_out])
    assert "another one for likelier" in unsure_line(other, listed) and unsure_line(left_out, listed) == ""
    assert unsure_of_taken(listed[2], [listed[2]], listed) == "" != unsure_of_taken(listed[1], [listed[1]], listed)
