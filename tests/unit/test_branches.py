"""Branches as text: what they are called, in which order they are listed, what each cell says."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.history.branch_names import fork_name, free_name, lane_name
from selfheal_tui.engine.moment.timeline import BranchMark, build_timeline
from selfheal_tui.ui.view.branch_rows import branch_cells, branch_columns, ordered_branches, spent_cell
from tests.unit.test_timeline_rows import point


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "again-1"),
        ({"code": {"shop.py": "x"}}, "edit-1"),
        ({"feedback": "a long story"}, "feedback-1"),
        ({"drop": "t::a"}, "tests-1"),
        ({"max_calls": 3}, "limits-1"),
        ({"autonomy": "full_auto"}, "full_auto-1"),
        ({"strategies": ["minimal", "search"]}, "minimal-search-1"),
        ({"model": {"*": "ollama:qwen3:8b"}}, "ollama-qwen3-8b-1"),
        ({"model": {"*": "scripted:/home/me/m.yaml"}}, "m.yaml-1"),
        ({"afresh": "yes"}, "afresh-1"),
        ({"model": {"*": "…"}}, "fork-1"),
    ],
)
def test_a_fork_is_named_after_what_it_changes(changes: dict[str, object], name: str) -> None:
    assert fork_name(changes, ()) == name
    assert fork_name(changes, (name,)) == name.removesuffix("1") + "2"


def test_a_lane_has_a_number_only_where_its_name_is_taken() -> None:
    assert lane_name({"strategies": "minimal"}, ("main",)) == "race-minimal"
    assert lane_name({"avoid": "line:inventory_of_shops.py:12"}, ()).endswith("-12")
    assert lane_name({"avoid": "line:inventory_of_the_shops.py:12"}, ()) == "race-avoid-line-inventory_of_the_s-12"
    for name, value in (("avoid", "line:src/ledger/accounts.py:26"), ("place", "src/ledger/accounts.py:26")):
        assert lane_name({name: value}, ()) == f"race-{name}-accounts.py-26", "two lanes are told apart"
    assert lane_name({"strategies": "minimal"}, ("race-minimal",)) == "race-minimal-1"
    assert free_name("undone", ("undone-1", "undone-3")) == "undone-2"


def test_pinned_branches_come_first_and_hidden_ones_last() -> None:
    marks = {
        "b": BranchMark(pinned=True),
        "c": BranchMark(hidden="race"),
        "d": BranchMark(pinned=True, hidden="undone"),
    }
    points = [point("0", None, "start"), *(point(name, "0", "diagnose", name) for name in "cadb")]
    timeline = build_timeline(points, marks, "a")
    assert [branch.name for branch in ordered_branches(timeline)] == ["b", "main", "a", "d", "c"]
    cells = branch_cells(timeline.branches["c"], timeline, 2048, marked=True)
    assert cells["name"].plain == " ◈ c" and cells["hidden"].plain == "not kept" and cells["size"].plain == "2.0 KB"
    assert branch_cells(timeline.branches["a"], timeline, 0, marked=False)["name"].plain == "▸  a"


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_the_columns_fit_the_terminal(width: int) -> None:
    columns = branch_columns(width)
    assert sum(cells + 2 for _, _, cells in columns) <= width - 4
    assert [name for name, _, _ in columns][:2] == ["name", "outcome"]
    assert (width < 140) or "note" in [name for name, _, _ in columns]


def test_bills_are_short_and_an_unknown_price_is_no_zero() -> None:
    assert spent_cell((3, 12345, 0.126, 2.0)) == "12.3k $0.13"
    assert spent_cell((3, 900, None, 2.0)) == "900 $?"
    assert spent_cell((0, 0, 0.0, 4.4)) == "4 s"
    assert spent_cell(None) == ""
