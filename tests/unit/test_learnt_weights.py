"""The measurement of learnt weights (`tests/benchmarks/prior.py`) learns what can be learnt, and no task by heart."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from selfheal_tui.search.weigh.tree_changes import tree_changes
from tests.benchmarks.prior import Pool, fit, left_out, where


def pools(right: Sequence[str], tasks: int = 24) -> list[Pool]:
    """Return pools of two repairs: the first scores better, the features of the second are `right`, in turns."""
    return [
        Pool(f"task {n}", (1.0, 1.5), ({"other": 1.0}, {right[n % len(right)]: 1.0}), (False, True))
        for n in range(tasks)
    ]


def test_a_feature_of_right_repairs_gets_fewer_bits_than_one_of_wrong_ones() -> None:
    weights = fit(pools(["good"]), ["good", "other"], 1.0)
    assert weights["good"] < 0 < weights["other"]


def test_weights_held_harder_are_nearer_to_0() -> None:
    loose, tight = (fit(pools(["good"]), ["good"], strength)["good"] for strength in (0.3, 30.0))
    assert loose < tight < 0


def test_what_all_tasks_have_in_common_is_gained_on_tasks_left_out() -> None:
    gained, lost, bits = left_out(pools(["good"]), ["good", "other"], 1.0, 0)
    assert (gained, lost) == (24, 0) and bits < 0.5


def test_what_each_task_has_alone_gains_nothing_on_tasks_left_out() -> None:
    names = [f"only {n}" for n in range(24)]
    assert left_out(pools(names), names, 0.3, 0)[:2] == (0, 0)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("if a < b:\n    pass", "if a <= b:\n    pass", "condition"),
        ("while a:\n    pass", "while not a:\n    pass", "condition"),
        ("for x in a:\n    pass", "for x in b:\n    pass", "loop"),
        ("y = [x for x in a if x]", "y = [x for x in a if y]", "filter"),
        ("y = f(a)", "y = f(b)", "argument"),
        ("y = f(a)", "y = g(a)", "called"),
        ("y = a[0]", "y = a[1]", "index"),
        ("y = a[0]", "y = b[0]", "indexed"),
        ("def f():\n    return a + 1", "def f():\n    return a", "result"),
        ("y = a", "y = b", "assigned"),
        ("y = a", "y = a\nz = a", "block"),
    ],
)
def test_a_change_is_told_by_where_in_its_statement_it_is(old: str, new: str, place: str) -> None:
    (change,) = tree_changes(ast.parse(old), ast.parse(new))
    assert where(change) == place
