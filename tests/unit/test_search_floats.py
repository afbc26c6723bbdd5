"""Repairs that give floats where whole numbers were."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.floats import floats_mark


@pytest.mark.parametrize(
    ("before", "now", "marked"),
    [
        (["4", "6"], ["2.0", "3.0"], True),
        (["4", "!KeyError"], ["2.0", "1"], True),
        (["4", "6"], ["2.0", "3.5"], False),
        (["4.0", "6"], ["2.0", "3.0"], False),
        (["4", "6"], ["2", "3"], False),
        (["'a'", "True"], ["2.0", "1.0"], False),
        ([], [], False),
    ],
)
def test_floats_where_whole_numbers_were_are_marked(before: list[str], now: list[str], marked: bool) -> None:
    marks = floats_mark(before, now)
    assert bool(marks) == marked
    for mark in marks:
        assert mark.why == "It gives 2.0 where the program gave whole numbers, which equals 2 to a test."


def test_a_repair_that_took_its_process_along_gave_no_number() -> None:
    assert floats_mark(["1", "2"], []) == ()
