"""Repairs that differ by their form alone fill one row."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.behaviour import Behaviour, build_behaviours
from selfheal_tui.search.weigh.found import build_ranking, found_from
from selfheal_tui.search.weigh.same_form import is_same_form

SEEN, OTHER = Behaviour(("1",), 0, is_seen=True), Behaviour(("2",), 1, is_seen=True)
UNSEEN = Behaviour((), 0)


def repair(text: str, line: int = 2, **changes: str) -> Candidate:
    return Candidate({"p.py": text, **changes}, text, "x", "p.py", line, 1.0, 1, fixes=("a",), complete=True)


@pytest.mark.parametrize(
    ("one", "other", "by_text", "by_calls"),
    [
        ("return a not in b", "return not a in b", True, True),
        ("if not (a == b):", "if a != b:", True, True),
        ("return not a < b", "return a >= b", False, False),
        ("d.popitem(last=True)", "d.popitem()", False, True),
        ("d.popitem(last=True)", "d.popitem(last=False)", False, False),
        ("d.popitem(last)", "d.popitem()", False, False),
        ("n = 0\n    m = 1", "m = 1\n    n = 0", False, True),
        ("n = 0\n    m = 1", "m = 1\n    n = 2", False, False),
        ("n = 0\n    m\n    k\n    l", "m\n    k\n    l\n    n = 0", False, False),
        ("a +", "a", False, False),
    ],
)
def test_what_differs_by_form_alone(one: str, other: str, by_text: bool, by_calls: bool) -> None:
    first, second = (repair(f"def f(a, b):\n    {text}\n    x\n") for text in (one, other))
    assert is_same_form(first, second, UNSEEN, UNSEEN) == by_text
    assert is_same_form(first, second, SEEN, SEEN) == is_same_form(second, first, SEEN, SEEN) == by_calls
    assert not is_same_form(first, second, SEEN, OTHER), "they do not behave alike"


def test_of_two_files_only_one_may_differ() -> None:
    one, other = repair("x = a not in b\n", 1), repair("x = not a in b\n", 1)
    assert is_same_form(one, other, SEEN, SEEN)
    both = [repair(next(iter(c.changes.values())), 1, **{"q.py": q}) for c, q in ((one, "1\n"), (other, "2\n"))]
    assert not is_same_form(both[0], both[1], SEEN, SEEN) and not is_same_form(one, both[0], SEEN, SEEN)


def test_the_likelier_of_them_is_shown() -> None:
    texts = ("return a not in b", "return not a in b", "return a != b")
    candidates = [repair(f"def f(a, b):\n    {text}\n") for text in texts]
    behaviours = build_behaviours(["True"], [["False"], ["False"], ["None"]])
    found = found_from(build_ranking(candidates, behaviours, ["f(1, [1])"]), 3, True)
    assert len(found.ranking.candidates) == 3, "they still count"
    shown = [one.summary for one in found.candidates]
    likelier = next(one.summary for one in found.ranking.candidates if one.summary != candidates[2].summary)
    assert sorted(shown) == sorted([likelier, candidates[2].summary])
