"""A repair that does the same as a rejected one is told by its answers."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.as_refused import as_refused

GIVEN = ["1", "2", "!KeyError"]


@pytest.mark.parametrize(
    ("row", "refused", "is_same"),
    [
        (["1", "3", "4"], [["1", "3", "4"]], True),
        (["1", "3", "4"], [["5", "3", "4"], ["1", "3.0", "4"]], True),
        (["1", "3", "5"], [["1", "3", "4"]], False),
        (GIVEN, [GIVEN], False),  # no call came to what was rejected
        ([], [[]], False),
        (["1", "3", "4"], [[]], False),  # it took its process along
        (["1", "3", "4"], [], False),
    ],
)
def test_what_answers_every_call_as_a_rejected_repair_does_is_marked(
    row: list[str], refused: list[list[str]], is_same: bool
) -> None:
    marks = as_refused(row, GIVEN, refused)
    assert [(mark.kind, "in all 3 calls" in mark.why) for mark in marks] == ([("refused", True)] if is_same else [])
