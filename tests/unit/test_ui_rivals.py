"""A question where repairs disagree: which of those listed give which answer, and how many that are not listed."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.engine.moment.state import Question, Repair
from selfheal_tui.ui.view.rivals import question_parts, rivals

ASKED: Question = {
    "call": "f(0)",
    "answers": [
        {"text": "0", "repairs": 6, "share": 0.6},
        {"text": "0.0", "repairs": 1, "share": 0.3},
        {"text": "-0.0", "repairs": 1, "share": 0.1},
    ],
}


def gives(*answers: str, verdict: str = "passed") -> list[Repair]:
    return [
        cast(Repair, {"report": {"verdict": verdict}, **({"answers": {"f(0)": one}} if one else {})}) for one in answers
    ]


def test_each_answer_names_the_listed_repairs_and_counts_the_others() -> None:
    words = rivals(ASKED, gives("0", "0.0", "0", "0"))
    assert (
        words == "a: 0 (repairs 1, 3, 4, and 3 repairs not listed) · b: 0.0 (repair 2) · c: -0.0 (1 repair not listed)"
    )
    assert words in "".join(text for text, _ in question_parts(ASKED, gives("0", "0.0", "0", "0")))


def test_a_listed_repair_that_does_not_pass_every_case_gives_no_answer() -> None:
    partial: Any = gives("", verdict="failed")
    assert rivals(ASKED, [*gives("0"), *partial, *gives("0.0")]).startswith("a: 0 (repair 1, and 5 repairs not listed)")


def test_repairs_are_only_counted_where_nobody_knows_what_each_gives() -> None:
    counted = "a: 0 (6 repairs) · b: 0.0 (1 repair) · c: -0.0 (1 repair)"
    assert rivals(ASKED) == rivals(ASKED, gives("0", "")) == rivals(ASKED, gives("0.0", "0.0")) == counted
