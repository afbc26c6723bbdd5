"""A candidate in one line, and what parts it from the first."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.moment.candidate_words import candidate_line, candidate_lines, difference_words
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.sureness import unsure_line
from selfheal_tui.search.program.recent import RecentChange

OLD = "def f(a, b):\n    x = 0\n    if a < b:\n        x = a\n    return range(x)\n"
PROGRAM = {"f.py": OLD}


def repair(old: str = "a < b", new: str = "a <= b", passing: str = "ab", **facts: Any) -> Repair:
    cases = [{"id": f"t.py::test_{c}", "outcome": "passed" if c in passing else "failed"} for c in "abcdef"]
    report = {"verdict": "passed", "error": None, "cases": cases}
    values = {
        "summary": "loop the \x1b[31mother way",
        "changes": {"f.py": OLD.replace(old, new)},
        "report": report,
        "fixes": [f"t.py::test_{c}" for c in passing],
        "breaks": [],
    }
    return cast(Repair, {**values, **facts})


def test_a_line_says_where_what_and_what_it_does() -> None:
    line = candidate_line(repair(), PROGRAM, {})
    assert line.text == "line 3 `<` -> `<=`: fixes 2, breaks 0"
    assert (line.head, line.fixes, line.breaks, line.doubts) == ("line 3 `<` -> `<=`", "fixes 2", "breaks 0", "")


def test_a_line_counts_the_marks_and_names_the_file_among_several() -> None:
    marks = [{"kind": "data", "why": "a"}, {"kind": "early", "why": "b"}]
    line = candidate_line(repair(marks=marks, breaks=["t.py::test_c"]), {**PROGRAM, "g.py": ""}, {})
    assert line.text == "f.py:3 `<` -> `<=`: fixes 2, breaks 1, 2 doubts"
    test = candidate_line(repair(of_test=True), {}, PROGRAM)
    assert test.where == "f.py:3"
    both = repair(changes={"f.py": OLD.replace("<", ">"), "g.py": "b = 2\n"})
    line = candidate_line(both, {**PROGRAM, "g.py": "b = 1\n"}, {})
    assert line.head == "f.py:3 `<` -> `>`, g.py:1 `1` -> `2`", "one form for every place"
    anew = repair(changes={"f.py": "def f(a, b):\n    return 1\n"}, summary="f.py line 2: a; g.py line 1: b")
    assert candidate_line(anew, {**PROGRAM, "g.py": "b\n"}, {}).head == "f.py:2-5 a; g.py:1: b"


@pytest.mark.parametrize(("confidence", "of_first"), [(0.79, "1 doubt"), (0.93, "")])
def test_a_repair_that_the_search_holds_for_less_likely_has_no_fewer_doubts_than_the_first(
    confidence: float, of_first: str
) -> None:
    first = repair(by="search", confidence=confidence)
    other = repair(by="search", new="a != b")
    of_a_model = repair(by="repairer", new="a > b")
    part = repair(by="search", new="a == b", report={"verdict": "failed", "error": None, "cases": []})
    listed = [first, other, of_a_model, part]
    assert [line.doubts for line in candidate_lines(listed, PROGRAM, {})] == [of_first, "1 doubt", "", ""]
    assert unsure_line(other, listed) == "the search holds another one for likelier" and unsure_line(other) == ""
    assert unsure_line(part, listed) == "how sure the search is: not known while other cases fail"


def test_pieces_stand_in_the_order_of_their_lines_where_there_is_room() -> None:
    first = repair(changes={"f.py": OLD.replace("a < b", "a > b").replace("(x)", "(x + 1)")})
    other = repair(changes={"f.py": OLD.replace("a < b", "a > b").replace("(x)", "(x + 2)")})
    _, line = candidate_lines([first, other], PROGRAM, {})
    assert line.head_in(200).startswith("line 3 `<` -> `>`, line 5 ")
    assert line.head_in(len(line.head) - 1).startswith("line 5 "), "what only it changes is never what is cut"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"changes": {"f.py": "def f(a, b):\n    return 1\n"}}, "lines 2-5 loop the other way: fixes 2, breaks 0"),
        ({"changes": PROGRAM}, "loop the other way: fixes 2, breaks 0"),
        ({"changes": {"new.py": "x = 1\n"}}, "new.py a new file: fixes 2, breaks 0"),
        ({"report": {"error": "no module", "cases": []}, "fixes": []}, "line 3 `<` -> `<=`: cannot run"),
        ({"changes": {"f.py": OLD.replace("a < b", "a > b").replace("x)", "x + 1)")}},
         "line 3 `<` -> `>`, line 5 adds `+ 1` after `x`: fixes 2, breaks 0"),
    ],
)  # fmt: skip
def test_where_a_few_words_cannot_say_the_change_the_summary_does(facts: dict[str, Any], words: str) -> None:
    assert candidate_line(repair(**facts), PROGRAM, {}).text == words


def test_a_piece_among_several_is_told_in_its_own_words_of_the_summary() -> None:
    new = OLD.replace("x = 0", "x = 1").replace("if a < b:\n        x = a", "for x in b:\n        break\n    y = 2")
    program = {"f.py": OLD.replace("    if", "    z = 9\n    if")}
    new = new.replace("    for", "    z = 9\n    for")
    summary = "2 independent edits: line 2: `0` becomes `1`; line 4: A, and line 5: B"
    line = candidate_line(repair(changes={"f.py": new}, summary=summary), program, {})
    assert line.head == "line 2 `0` -> `1`, lines 4-5 A; line 5: B"


def test_what_git_had_says_so_before_what_it_changes() -> None:
    recent = {("f.py", 3): RecentChange("884c5cf Simplify", "1 day ago", "    if a <= b:\n", 1)}
    line = candidate_line(repair(), PROGRAM, {}, recent=recent)
    assert line.head == "line 3 as before 884c5cf, `<` -> `<=`"
    assert candidate_line(repair("a < b", "a > b"), PROGRAM, {}, recent=recent).head == "line 3 `<` -> `>`"
    both = repair(changes={"f.py": OLD.replace("<", "<=").replace("(x)", "(b)")})
    head = candidate_line(both, PROGRAM, {}, recent=recent).head
    assert head == "line 3 partly as before 884c5cf, `<` -> `<=`, line 5 `x` -> `b`"
    more = {**recent, ("f.py", 5): RecentChange("", "", "    return range(b)\n", 1)}
    head = candidate_line(both, PROGRAM, {}, recent=more).head
    assert head == "line 3 all as before 884c5cf and others, `<` -> `<=`, line 5 `x` -> `b`"


def test_what_was_not_run_says_so() -> None:
    bare = cast(Repair, {"summary": "s", "changes": {"f.py": OLD.replace("<", ">")}})
    assert candidate_line(bare, PROGRAM, {}).text == "line 3 `<` -> `>`: not rehearsed"
    assert difference_words(repair(), bare, PROGRAM) == "same line, `>` instead of `<=`"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (repair("a < b", "a != b"), "same line, `!=` instead of `<=`; passes the same cases"),
        (repair("a < b", "a <= b + 1"), "same line, with `+ 1`; passes the same cases"),
        (repair("a < b", "a"), "same line, without `<= b`; passes the same cases"),
        (repair("range(x)", "range(x + 1)", "abc"), "another place; also passes test_c"),
        (repair("range(x)", "range(x + 1)", "bc"), "another place; also passes test_c; does not pass test_a"),
        (repair(passing="", report={"error": "x", "cases": []}, old="a < b", new="b"), "same line, without `a <=`"),
        (
            repair("a < b:\n        x = a", "a <= b:\n        x = b"),
            "line 4 `a` -> `b`; passes the same cases",
        ),
        (repair("x)", "a)", part_of="k"), "a part of 1; passes the same cases"),
    ],
)
def test_what_parts_a_candidate_from_the_first(other: Repair, words: str) -> None:
    assert difference_words(repair(key="k"), other, PROGRAM) == words


def test_many_cases_are_cut_and_counted() -> None:
    words = difference_words(repair(passing=""), repair("x)", "a)", "abcde"), PROGRAM)
    assert words == "another place; also passes test_a, test_b, test_c and 2 more"


def test_a_call_on_which_they_part_is_named() -> None:
    first = repair(answers={"f(1, 1)": "1", "f(3)": "3", "f(\x1b)": "1"})
    assert difference_words(first, repair("x)", "a)", answers={"f(1, 1)": "1", "f(3)": "4"}), PROGRAM).startswith(
        "f(3) gives 4, repair 1 gives 3; "
    )
    assert difference_words(first, repair("x)", "a)", answers={"f(3)": "!ValueError"}), PROGRAM).startswith(
        "f(3) raises ValueError, repair 1 gives 3; "
    )
    assert "f(␛) does not end in time" in difference_words(first, repair("x)", "a)", answers={"f(\x1b)": "!"}), PROGRAM)
    assert "gives" not in difference_words(first, repair("x)", "a)", answers={"f(1, 1)": "1"}), PROGRAM)


def test_candidates_that_would_read_the_same_name_the_places_in_which_they_differ() -> None:
    start = OLD.replace("x = 0", "x = -1")
    texts = [start.replace("x)", "x + 1)"), start.replace("x = a", "x = b"), OLD.replace("<", ">")]
    repairs = [repair(changes={"f.py": text}) for text in texts]
    assert [line.head for line in candidate_lines(repairs, PROGRAM, {})] == [
        "line 5 adds `+ 1` after `x`, line 2 `0` -> `-1`",
        "line 4 `a` -> `b`, line 2 `0` -> `-1`",
        "line 3 `<` -> `>`",
    ]
    assert difference_words(*repairs[:2], PROGRAM).startswith(
        "line 4 `a` -> `b` instead of line 5 adds `+ 1` after `x`"
    )


def test_a_line_is_named_once() -> None:
    anew = repair(changes={"f.py": "def f(a, b):\n    return 1\n"}, summary="line 2: `x` becomes `1`")
    assert candidate_line(anew, PROGRAM, {}).head == "lines 2-5 `x` becomes `1`"


def test_other_places_are_named_as_long_as_there_is_room_then_counted() -> None:
    old = "".join(f"a{number} = {number}\n" for number in range(1, 100))
    new = "".join(f"a{number} = {number + (0 if number % 20 else 1)}\n" for number in range(1, 100))
    line = candidate_line(repair(changes={"f.py": new}), {"f.py": old}, {})
    assert line.head_in(90) == "line 20 `20` -> `21`, line 40 `40` -> `41`, line 60 `60` -> `61`, line 80 `80` -> `81`"
    assert line.head_in(50) == "line 20 `20` -> `21`, also at 40, 60, 80"
    assert line.head_in(36) == "line 20 `20` -> `… and 3 more places"
    assert line.head_in(20) == "line 20 … and 3 more places"
    two = candidate_line(repair(changes={"f.py": new, "g.py": "b\n"}), {"f.py": old, "g.py": "a\n"}, {})
    assert two.head_in(60) == "f.py:20 `20` -> `21`, also at 40, 60, 80, g.py:1"
    three = {"shop/cart.py": "x = a + b\n", "shop/inventory_rows.py": "y = 1\n"}
    one = candidate_line(
        repair(changes={"shop/cart.py": "x = a - b\n", "shop/inventory_rows.py": "y = 2\n"}), three, {}
    )
    assert one.head_in(49) == "shop/cart.py:1 `+` …, also at inventory_rows.py:1", "one place is named, not counted"


def test_candidates_that_rewrite_the_same_lines_say_in_what_they_differ() -> None:
    texts = [f"def f(a, b):\n    x = {value}\n    return range(x)\n" for value in (5, 6)]
    first, second = candidate_lines([repair(changes={"f.py": text}) for text in texts], PROGRAM, {})
    assert first.head_in(40) != second.head_in(40) and "6" in second.head_in(40)


def test_candidates_that_share_some_pieces_differ_where_there_is_little_room() -> None:
    old = "".join(f"a{number} = 0\n" for number in range(9))
    values = [(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 1)]
    texts = [
        old.replace("a1 = 0", f"a1 = {a}").replace("a4 = 0", f"a4 = {b}").replace("a7 = 0", f"a7 = {c}")
        for a, b, c in values
    ]
    lines = candidate_lines([repair(changes={"f.py": text}) for text in texts], {"f.py": old}, {})
    assert [line.head_in(36) for line in lines] == [
        "line 8 `0` -> `1`, also at 2, 5",
        "line 8 `0` -> `2`, also at 2, 5",
        "line 8 `0` -> `3`, also at 2, 5",
        "line 5 `0` -> `2`, also at 2, 8",
    ]


def test_a_file_that_cannot_be_collected_does_not_keep_a_repair_from_running() -> None:
    broken: Any = {"verdict": "error", "error": "t.py: SyntaxError", "cases": []}
    assert candidate_line(repair(report=broken), PROGRAM, {}).text == "line 3 `<` -> `<=`: fixes 2, breaks 0"
    assert candidate_line(repair(report=broken, fixes=[]), PROGRAM, {}).text == "line 3 `<` -> `<=`: cannot run"


def test_what_two_pieces_make_different_is_said_before_what_all_candidates_share() -> None:
    lines = [f"    total_{n} = compute_the_total_{n}(first_value, second_value)" for n in range(8)]
    old = "def f(first_value, second_value):\n" + "\n".join(lines) + "\n"
    shared = old.replace("total_0(first_value, second", "total_0(second_value, first").replace(
        "total_2(first_value, second", "total_2(second_value, first"
    )
    combined = [
        repair(changes={"f.py": shared.replace("_5(first_value", f"_5({one}").replace("_7(first_value", f"_7({other}")})
        for one in ("-first_value", "+first_value")
        for other in ("-first_value", "+first_value")
    ]
    listed = candidate_lines(combined, {"f.py": old}, {})
    assert len({line.text for line in listed}) == 4
    assert len({line.head_in(70) for line in listed}) == 4, [line.head_in(70) for line in listed]
    assert all("also at" in line.head_in(70) for line in listed)


def test_each_candidate_begins_with_what_parts_it_and_names_every_line() -> None:
    old = "".join(f"a{number} = {number}\n" for number in range(1, 50))

    def edited(*edits: tuple[int, str]) -> Repair:
        lines = old.splitlines()
        for number, text in edits:
            lines[number - 1] = f"a{number} = {text}"
        return repair(changes={"f.py": "\n".join(lines) + "\n"})

    shared = ((18, "-18"), (29, "-29"))
    repairs = [
        edited((6, "7"), *shared, (45, "46")),
        edited((6, "7"), *shared, (47, "48")),
        edited((6, "8"), *shared, (45, "46")),
        edited((6, "8"), *shared, (47, "48")),
        edited((6, "7"), (18, "-18"), (29, "30"), (45, "46")),
    ]
    lines = candidate_lines(repairs, {"f.py": old}, {})
    assert [line.head_in(40) for line in lines] == [
        "line 6 `6` -> `7`, also at 18, 29, 45",
        "line 47 `47` -> `48`, also at 6, 18, 29",
        "line 6 `6` -> `8`, also at 18, 29, 45",
        "line 6 `6` -> `8`, also at 18, 29, 47",
        "line 29 `29` -> `30`, also at 6, 18, 45",
    ]


def test_lines_beside_each_other_that_are_changed_within_are_named_each() -> None:
    new = OLD.replace("    if a < b", "    y = 9\n    if a <= b").replace("x = a", "x = a - 1")
    line = candidate_line(repair(changes={"f.py": new}), PROGRAM, {})
    assert line.head == "before line 3 adds `y = 9`, line 3 `<` -> `<=`, line 4 adds `- 1` after `a`"
    assert line.head_in(36).endswith(", also at 3, 4")
    anew = OLD.replace("    if a < b:\n        x = a\n", "    return 9\n").replace("x = 0", "x = 1")
    line = candidate_line(
        repair(changes={"f.py": OLD.replace("    if a < b:\n        x = a\n", "    y\n")}), PROGRAM, {}
    )
    assert line.where == "lines 3-4"
    line = candidate_line(repair(changes={"f.py": anew.replace("def f", "def g")}), PROGRAM, {})
    assert line.where == "lines 1-4"


def test_edits_of_one_line_that_read_the_same_are_told_apart_at_their_own_line() -> None:
    program = {"f.py": "def f(a, b):\n    x = 1\n    return a in b\n"}
    texts = [f"def f(a, b):\n    x = 2\n    return {test}\n" for test in ("a not in b", "not a in b")]
    first, second = candidate_lines([repair(changes={"f.py": text}) for text in texts], program, {})
    assert first.head_in(200) == "line 2 `1` -> `2`, line 3 `in` -> `not in`"
    assert second.head_in(40) == "line 3 adds `not` before `a`, also at 2"
    long = "sorted(the_table_of_all_words, key=lambda word: the_table_of_all_words[word])[:count]"
    program = {"f.py": f"x = 1\nreturn {long}\n"}
    keys = ("text.index(word)", "(text.index(word), word)")
    texts = [f"x = 2\nreturn {long.replace('the_table_of_all_words[word]', key)}\n" for key in keys]
    _, second = candidate_lines([repair(changes={"f.py": text}) for text in texts], program, {})
    assert second.head_in(60) == "line 2 -> `…(text.index(word), word))[:count]`, also at 1"
