"""How much a search tried: single edits and combinations of them are told apart."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.tried import CutShort, tried_words, whole_words


@pytest.mark.parametrize(
    ("judged", "singles", "tried_all", "cut_short", "words"),
    [
        (3200, 3200, True, "", "3,200 edits, all single ones it knows"),
        (
            8517,
            3200,
            True,
            "time",
            "3,200 edits, all single ones it knows, and 5,317 combinations of edits; its time was used up",
        ),
        (1200, 1200, False, "time", "1,200 edits, not all it knows; its time was used up"),
        (1, 1, False, "stopped", "1 edit, not all it knows; it was stopped"),
        (8517, 0, True, "", "8,517 edits, all single ones it knows among them"),
    ],
)
def test_what_ended_is_said(judged: int, singles: int, tried_all: bool, cut_short: CutShort, words: str) -> None:
    assert whole_words(judged, singles, tried_all, cut_short) == words


def test_combinations_are_no_edits() -> None:
    assert tried_words(3201, 3200) == "3,200 edits and 1 combination of edits"
    assert tried_words(3200, 3200) == "3,200 edits"
