"""Distances of answers: equal, near, far, of another kind, none."""

from __future__ import annotations

import pytest

from selfheal_tui.search.program.distance import distance


@pytest.mark.parametrize(
    ("wanted", "nearest_first"),
    [
        ("10", ["10", "11", "14", "900", "'10'", "!ValueError"]),
        ("'abcd'", ["'abcd'", "'abce'", "'xyz'", "5", "!"]),
        ("[1, 2, 3]", ["[1, 2, 3]", "[1, 2, 4]", "[1, 2]", "[7]", "(1, 2, 3)", "<object>"]),
        ("{'a': 1, 'b': 2}", ["{'a': 1, 'b': 2}", "{'a': 1, 'b': 3}", "{'a': 1}", "{'c': 9}", "[]"]),
        ("{1, 2}", ["{1, 2}", "{1, 2, 3}", "{5}", "[1, 2]"]),
    ],
)
def test_nearer_is_less(wanted: str, nearest_first: list[str]) -> None:
    found = [distance(answer, wanted) for answer in nearest_first]
    assert found[0] == 0.0
    assert found == sorted(found) and len(set(found)) >= len(found) - 1, found


def test_true_is_not_one() -> None:
    assert distance("True", "1") == 1.0 and distance("False", "True") == 1.0
