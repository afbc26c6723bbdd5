"""Bounds that a docstring, a function's name or the specification gives, against comparisons that a change draws."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.bounds_said import bounds_bits


def bits(words: str, new: str, old: str = "n == 10", name: str = "f") -> float:
    text = 'def {}(n, limit):\n    """{}"""\n    if {}:\n        return 1\n    return 0\n'
    return bounds_bits(text.format(name, words, old), text.format(name, words, new))


@pytest.mark.parametrize(
    ("words", "fits", "against"),
    [
        ("10 or more get it.", ("n >= 10", "n < 10"), ("n > 10", "n <= 10")),
        ("At least 10.", ("n >= 10", "n < 10"), ("n > 10", "n <= 10")),
        ("Not less than ten.", ("n >= 10", "n < 10"), ("n > 10", "n <= 10")),
        ("More than 10.", ("n > 10", "n <= 10"), ("n >= 10", "n < 10")),
        ("No more than 10.", ("n <= 10", "n > 10"), ("n < 10", "n >= 10")),
        ("10 or fewer.", ("n <= 10", "n > 10"), ("n < 10", "n >= 10")),
        ("Orders of 10 cents or more are free.", ("n >= 10", "n < 10"), ("n > 10", "n <= 10")),
        ("For ten items and fewer.", ("n <= 10", "n > 10"), ("n < 10", "n >= 10")),
        ("Below 10.", ("n < 10", "n >= 10"), ("n <= 10", "n > 10")),
    ],
)
def test_a_comparison_fits_the_words_or_stands_beside_them(
    words: str, fits: tuple[str, ...], against: tuple[str, ...]
) -> None:
    assert {bits(words, new) for new in fits} == {-0.8}
    assert {bits(words, new) for new in against} == {1.2}


@pytest.mark.parametrize(
    "words", ["", "More than 3.", "More than 10, and 10 or more.", "Up to limit.", "The ten best.", "more than one"]
)
def test_words_of_another_bound_or_of_both_say_nothing(words: str) -> None:
    assert bits(words, "n >= 10") == bits(words, "n > 10") == 0.0


def test_variables_are_named_or_meant() -> None:
    assert bits("Up to limit.", "n <= limit", "n == limit") == -0.8
    assert bits("Above the given bound.", "n >= limit", "n == limit") == 1.2
    assert bits("", "n < 0", "n == 0", name="below_zero") == -0.8
    without = "def f(n):\n    return n == 3\n"
    assert bounds_bits(without, without.replace("==", ">="), "It is true for more than 3.") == 1.2
    assert bounds_bits(without, without.replace("3", "4"), "more than 3") == 0.0
