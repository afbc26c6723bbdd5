"""Edits that no batch can judge wait for runs of their own; whether some never had one is known."""

from __future__ import annotations

from dataclasses import replace

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.hunt.unsure import Unsure


def edits(number: int) -> list[Candidate]:
    return [Candidate({"a.py": str(line)}, "", "", "a.py", line, 1.0, 1) for line in range(number)]


def test_they_are_taken_in_their_order_until_none_is_left() -> None:
    unsure, some = Unsure(), edits(100)
    unsure.add(some)
    assert unsure.is_left
    assert [*unsure.take(), *unsure.take()] == some
    assert not unsure.take() and not unsure.is_left


def test_those_beyond_the_most_and_those_that_a_run_missed_are_left() -> None:
    many, missed = Unsure(), Unsure()
    many.add(edits(5000))
    while many.take():
        pass
    missed.miss()
    assert many.is_left and missed.is_left


def test_a_combination_does_not_wait() -> None:
    unsure, (one, other) = Unsure(), edits(2)
    unsure.add([replace(one, before=(("a.py", 1),)), other])
    assert unsure.take() == [other]
