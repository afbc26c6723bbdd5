"""Which repair may be taken where nobody looks, what the policy makes of it, and candidates taken together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from selfheal_tui.engine.loop.nodes.answer import answered
from selfheal_tui.engine.loop.policy import accept_repair
from selfheal_tui.engine.moment.state import HealState, Repair
from selfheal_tui.engine.moment.sureness import unsure_of_taken
from selfheal_tui.engine.moment.together import joined_repair
from selfheal_tui.engine.workshop.rehearsal import tie_of
from selfheal_tui.engine.workshop.trusted import (
    doubts_about,
    doubts_about_part,
    doubts_of_person,
    taken_unseen,
    withheld,
)
from selfheal_tui.errors import InputError
from selfheal_tui.line_blocks import changed_places, merged
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.program.mark import Mark
from selfheal_tui.search.weigh.joined import few_of_each, joined_candidates
from selfheal_tui.search.weigh.rank import likeliest_parts

START = {"kind": "start", "why": "It only starts `n` at `-1` instead of `0`."}
SPECIAL = {"kind": "special", "why": "It treats a value of the tests as a case of its own: `n == 7`."}
NUMBER = {"kind": "number", "why": "It adjusts `n` by a constant that nothing explains: `n + 2`."}
RIVALS = {"kind": "rivals", "why": "An edit at another line mends 2 of its cases too."}
UNORDERED = {"kind": "unordered", "why": "It goes through a set, whose order differs from run to run."}
UNASKED = {**RIVALS, "kind": "unasked"}
RAISES = {"kind": "raises", "why": "f([1, 2]) raises IndexError, and before it did not."}
CALLS = "f(1)\nf(2)\nf(3)\nf(4)\n"
TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


def repair(failed: int = 0, **more: Any) -> Repair:
    verdict = "failed" if failed else "passed"
    report = {"verdict": verdict, "failed": failed, "errors": 0, "timeouts": 0}
    plain = {"summary": "s", "changes": {}, "strategy": "search", "by": "search", "fixes": ["t::a"], "breaks": []}
    return cast(Repair, {**plain, "report": report, **more})


@pytest.mark.parametrize(
    "one",
    [
        repair(confidence=0.3),
        repair(marks=[START], confidence=0.6, clusters=1),
        repair(marks=[RIVALS], confidence=0.6, clusters=1),
        repair(confidence=0.35, clusters=3),
        repair(failed=1, independent=True),
        repair(strategy="minimal", by="fake:m", marks=[START]),
        repair(failed=1, strategy="minimal", by="fake:m"),
    ],
)
def test_taken_unseen(one: Repair) -> None:
    assert withheld(one) == ""
    assert taken_unseen([one]) == ("1", "")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (repair(marks=[START]), "coincidence"),
        (repair(marks=[START], confidence=0.9, clusters=0), "coincidence"),
        (repair(marks=[START], confidence=0.4, clusters=1), "coincidence"),
        (repair(marks=[NUMBER], confidence=0.23, clusters=4), "constant that nothing explains"),
        (repair(marks=[START, RAISES], confidence=0.9, clusters=2), "raises IndexError"),
        (repair(marks=[UNASKED], confidence=0.9, clusters=2), "another line mends 2"),
        (repair(marks=[UNORDERED], confidence=0.9, clusters=2), "goes through a set"),
        (repair(marks=[{"kind": "lets_in", "why": "It lets in n."}], confidence=0.9, clusters=2), "lets in n"),
        (repair(strategy="minimal", by="fake:m", marks=[UNORDERED]), "goes through a set"),
        (repair(failed=2), "some of them run the changed lines"),
        (repair(failed=2, unseen_lines=True), "still fail; which lines one of them ran was not seen"),
        (repair(failed=3, breaks=["t::b"]), "3 cases fail: 1 of them passed before."),
        (repair(failed=2, independent=True, marks=[START]), "coincidence"),
        (repair(strategy="minimal", by="fake:m", marks=[SPECIAL]), "coincidence"),
    ],
)
def test_left_for_a_person(one: Repair, words: str) -> None:
    assert words in withheld(one)
    assert taken_unseen([one])[0] == ""


def test_a_repair_of_which_the_search_does_not_say_how_sure_it_is_is_left_for_a_person() -> None:
    assert taken_unseen([repair(), repair()]) == ("", "With it every case passes, but the search is not sure of it.")


def test_after_a_part_that_a_person_took_the_search_must_be_sure() -> None:
    doubtful, sure = repair(confidence=0.31, clusters=3), repair(confidence=0.6, clusters=3)
    why = "With it every case passes, but the search is only 31% sure of it."
    assert taken_unseen([doubtful, repair()], needs_surety=True) == ("", why)
    assert taken_unseen([sure], needs_surety=True) == ("1", "")
    assert taken_unseen([repair(strategy="minimal", by="fake:m")], needs_surety=True) == ("1", "")


def test_what_only_avoids_an_exception_is_not_taken_for_it() -> None:
    raising = repair(marks=[{"kind": "raises", "why": "mean([]) raises ZeroDivisionError with it."}])
    assert taken_unseen([raising, repair()]) == ("", withheld(raising))
    special = repair(marks=[{"kind": "special", "why": "It treats a value on its own."}], confidence=0.4)
    assert taken_unseen([special, repair()])[0] == "2"
    told = repair(marks=[{"kind": "untold", "why": "12 others do the same."}], confidence=0.68, clusters=2)
    assert taken_unseen([told, repair()]) == ("", withheld(told)), "others like the first speak for no other one"


def test_how_many_cases_still_fail_is_said_in_plain_words() -> None:
    assert withheld(repair(failed=1)) == (
        "It mends 1 case, and 1 case still fails; that case runs the changed lines too, "
        "so the mistake there may be mended only in part."
    )
    assert "1 case fails, which passed before." in withheld(repair(failed=1, breaks=["t::b"]))
    assert withheld(repair(failed=1, search_s=60.0)).startswith("The search used up its 60 s. It mends 1 case, and")


def test_a_case_whose_lines_were_not_seen_is_not_said_to_run_the_changed_ones() -> None:
    cases = [{"id": name, "outcome": "failed"} for name in "ab"]
    for ran, tie in (({3}, "runs"), ({4}, "apart"), (set(), "unseen")):
        coverage: Any = {"a": {"p.py": [5]}, "b": {"p.py": sorted(ran)}}
        assert tie_of(cast(SuiteReport, {"cases": cases}), coverage, {"p.py": {2, 3}}) == tie
    only_support: Any = {"a": {"p.py": [5]}, "b": {"support.py": [1]}}
    assert tie_of(cast(SuiteReport, {"cases": cases}), only_support, {"p.py": {2, 3}}) == "apart"


def test_what_was_taken_unseen_says_its_doubts() -> None:
    assert doubts_about(repair(confidence=0.8)) == ""
    assert doubts_about(repair(summary="line 3: n → n + 2", marks=[NUMBER], confidence=0.23)) == (
        "Nobody looked at this repair: line 3: n → n + 2. It adjusts `n` by a constant that nothing explains: `n + 2`. "
        "The search is only 23% sure of it."
    )
    why, first = "It mends 2 cases; that may be a coincidence.", repair(summary="line 2: `a` becomes `b`")
    assert doubts_about(repair(summary="Add."), why, first=first) == (
        "Nobody looked at this repair: Add. The first candidate beside it (line 2: `a` becomes `b`) was passed over: "
        "it mends 2 cases; that may be a coincidence."
    )


def test_another_that_mends_as_much_is_taken_instead() -> None:
    assert taken_unseen([repair(marks=[START], confidence=0.4), repair()])[0] == "2"
    assert taken_unseen([repair(marks=[START], confidence=0.4), repair(failed=1, independent=True)])[0] == ""


def test_full_autonomy_gives_up_with_its_candidates() -> None:
    state = cast(HealState, {"autonomy": "full_auto", "gain": 1, "withheld": "It may be luck.", "unseen": ""})
    decision = accept_repair(state)
    assert decision is not None
    update = answered("repair", state, decision)
    assert update["outcome"] == "gave_up"
    assert "It may be luck." in update["reason"]
    assert "candidates" not in update
    taken = accept_repair({**state, "unseen": "2"})
    assert taken is not None
    assert (taken["verdict"], taken["pick"]) == ("approve", "2")


def test_changes_of_different_lines_are_merged() -> None:
    one, two = TEXT.replace("1", "10"), TEXT.replace("c = 3\n", "")
    assert merged(TEXT, [one, two]) == "a = 10\nb = 2\nd = 4\n"
    assert merged(TEXT, [one, one]) == one
    assert merged(TEXT, [one, TEXT.replace("1", "11")]) is None
    assert changed_places(TEXT, one) == {1}
    assert changed_places(TEXT, two) == {2, 3}


def test_candidates_that_fit_are_one_repair() -> None:
    candidates = {
        "1": repair(failed=1, summary="first", changes={"p.py": TEXT.replace("1", "10")}),
        "2": repair(failed=1, summary="second", changes={"p.py": TEXT.replace("1", "11")}),
        "3": repair(failed=1, summary="third", changes={"p.py": TEXT.replace("4", "40")}),
    }
    joined = joined_repair({"p.py": TEXT}, candidates, ["1", "3"])
    assert joined["changes"] == {"p.py": "a = 10\nb = 2\nc = 3\nd = 40\n"}
    assert joined["summary"] == "Candidates 1 and 3 together: first; third"
    for labels, words in ((["1", "2"], "same lines of p.py"), (["1", "9"], "no candidate '9'"), (["1", "1"], "once")):
        with pytest.raises(InputError) as refused:
            joined_repair({"p.py": TEXT}, candidates, labels)
        assert words in f"{refused.value.message} {refused.value.hint}"
    whole = {label: repair(changes=one["changes"]) for label, one in candidates.items()}
    with pytest.raises(InputError, match="1 and 3 mend every case, each by itself"):
        joined_repair({"p.py": TEXT}, whole, ["1", "3"])


def candidate(line: int, text: str, *fixes: str, cost: float = 1.0) -> Candidate:
    return Candidate({"p.py": text}, f"line {line}: x", "x", "p.py", line, cost, 1, fixes=fixes)


def test_edits_that_mend_different_cases_are_joined() -> None:
    first = candidate(1, CALLS.replace("1", "10"), "a", "b")
    other = candidate(1, CALLS.replace("1", "11"), "a", "b", cost=2.0)
    second = candidate(4, CALLS.replace("4", "40"), "c")
    best, *more = joined_candidates({"p.py": CALLS}, [other, second, first], {})
    assert best.changes == {"p.py": "f(10)\nf(2)\nf(3)\nf(40)\n"}
    assert best.summary == "2 independent edits: line 1: x; line 4: x"
    assert len(more) == 1
    assert joined_candidates({"p.py": CALLS}, [first, other], {}) == []
    assert few_of_each([first, other, second], 2) == (first, second)


def test_the_likeliest_rival_at_another_line_is_joined_too() -> None:
    alike = [candidate(1, CALLS.replace("1", f"1{n}"), "a", "b", cost=1.0 + n / 10) for n in range(6)]
    near, far = (candidate(line, CALLS.replace(str(line), "9"), "a", "b", cost=c) for line, c in ((2, 2.9), (3, 3.1)))
    joined = joined_candidates({"p.py": CALLS}, [*alike, near, far, candidate(4, CALLS.replace("4", "40"), "c")], {})
    assert [one.before[0][1] for one in joined] == [1, 1, 1, 1, 2]


SALES = "RATES = {'tea': 5}\n\n\ndef fee(n):\n    return n + 1\n\n\ndef rate():\n    return RATES['tea']\n"


def test_what_may_be_a_coincidence_is_not_joined() -> None:
    of_data = candidate(1, SALES.replace("5", "7"), "a")
    plain = candidate(5, SALES.replace("n + 1", "n - 1"), "b")
    assert joined_candidates({"p.py": SALES}, [of_data, plain], {}) == []
    (joined,) = joined_candidates({"p.py": SALES}, [of_data, plain], {}, doubted=True)
    assert joined.parts == 2 and [mark.kind for mark in joined.marks] == ["joined"]
    other = candidate(9, SALES.replace("RATES['tea']", "str(RATES['tea'])"), "a", cost=3.0)
    assert [one.parts for one in joined_candidates({"p.py": SALES}, [plain, other], {})] == [2]


def test_what_was_joined_before_is_told_edit_by_edit() -> None:
    two = [candidate(line, CALLS.replace(str(line), f"{line}0"), case) for line, case in ((1, "a"), (3, "b"))]
    (pair,) = joined_candidates({"p.py": CALLS}, two, {})
    judged = replace(pair, fixes=("a", "b"))
    (three,) = joined_candidates({"p.py": CALLS}, [judged, candidate(2, CALLS.replace("2", "20"), "c")], {})
    assert three.summary == "3 independent edits: line 1: x; line 2: x; line 3: x"
    assert (three.parts, three.mends) == (3, (("a",), ("c",), ("b",)))
    assert [*three.before, (three.path, three.line)] == [("p.py", 1), ("p.py", 2), ("p.py", 3)]


def test_joined_edits_of_several_files_name_theirs() -> None:
    program = {"p.py": CALLS, "q.py": CALLS}
    first = candidate(1, CALLS.replace("1", "10"), "a")
    second = replace(
        candidate(1, CALLS.replace("1", "10"), "b"), path="q.py", changes={"q.py": CALLS.replace("1", "9")}
    )
    (joined,) = joined_candidates(program, [first, second], {})
    assert joined.summary == "2 independent edits: p.py line 1: x; q.py line 1: x"
    long = replace(first, summary=f"line 1: {'x' * 600}"), replace(second, summary=f"line 1: {'y' * 600}")
    (joined,) = joined_candidates(program, long, {})
    doubted = doubts_about({**repair(confidence=0.3), "summary": joined.summary})
    assert "p.py line 1: xx" in doubted and "q.py line 1: yy" in doubted and len(doubted) < 500


def test_a_doubt_names_the_file_where_the_program_has_several() -> None:
    taken = repair(confidence=0.4, summary="line 12: x", changes={"shop/a.py": ""})
    alone, named = "this repair: line 12: x. ", "this repair of shop/a.py: line 12: x. "
    for several, words in ((False, alone), (True, named)):
        person = doubts_of_person(taken, "Hm.", with_marks=False, proposed=taken, in_part=False, several=several)
        assert person == f"You approved {words}Hm."
        assert doubts_about(taken, several=several).startswith(f"Nobody looked at {words}")
        assert doubts_about_part({**repair(failed=1), "changes": taken["changes"]}, several=several)
    passed_over = doubts_about(repair(changes={"b.py": ""}), "It may be wrong.", first=taken, several=True)
    assert "The first candidate beside it (in shop/a.py, line 12: x) was passed over" in passed_over
    both = repair(confidence=0.4, changes={"a.py": "", "b.py": ""}, summary="a.py line 1: x; b.py line 1: x")
    assert "this repair: a.py line 1" in doubts_about(both, several=True), "its edits name theirs"


def test_a_mere_guess_is_left_for_a_person() -> None:
    label, why = taken_unseen([repair(confidence=0.2, clusters=2), repair()])
    assert (label, why) == ("", "With it every case passes, but the search is only 20% sure of it.")
    assert taken_unseen([repair(confidence=0.35, clusters=2), repair()]) == ("1", "")
    assert taken_unseen([repair(by="fake:m", strategy="minimal")])[0] == "1", "a model does not say how sure it is"


def test_a_part_that_was_taken_unseen_is_doubted_also_where_the_run_heals() -> None:
    assert "Other cases still failed then" in doubts_about_part(repair(failed=2))
    assert doubts_about(repair(failed=2)) == doubts_about_part(repair(failed=2)), "it is said where the run heals, too"
    for one in (repair(), repair(failed=2, by="fake:m", strategy="minimal"), repair(failed=2, confidence=0.7)):
        assert doubts_about_part(one) == ""


def test_what_a_person_took_in_a_run_that_works_alone_is_doubted_as_such() -> None:
    taken = repair(marks=[START])
    told = doubts_of_person(taken, "", with_marks=True, proposed=taken, in_part=False)
    assert told.startswith("You approved this repair: s. ")
    assert doubts_of_person(taken, "", with_marks=False, proposed=taken, in_part=False) == ""


def test_the_doubt_of_what_a_person_took_is_about_that_repair() -> None:
    likeliest, other, model = repair(confidence=0.56), repair(), repair(by="fake:m", strategy="minimal")
    there = [likeliest, other, model]
    assert unsure_of_taken(likeliest, [likeliest], there) == "The search is only 56% sure of it."
    assert unsure_of_taken(other, [likeliest], there, in_part=True) == "The search is only 56% sure of the whole of it."
    assert "holds another repair beside it for likelier, and is only 56% sure" in unsure_of_taken(other, [other], there)
    assert unsure_of_taken(other, [other, likeliest], there) == "The search is only 56% sure of one of them."
    sure = repair(confidence=0.8)
    assert "and is 80% sure of that one" in unsure_of_taken(other, [other], [sure, other])
    assert not unsure_of_taken(sure, [sure], there) and not unsure_of_taken(model, [model], there)
    part = repair(failed=1)
    assert unsure_of_taken(part, [part], [part]).startswith("Other cases still failed then")
    assert not unsure_of_taken(part, [model], [model])
    assert doubts_of_person(other, "Hm.", with_marks=False, proposed=likeliest, in_part=True) == (
        "You took a part of this repair: s. Hm."
    )


def test_plain_parts_are_looked_at_however_many_cheaper_ones_may_be_coincidences() -> None:
    doubtful = [replace(candidate(n, CALLS, "a", "b"), marks=(Mark("other_type", "why"),)) for n in range(1, 20)]
    plain = [candidate(30, CALLS, "a", "b", cost=3.0), candidate(31, CALLS, "c", cost=9.0)]
    few = likeliest_parts([*doubtful, *plain], (), 8)
    assert few[0] == plain[0] and plain[1] in few and len(few) == 8
    assert likeliest_parts([*doubtful, *plain], [("p.py", 7)], 8)[0] == doubtful[6]
    breaking = [replace(one, breaks=("t::z",), fixes=("t::a", "t::b", "t::c")) for one in doubtful]
    assert likeliest_parts([*breaking, plain[0]], (), 4)[0] == plain[0], "what breaks a case takes no other's room"


def test_edits_that_may_be_coincidences_keep_no_plain_ones_from_being_joined() -> None:
    """A marked one that mends more cases than each of them, and many cheaper marked ones that mend as much."""

    def part(line: int, new: str, cost: float, *cases: str) -> Candidate:
        text = CALLS.replace(f"f({line})", new)
        return Candidate({"p.py": text}, f"line {line}: {new}", "x", "p.py", line, cost, 1, fixes=cases)

    greedy = [part(3, f"f(3) if x == {n} else 0", 0.5, "a", "b", "c") for n in range(50, 60)]
    marked = [part(1, f"f(1) if x == {n} else 0", 1.0, "a", "b") for n in range(50, 100)]
    plain = [part(1, "f(9)", 2.0, "a", "b"), part(4, "f(8)", 2.0, "c")]
    tests = {"test_p.py": "".join(f"assert {n}\n" for n in range(50, 100))}
    (joined,) = joined_candidates({"p.py": CALLS}, [*greedy, *marked, *plain], tests)
    assert joined.summary == "2 independent edits: line 1: f(9); line 4: f(8)"
