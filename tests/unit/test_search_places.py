"""Mutation-based localisation: what is counted at each place, and the sentence that is made of it."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.engine.moment.steering import at_place, is_chosen_place
from selfheal_tui.engine.moment.sureness import cause_sureness
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.search.blame import BY_COMMANDS, PlaceEffect, Searched, effects_of, explain, place_sentence
from selfheal_tui.search.hunt.candidates import Candidate, after
from selfheal_tui.search.hunt.one_change import as_one_change
from selfheal_tui.search.hunt.places import Tally
from selfheal_tui.search.program.localise import BLIND, Suspect
from selfheal_tui.search.program.mark import Mark
from selfheal_tui.search.weigh.found import Found
from selfheal_tui.search.weigh.joined import edit_of, few_of_each, without_padded
from selfheal_tui.search.weigh.rank import SHOWN, useful_first
from selfheal_tui.ui.run.cards.diagnosis import diagnosis_content

FAILING = ("t::a", "t::b", "t::c")
PASSING = ("t::x", "t::y")


def candidate(line: int, fixes: tuple[str, ...] = (), breaks: tuple[str, ...] = (), cost: float = 1.0) -> Candidate:
    complete = fixes == FAILING and not breaks
    return Candidate(
        {"p.py": f"{line} {cost}"},
        f"line {line}: `<` becomes `<=`",
        "boundary",
        "p.py",
        line,
        cost,
        2,
        fixes=fixes,
        breaks=breaks,
        complete=complete,
    )


def subset(of: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(of)).map(lambda chosen: tuple(sorted(chosen)))


judged_candidates = st.lists(
    st.builds(candidate, st.integers(1, 5), subset(FAILING), subset(PASSING), st.floats(0.0, 9.0)), max_size=30
)


@given(judged_candidates)
def test_the_counts_of_each_place_are_those_of_the_judged_candidates(judged: list[Candidate]) -> None:
    tally = Tally(len(FAILING))
    tally.note_tried(judged)
    tally.note_helpful(judged)
    assert tally.tried == len(judged)
    places = tally.helpful()
    assert {place.line for place in places} == {c.line for c in judged if c.fixes}
    for place in places:
        here = [c for c in judged if c.line == place.line]
        helpful = [c for c in here if c.fixes]
        assert place.tried == len(here)
        assert place.best in helpful
        own = [len(c.fixes) / math.sqrt(len(FAILING) * (len(c.fixes) + len(c.breaks))) for c in helpful]
        assert place.score == pytest.approx(max(own), abs=1e-4)
        assert 1 <= place.alike <= len(helpful)
    assert [place.score for place in places] == sorted((place.score for place in places), reverse=True)


@given(judged_candidates)
def test_where_a_repair_passes_every_case_only_such_places_count(judged: list[Candidate]) -> None:
    tally = Tally(len(FAILING))
    tally.note_helpful(judged)
    whole = [c for c in judged if c.complete]
    places = tally.places([c for c in judged if c.fixes], 9)
    lines = list(dict.fromkeys(c.line for c in whole)) if whole else sorted({c.line for c in judged if c.fixes})
    assert sorted(place.line for place in places) == sorted(lines)


def test_two_edits_count_at_the_line_of_the_first() -> None:
    both = replace(after(candidate(3), candidate(9)), fixes=FAILING, complete=True)
    tally = Tally(len(FAILING))
    tally.note_tried([both])
    assert tally.tried == 0, "it is no single edit"
    (place,) = tally.places([both], 9)
    assert (place.line, effects_of(Found((), 1, False, places=(place,)))[0]["together"]) == (3, True)


def test_lines_stand_in_their_order_whatever_the_order_of_the_edits() -> None:
    lower, upper = candidate(9), candidate(3)
    assert after(lower, upper).summary == after(upper, lower).summary == f"{upper.summary}, and {lower.summary}"
    part = effect(12, fixes=["t::a"], whole=False)
    told = explain(report(), searched(part, *(effect(n, whole=False) for n in (48, 11, 18))), (), PROGRAM)
    assert "Edits at other lines help too: 11, 18, 48." in told["cause"]
    assert (
        "3 other lines could do it too: 4, 22, 31."
        in (explain(report(), searched(effect(), effect(31), effect(4), effect(22)), (), PROGRAM)["cause"])
    )


def test_edits_of_one_expression_are_told_as_one_change() -> None:
    program = {"p.py": "def f(a, b):\n    return g(a - b) + 1\n"}
    changed = {"p.py": program["p.py"].replace("a - b", "abs(a // 2 - b)")}
    both = replace(after(candidate(2), candidate(2)), changes=changed, fixes=FAILING, complete=True)
    one = as_one_change(both, program)
    assert one.summary == "line 2: `a - b` becomes `abs(a // 2 - b)`"
    (place,) = effects_of(Found((), 1, False, places=Tally(3).places([one], 9)))
    assert place_sentence(place, 3, False).startswith("Line 2 has `a - b`; with `abs(a // 2 - b)` all 3")
    for other in (candidate(2), after(candidate(2), candidate(3)), replace(both, changes={"p.py": "f("})):
        assert as_one_change(other, program) == other


def test_edits_of_two_files_name_the_file_of_each() -> None:
    tax = replace(candidate(3), path="tax.py", summary="line 3: x", changes={"tax.py": ""})
    cart = replace(candidate(9), path="cart.py", summary="line 9: y", changes={"cart.py": ""})
    both = after(tax, cart)
    assert both.summary == edit_of(both, ["cart.py", "tax.py"]) == "tax.py line 3: x, and cart.py line 9: y"
    assert after(both, cart).summary == f"{both.summary}, and cart.py line 9: y"
    assert edit_of(after(tax, tax), ["cart.py", "tax.py"]) == "tax.py line 3: x, and line 3: x"
    place = effect(3, after(tax, tax).summary, together=True, file="tax.py")
    told = explain(report(), searched(place), (), {"tax.py": "", "cart.py": ""})
    assert told["cause"].startswith("With 2 edits together both failing cases pass: tax.py line 3: x, and line 3")


def effect(line: int = 12, edit: str = "`<` becomes `<=`", **changes: object) -> PlaceEffect:
    whole: PlaceEffect = {
        "file": "p.py",
        "line": line,
        "edit": edit,
        "together": False,
        "fixes": ["t::a", "t::b"],
        "breaks": 0,
        "whole": True,
        "alike": 1,
    }
    return {**whole, **changes}  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("place", "failing", "sentence"),
    [
        (effect(), 2, "Line 12 compares with `<`; with `<=` both failing cases pass."),
        (effect(edit="`a` becomes `b`", fixes=["t::a"]), 1, "Line 12 has `a`; with `b` the failing case passes."),
        (effect(edit="the sort is reversed"), 4, "With one edit at line 12, 2 of 4 failing cases pass: the sort"),
        (effect(breaks=1), 2, "both failing cases pass, but some that passed break."),
        (
            effect(together=True, edit="line 3: x, and line 4: y"),
            2,
            "With 2 edits together both failing cases pass: li",
        ),
    ],
)
def test_a_place_is_a_sentence_that_a_person_can_answer(place: PlaceEffect, failing: int, sentence: str) -> None:
    assert sentence in place_sentence(place, failing, several=False)


def test_of_several_files_the_place_is_named_with_its_file() -> None:
    assert place_sentence(effect(), 2, several=True).startswith("Line 12 of p.py compares")


PROGRAM = {"p.py": "def f(a):\n    b = a\n    return b\n"}


def report() -> SuiteReport:
    def case(name: str, outcome: str) -> CaseResult:
        return {  # type: ignore[typeddict-item]
            "id": name,
            "outcome": outcome,
            "message": "",
            "expected": "3",
            "actual": "2",
            "location": None,
            "traceback": "",
            "duration_s": 0.0,
            "output": "",
        }

    cases = [case("t::a", "failed"), case("t::b", "failed"), case("t::x", "passed")]
    return {"cases": cases, "error": None}  # type: ignore[typeddict-item]


def searched(*places: PlaceEffect, judged: int = 3412, left_out: int = 0, confidence: float = 0.8) -> Searched:
    return Searched(places, judged, True, left_out, confidence, "not in f" if left_out else "")


def test_the_diagnosis_names_the_edit_and_the_other_places() -> None:
    told = explain(report(), searched(effect(), effect(16), effect(22, alike=3)), (), PROGRAM)
    assert told["cause"].startswith(
        "Line 12 compares with `<`; with `<=` both failing cases pass. 2 other lines could "
    )
    assert "do it too: 16, 22." in told["cause"] and told["confidence"] == 0.8
    assert [row["line"] for row in told["evidence"]] == [12, 16, 22]
    assert told["evidence"][2]["why"] == "`<` becomes `<=`: every case passes (2 other edits of this line do it too)"
    named: PlaceEffect = {**effect(alike=3), "so_do": ["`<` becomes `!=`"]}
    why = explain(report(), searched(named), (), PROGRAM)["evidence"][0]["why"]
    assert why.endswith("(2 other edits of this line do it too: `<` becomes `!=`, ...)")
    long: PlaceEffect = {
        **effect(alike=3),
        "so_do": [f"`{'b[-1]' * 9}` becomes `{'b[-1]' * 9} + 1`", "`<` becomes `!=`"],
    }
    why = explain(report(), searched(long), (), PROGRAM)["evidence"][0]["why"]
    assert why.endswith("(2 other edits of this line do it too: `<` becomes `!=`, ...)"), "a cut edit tells nothing"


def test_an_edit_that_mends_a_part_is_no_certain_cause() -> None:
    told = explain(report(), searched(effect(fixes=["t::a"], whole=False)), (), PROGRAM)
    assert "1 of 2 failing cases passes." in told["cause"] and "None of the 3,412 edits" in told["cause"]
    assert told["confidence"] < 0.5


def test_a_diagnosis_without_an_edit_that_mends_anything_is_not_sure_of_any() -> None:
    told = explain(report(), searched(), [Suspect("p.py", 2, 1.0, "runs")], PROGRAM)
    assert told["confidence"] > 0 and told["fixes"] == [] and cause_sureness(told) == ""
    part = explain(report(), searched(effect(fixes=["t::a"], whole=False)), [Suspect("p.py", 2, 1.0, "runs")], PROGRAM)
    assert cause_sureness(part).endswith("% sure")


def test_what_would_disprove_several_edits_speaks_of_them_all() -> None:
    one = explain(report(), searched(effect()), (), PROGRAM)
    both = explain(report(), searched(effect(together=True, edits=2, edit="line 3: x, and line 4: y")), (), PROGRAM)
    assert one["disproof"].startswith("This edit gives") and both["disproof"].startswith("These edits give")


def test_where_no_edit_helps_coverage_speaks_and_says_so_once() -> None:
    suspects = [Suspect("p.py", line, 0.7, "runs in 2 of 2 failing cases and in 1 of 1 passing") for line in (2, 3)]
    told = explain(report(), searched(left_out=4), suspects, PROGRAM)
    assert told["cause"].startswith(
        "No failing case passes with any of the 3,412 edits that were tried. "
        "4 edits were not tried, left out after your answers: not in f. "
    )
    assert "p.py:2" in told["cause"] and told["confidence"] <= 0.6
    assert [row["why"] for row in told["evidence"]] == [suspects[0].why, "`return b` (for the same reason)"]
    chosen = at_place(cast(Diagnosis, told), "2")
    assert chosen["cause"] == f"You chose line {chosen['evidence'][0]['line']} of p.py, `return b`."
    assert is_chosen_place(chosen) and not is_chosen_place({**chosen, "cause": "Mine."})


def uncollected(message: str) -> SuiteReport:
    return {**report(), "cases": [{**report()["cases"][0], "id": "test_p.py", "outcome": "error", "message": message}]}


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("ImportError: cannot import name 'nothere' from 'p' (/box/p.py)", "p.py has no name `nothere` (ImportError)"),
        ("AttributeError: module 'p' has no attribute 'nothere'", "p.py has no name `nothere` (AttributeError)"),
        ("ImportError: cannot import name 'x' from 'json' (/lib/json)", "ImportError: cannot import name 'x' from"),
        ("ValueError: too early", "ValueError: too early"),
    ],
)
def test_tests_that_cannot_be_collected_are_said_to_be_that_first(message: str, why: str) -> None:
    blind = [Suspect("p.py", line, 0.3, BLIND) for line in (1, 2)]
    told = explain(uncollected(message), searched(), blind, PROGRAM)
    assert told["cause"].startswith(f"test_p.py cannot be collected: {why}")
    assert "No failing case passes with any of the 3,412 edits" in told["cause"]
    assert "suspicious" not in told["cause"] and told["evidence"] == [] and told["fixes"] == []
    assert BY_COMMANDS in told["strategy"] and "name that one. If you approve, a model" in told["strategy"]
    shown = diagnosis_content(cast(Diagnosis, told)).plain
    assert "the code is wrong" not in shown and "m asks a model, and f, then “code”" in shown


def test_lines_that_nobody_saw_run_are_not_said_to_be_suspicious() -> None:
    told = explain(report(), searched(), [Suspect("p.py", line, 0.3, BLIND) for line in (1, 2)], PROGRAM)
    assert told["cause"].endswith(
        "No failing case was seen to run a line of the program, so no line is more suspicious than another: "
        "if the tests are of other files, start again and name those."
    )


def test_the_case_that_is_quoted_runs_the_line_and_each_failing_case_has_one() -> None:
    suspects = [Suspect("p.py", line, 1.0 - line / 10, f"runs in {line}") for line in range(1, 8)]
    coverage = {"t::a": {"p.py": frozenset({7})}, "t::b": {"p.py": frozenset({1})}}
    told = explain(report(), Searched([], 0, False, 0, 0.0), suspects, PROGRAM, coverage=coverage)
    assert [row["line"] for row in told["evidence"]] == [1, 2, 3, 4, 7]
    assert "`b`" in told["cause"] and "`a`" not in told["cause"]
    assert "any of p.py:1, p.py:2, p.py:3, p.py:4, p.py:7," in told["disproof"]
    elsewhere = explain(report(), Searched([], 0, False, 0, 0.0), suspects[:3], PROGRAM, coverage=coverage)
    assert elsewhere["disproof"] == "A repair elsewhere that mends every case."


def test_the_kind_of_an_edit_that_was_worked_out_is_told_in_words() -> None:
    for name in ("angelic_condition", "angelic_jump", "angelic_result"):
        told = explain(report(), searched({**effect(), "family": name}), (), PROGRAM)
        assert told["slip"] and "angelic" not in told["slip"]


def test_where_each_edit_breaks_a_case_nobody_is_told_to_take_one() -> None:
    place = {**effect(fixes=["t::a"], whole=False), "breaks": ["t::c"]}
    told = explain(report(), searched(place), (), PROGRAM)
    assert "each edit that was found breaks a case" in told["strategy"]


def test_independent_edits_are_named_and_a_place_says_which_lines_go_with_it() -> None:
    each = ["line 3: `a` becomes `b`", "line 9: `<` becomes `<=`", "line 12: x"]
    others = [{"file": "p.py", "line": 9, "edit": "`<` becomes `<=`"}, {"file": "p.py", "line": 12, "edit": "x"}]
    place = effect(3, "3 independent edits: ...", together=True, each=each, edits=3, others=others)
    told = explain(report(), searched(place), (), PROGRAM)
    assert told["cause"].startswith(f"With 3 independent edits both failing cases pass: {'; '.join(each)}.")
    assert told["edits"] == 3 and told["evidence"][0]["also"] == others
    assert told["evidence"][0]["why"] == "`a` becomes `b`, with lines 9 and 12: every case passes"
    old = explain(report(), searched(effect(3, "...", together=True, each=each, edits=3)), (), PROGRAM)
    assert old["evidence"][0]["why"] == "`a` becomes `b`, with 2 other edits: every case passes"


START = (Mark("start", "It only starts `n` at `2` instead of `0`."),)


def test_a_diagnosis_bears_the_marks_of_its_edit() -> None:
    whole = replace(candidate(3, FAILING), marks=START)
    (place,) = effects_of(Found((), 1, False, places=Tally(3).places([whole], 9)))
    told = explain(report(), Searched([place], 9, True, 0, 0.7), [], {"p.py": "x\n" * 20})
    assert f"pass. ⚠ {START[0].why}" in told["cause"]
    assert told["evidence"][0]["why"].endswith("⚠ It only starts `n` at `2` instead of `0`")
    told = explain(report(), Searched([{**place, "marks": ["It is one.", "It is two."]}], 9, True, 0, 0.7), [], PROGRAM)
    assert told["evidence"][0]["why"].endswith(": every case passes ⚠ It is one. ⚠ It is two")
    assert at_place(told, "1")["cause"].endswith("⚠ It is two.") and ".." not in told["cause"]
    assert "⚠" not in explain(report(), Searched([effect()], 9, True, 0, 0.7), [], {"p.py": "x\n" * 20})["cause"]


def test_a_marked_part_is_half_as_sure_and_comes_behind_an_unmarked_one() -> None:
    suspects = [Suspect("p.py", 3, 1.0, "")]
    part = effect(3, fixes=["t::a"], whole=False)
    plain, marked = (
        explain(report(), Searched([one], 9, True, 0, 0.0), suspects, {"p.py": "x\n" * 20})["confidence"]
        for one in (part, {**part, "marks": [START[0].why]})
    )
    assert marked == pytest.approx(plain / 2, abs=0.01) and plain > 0
    marked_part, plain_part = replace(candidate(3, FAILING[:1]), marks=START), candidate(9, FAILING[:1], cost=5.0)
    assert [one.line for one in few_of_each(useful_first([marked_part, plain_part]), SHOWN)] == [9, 3]
    more = replace(candidate(4, FAILING), marks=START, complete=False)
    assert [one.line for one in few_of_each(useful_first([more, plain_part]), SHOWN)] == [9, 4], (
        "however few cases it mends"
    )
    assert [one.line for one in few_of_each(useful_first([replace(more, parts=2), marked_part]), SHOWN)] == [3, 4]


def test_the_kind_of_slip_is_told_in_words_also_where_its_name_says_nothing() -> None:
    import selfheal_tui.search.operators.companions  # noqa: F401

    told = explain(report(), searched(effect(family="companion")), (), PROGRAM)
    assert (told["category"], told["slip"]) == (
        "companion",
        "of two things that change together one is left as it was",
    )
    assert "slip" not in explain(report(), searched(effect()), (), PROGRAM)


@pytest.mark.parametrize("places", [(), (effect(),), (effect(whole=False),)])
def test_a_slow_suite_is_named_as_the_reason_for_few_edits(places: tuple[PlaceEffect, ...]) -> None:
    slow, cut = {**report(), "duration_s": 4.2}, replace(searched(*places, judged=104), cut_short="time")
    words = "Only 104 edits could be tried in the time: one run of the tests takes 4.2 s."
    assert words in explain(slow, cut, (), PROGRAM)["cause"]  # type: ignore[arg-type]
    assert words not in explain(slow, replace(cut, cut_short=""), (), PROGRAM)["cause"]  # type: ignore[arg-type]
    assert "one run of the tests" not in explain({**slow, "duration_s": 0.3}, cut, (), PROGRAM)["cause"]  # type: ignore[arg-type]


def test_an_edit_that_mends_no_case_beside_another_pads_it() -> None:
    def real(cases: Collection[str]) -> list[str]:
        return [case for case in cases if "check" not in case]

    one, two = candidate(12, ("t::a",)), candidate(17, ("t::b::check_1",))
    padded = replace(after(one, two), fixes=("t::a", "t::b::check_1"), loses=("`assert f()` holds without it",))
    both = replace(after(one, two), line=18, fixes=("t::a", "t::b"))
    three = replace(after(both, candidate(20)), fixes=both.fixes)
    assert without_padded([padded, one, two, both, three], real) == [one, two, both]
    losing = replace(one, loses=("`assert g()` holds without it",))
    assert without_padded([losing, replace(padded, loses=())], real) == [losing, replace(padded, loses=())]
    assert without_padded([replace(one, breaks=("t::x",)), padded], real)[1:] == [padded], "the other makes it right"
