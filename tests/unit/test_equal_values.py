"""Answers that are equal where a test compares them are one, whatever they hold."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.equal_values import are_equal, equal_as_one


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("set()", "set()", True),
        ("set()", "{0}", False),
        ("[set(), 1]", "[set(), 1.0]", True),
        ("({1: set()}, {2})", "({1: set()}, {2.0})", True),
        ("{'a': set()}", "{'a': {1}}", False),
        ("{[]: 1}", "{[]: 2}", False),  # no value at all, and no reason to end a search
    ],
)
def test_sets_are_compared_too_also_empty_ones(one: str, other: str, equal: bool) -> None:
    assert are_equal(one, other) is equal
    assert (len({row[0] for row in equal_as_one([[one], [other]])}) == 1) is equal
