"""A card tells of calls that no test makes and to which a repair changes the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from selfheal_tui.cli.human import doubt_lines
from selfheal_tui.engine.moment.beside_tests import beside_tests
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.found import Asked, Ranking, build_ranking, found_from, found_of_parts
from selfheal_tui.search.weigh.telling import answers_changed
from selfheal_tui.ui.run.cards.repair_text import repair_content
from tests.ui.fakes import part_of_search as repair

CALLS = ["f(1)", "f(20)", "f(3)", "f(4)"]
GIVEN = ["1", "!KeyError", "3", "4"]


def test_the_plainest_calls_that_each_repair_changes_are_told() -> None:
    rows = [["1", "2", "7", "8"], ["1", "!KeyError", "3", "9" * 300]]
    repairs = [Candidate({"p.py": name}, name, "x", "p.py", 1, 1.0, 1, complete=True) for name in "ab"]
    ranking = build_ranking(repairs, build_behaviours(GIVEN, rows), CALLS, last=frozenset({"f(3)"}), given=GIVEN)
    found = found_from(ranking, 2, False)
    changed = dict(zip([one.summary for one in found.candidates], answers_changed(found), strict=True))
    assert found.question is not None and found.question.call == "f(20)", "what is asked need not be told"
    assert changed == {"a": [["f(4)", "4", "8"], ["f(3)", "3", "7"]], "b": []}
    assert answers_changed(found_from(build_ranking(repairs, build_behaviours([], [[], []]), []), 2, False)) == [[], []]


def test_a_repair_that_was_asked_alone_tells_its_own_calls_of_two_functions() -> None:
    one = Candidate({"p.py": "a"}, "a", "x", "p.py", 1, 1.0, 1)
    calls, given, row = ("f(1)", "f(2)", "g(30)", "h(1)"), ("1", "2", "3", "4"), ("2", "3", "4", "5")
    asked = Asked(calls, given, row, frozenset({"h(1)"}))
    found = replace(found_of_parts([one], Ranking(), 1, True), beside={one.texts: asked})
    assert answers_changed(found) == [[["f(1)", "1", "2"], ["g(30)", "3", "4"]]]
    assert answers_changed(found, ["f(1)"]) == [[["f(2)", "2", "3"], ["g(30)", "3", "4"]]], "that one was answered"
    assert answers_changed(found_of_parts([one], Ranking(), 1, True)) == [[]]


def test_they_stand_on_the_card_and_on_the_command_line() -> None:
    steps = "[m := Machine(), m.insert(5), m.left()][-1]"
    told = [["f(1)", "4", "!KeyError"], [steps, "!KeyError", "'[b]x'"]]
    one: Any = repair(beside_tests=told)
    lines = beside_tests(one)
    assert lines == [
        "f(1) raises KeyError, gave 4 before",
        "m.left() (after m = Machine(); m.insert(5)) gives '[b]x', raised KeyError before",
    ]
    assert [line for line in doubt_lines(one) if "≠" in line] == [f"  ≠ no test asks: {line}" for line in lines]
    assert all(f"≠ no test asks: {line}" in repair_content(cast(Repair, one)).plain for line in lines)
    assert beside_tests(repair()) == []


def test_an_answer_that_is_equal_to_another_one_is_told_as_it_is() -> None:
    (one,) = [Candidate({"p.py": "a"}, "a", "x", "p.py", 1, 1.0, 1, complete=True)]
    ranking = build_ranking([one], build_behaviours(["0", "2"], [["1", "2"]]), ["f(1)", "f(2)"], given=["0", "2"])
    assert answers_changed(found_from(ranking, 1, False)) == [[["f(1)", "0", "1"]]]
    ranking = replace(ranking, in_words={(): ("False", "2"), one.texts: ("True", "2.0")})
    assert answers_changed(found_from(ranking, 1, False)) == [[["f(1)", "False", "True"]]]
