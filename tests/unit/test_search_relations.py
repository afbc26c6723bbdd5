"""What held of every result before: learnt from cases, words and the program as it was, and which repair breaks it."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.confidence import confidence
from selfheal_tui.search.weigh.found import build_ranking, found_from
from selfheal_tui.search.weigh.relations import RELATIONS
from selfheal_tui.search.weigh.relations.breaches import Breach, build_asked, find_breaches
from selfheal_tui.search.weigh.relations.evidence import build_evidence
from selfheal_tui.search.weigh.signs import Signs

LISTS = ("[2, 1, 3]", "[5, 4]", "[1, 7, 2]", "[9, 1]", "[4, 4, 1]", "[8, 3]", "[6, 2, 5, 1]")


def breaches(
    tests: str, calls: list[str], before: str, after: str, words: str = "", unasked: str = ""
) -> dict[str, str]:
    """Return what the function `after` breaks, kind -> sentence; both are source text of `f`, all asked is answered."""
    suite = {"test_p.py": f"from p import f\n\n\ndef test_f():\n{tests}"}
    asked = build_asked(build_evidence(suite, {"p.py": before}, words), calls)
    rows = []
    for text in (before, after):
        names: dict[str, object] = {}
        exec(text, names)
        made = {call for one in asked for _, *both in one.calls for call in both if call and call != unasked}
        rows.append({call: _answer(call, names) for call in sorted(made)})
    (found,) = find_breaches(asked, rows[0], rows[1:])
    return {one.kind: one.why for one in found}


def _answer(call: str, names: dict[str, object]) -> str:
    try:
        return repr(eval(call, dict(names)))
    except (TypeError, IndexError) as error:
        return f"!{type(error).__name__}"


TOTAL = "def f(xs):\n    return sum(xs) + 1\n"
CALLS = [f"f({xs})" for xs in LISTS]


def test_a_repair_that_looks_at_the_order_breaks_what_the_program_never_did() -> None:
    case = "    assert f([3, 1, 2]) == 6\n"
    assert breaches(case, CALLS, TOTAL, "def f(xs):\n    return sum(xs)\n") == {}
    found = breaches(case, CALLS, TOTAL, "def f(xs):\n    return xs[0] * 2\n")
    why = "Before the change, the order of the list did not count; with it f([5, 4]) gives 10 and f([4, 5]) gives 8."
    assert found == {"other_order": why}


def test_words_that_look_at_places_make_the_order_count() -> None:
    case, first = "    assert f([3, 1, 2]) == 6\n", "def f(xs):\n    return xs[0] * 2\n"
    assert "other_order" in breaches(case, CALLS, TOTAL, first)
    assert breaches(case, CALLS, TOTAL, first, words="The sum from an index on.") == {}


@pytest.mark.parametrize(
    ("kind", "case", "calls", "before", "after", "sentence"),
    [
        (
            "members",
            "assert f([3, 1, 2]) == [1, 2, 3]",
            CALLS,
            "def f(xs):\n    return xs\n",
            "def f(xs):\n    return sorted(set(xs))\n",
            "In the cases and before the change, every result is a permutation of argument 1; with it "
            "f([4, 4, 1]) gives [1, 4].",
        ),
        (
            "text_case",
            "assert f('aXb') == 3",
            [f"f({'aB' * n!r})" for n in range(1, 8)],
            "def f(text):\n    return len(text) + 1\n",
            "def f(text):\n    return text.count('X') + text.count('b') + 1\n",
            "Before the change, large and small letters did not count; with it f('aB') gives 1 and f('Ab') gives 2.",
        ),
        (
            "repeated",
            "assert f('a  ') == 'a'",
            [f"f({' ' + 'ab' * n!r})" for n in range(1, 8)],
            "def f(text):\n    return text.lstrip()\n",
            "def f(text):\n    return text[:-2]\n",
            "Before the change, doing it again changed nothing; with it f('a  ') gives 'a' and f(f('a  ')) gives ''.",
        ),
    ],
)
def test_what_held_before_and_does_not_now_is_said(
    kind: str, case: str, calls: list[str], before: str, after: str, sentence: str | None
) -> None:
    assert breaches(f"    {case}\n", calls, before, after).get(kind) == sentence


def test_every_kind_is_of_the_registry_and_costs_something() -> None:
    assert all(kind.bits > 0 for kind in RELATIONS.values())


def test_words_make_up_for_a_program_that_was_not_sorted_before() -> None:
    case, unsorted = "    assert f([3, 1, 2]) == [1, 2, 3]\n", "def f(xs):\n    return xs\n"
    rotated = "def f(xs):\n    return xs[1:] + xs[:1]\n"
    assert "order" not in breaches(case, CALLS, unsorted, rotated)
    why = breaches(case, CALLS, unsorted, rotated, "Return the numbers sorted.")["order"]
    assert why == "In the cases, every result is sorted; with it f([2, 1, 3]) gives [1, 3, 2]."
    assert "order" not in breaches(case, CALLS, unsorted, rotated, "Return the numbers sorted by length.")


def test_a_sorted_result_of_a_sorted_list_shows_nothing() -> None:
    """A moving average of a sorted list is sorted, and no other one need be."""
    before, after = "def f(xs):\n    return sorted(xs)\n", "def f(xs):\n    return [x * 2 for x in xs]\n"
    assert "order" not in breaches("    assert f([1, 2, 3]) == [2, 4, 6]\n", CALLS, before, after)
    assert "order" in breaches("    assert f([3, 1, 2]) == [2, 4, 6]\n", CALLS, before, after)


def test_a_program_that_answers_all_alike_or_was_seldom_asked_shows_nothing() -> None:
    case, after = "    assert f([3, 1, 2]) == 6\n", "def f(xs):\n    return xs[0] * 2\n"
    assert breaches(case, CALLS, "def f(xs):\n    return 1\n", after) == {}
    assert breaches(case, CALLS[:2], TOTAL, after) == {}


def test_a_number_of_a_sign_that_no_case_has_shows_nothing() -> None:
    case, after = "    assert f([3, 1, 2]) == 6\n", "def f(xs):\n    return sum(xs) if min(xs) > 0 else xs[0]\n"
    assert breaches(case, [*CALLS, "f([-1, 2])", "f([2, -3])"], TOTAL, after) == {}


def test_the_mistake_itself_is_no_reason_to_doubt_what_mends_it() -> None:
    case = "    assert f(7, 2) == 5\n    assert f(3, 0) == 3\n"
    calls = [f"f({a}, {b})" for a in range(1, 6) for b in range(1, 6)]
    assert breaches(case, calls, "def f(a, b):\n    return a + b\n", "def f(a, b):\n    return a - b\n") == {}


@pytest.mark.parametrize(
    "answer", ["!", "!ValueError", "<p.Thing object>", "[" * 300, "9" * 5000, "__import__('os')", "{[]: 1}", "\x1b[2J"]
)
def test_answers_that_are_no_plain_values_are_left_alone(answer: str) -> None:
    suite = {"test_p.py": "from p import f\n\n\ndef test_f():\n    assert f([3, 1, 2]) == 6\n"}
    asked = build_asked(build_evidence(suite, {"p.py": ""}), CALLS)
    calls = dict.fromkeys(call for one in asked for _, *both in one.calls for call in both if call)
    before = {call: str(sum(ast.literal_eval(call[2:-1]))) for call in calls}
    assert find_breaches(asked, before, [dict.fromkeys(before, answer)]) == [()]


def test_the_order_counts_where_the_name_says_so() -> None:
    tests = {"test_p.py": "def test_a():\n    assert longest_STREAK([1, 1, 0, 1]) == 2\n"}
    calls = ["longest_{}([1, 1, 0, 1])", "longest_{}([1, 0, 1, 1])"]
    for name, looked_at in (("STREAK", False), ("LINE", True)):
        evidence = build_evidence({path: text.replace("STREAK", name) for path, text in tests.items()}, {}, "")
        asked = build_asked(evidence, [call.format(name) for call in calls])
        assert any("order of the list" in one.property.says for one in asked) is looked_at


def test_a_breach_is_a_mark_a_later_rank_and_less_confidence() -> None:
    candidates = [Candidate({"p.py": name}, name, "x", "p.py", n, 1.0, 1, complete=True) for n, name in enumerate("ab")]
    behaviours = build_behaviours(["0", "0"], [["1", "1"], ["2", "2"]])
    signs = [Signs(breaches=(Breach("order", "It is not sorted."),)), Signs()]
    found = found_from(build_ranking(candidates, behaviours, ["f(1)", "f(2)"], signs), 2, True)
    assert [one.summary for one in found.candidates] == ["b", "a"]
    assert [[mark.why for mark in one.marks if mark.kind == "breaks"] for one in found.candidates] == [
        [],
        ["It is not sorted."],
    ]
    assert confidence([1.0], [0], 3, breaks=True) < confidence([1.0], [0], 3)


def test_of_several_edits_each_has_to_be_right() -> None:
    assert confidence([1.0], [0], 3, operator="import") < confidence([1.0], [0], 3, operator="operand")
    invented = confidence([1.0], [0], 3, operator="constant")
    assert confidence([1.0], [0], 3, marks=["number"]) == invented < confidence([1.0], [0], 3, marks=["start"])
    one = confidence([1.0], [0], 7)
    assert confidence([2.0], [0], 7, 2) == pytest.approx(one**2, abs=0.01)
    broken = confidence([1.0], [0], 7, breaks=True)
    assert confidence([2.0], [0], 7, 2, breaks=True) == pytest.approx(one * broken, abs=0.01), "one of them breaks it"
    guessed = confidence([1.0], [0], 7, operator="constant")
    two = [confidence([2.0], [0], 7, 2, operator=f"{family} + constant") for family in ("comparison", "constant")]
    assert two == pytest.approx([one * guessed, guessed**2], abs=0.01)
    surprising = confidence([1.0], [0], 7, surprise=20.0)
    assert confidence([2.0], [0], 7, 2, surprise=40.0) == pytest.approx(surprising**2, abs=0.02)


def test_nothing_that_was_found_is_no_element_and_breaks_nothing() -> None:
    before = "def f(rows):\n    return max(rows, default=None)\n"
    after = "def f(rows):\n    return max((n for n in rows if n < 9), default=None)\n"
    cases = "".join(f"    assert f({rows}) == {max(ast.literal_eval(rows))}\n" for rows in LISTS[:3])
    calls = [f"f({rows})" for rows in (*LISTS, "[9]", "[9, 12]", "[11, 2]")]
    told = breaches(cases, calls, before, after)
    assert told["members"].startswith("In the cases and before the change, every result is an element of argument 1; ")
    assert "members" not in breaches(f"{cases}    assert f([]) == None\n", calls, before, after)
