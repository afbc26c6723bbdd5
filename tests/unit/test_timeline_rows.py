"""Drawing the tree of checkpoints: folding, branches, words; every checkpoint is found again."""

from __future__ import annotations

import time
from typing import Any

from selfheal_tui.engine.moment.timeline import BranchMark, Checkpoint, Timeline, build_timeline
from selfheal_tui.ui.view.timeline_rows import MAX_DEPTH, build_timeline_rows

_NEXT = {
    "start": "run_suite",
    "run_suite": "diagnose",
    "diagnose": "review_diagnosis",
    "review_diagnosis": "propose",
    "propose": "rank",
    "rank": "review_repair",
    "review_repair": "apply",
    "apply": "run_suite",
}


def point(id: str, parent: str | None, node: str, branch: str = "main", **facts: Any) -> Checkpoint:
    verdict = facts.pop("verdict", "")
    decision = (
        {"kind": "repair", "verdict": verdict, "note": facts.pop("note", ""), "by": facts.pop("by", "human")}
        if verdict
        else None
    )
    values: dict[str, Any] = {
        "iteration": 0,
        "passed": None,
        "failed": None,
        "pending": None,
        "outcome": "",
        "next": (_NEXT[node],) if node in _NEXT else (),
        **facts,
    }
    return Checkpoint(id, parent, branch, 0, node, created_at="", decision=decision, **values)


def iteration(first: int, parent: str | None, branch: str = "main") -> list[Checkpoint]:
    made: list[Checkpoint] = []
    for offset, node in enumerate(list(_NEXT)[1:]):
        facts: dict[str, Any] = {"verdict": "approve"} if node.startswith("review") else {}
        if node == "run_suite":
            facts = {"passed": 3, "failed": 4, "iteration": first // 7}
        made.append(point(f"c{first + offset}", parent, node, branch, **facts))
        parent = made[-1].id
    return made


def drawn(timeline: Timeline) -> list[str]:
    return [f"{r.rails}{r.glyph} {r.text}".strip() for r in build_timeline_rows(timeline).rows]


def forked() -> Timeline:
    return build_timeline(
        [
            point("a", None, "start"),
            point("b", "a", "run_suite", passed=3, failed=4),
            point("c", "b", "diagnose"),
            point("d", "c", "propose"),
            point("e", "d", "rank"),
            point("f", "e", "review_repair", verdict="approve"),
            point("g", "f", "apply", iteration=1),
            point("h", "g", "run_suite", passed=7, failed=0, iteration=1, outcome="healed"),
            point("x", "e", "rank", "other"),
            point("y", "x", "review_repair", "other", verdict="reject", note="too broad"),
            point("z", "y", "apply", "other"),
            point("q", "z", "rank", "other", pending="repair"),
        ]
    )


def test_a_branch_stands_below_its_fork_and_the_line_goes_on_after_it() -> None:
    assert drawn(forked()) == [
        "○ start",
        "✗ suite 3/7",
        "◇ diagnosis",
        "◇ repair proposed",
        "├  other",
        "│ ↺ rejected by you",
        "│ ◆ your decision",
        "✓ approved by you",
        "✓ applied",
        "✓ suite 7/7",
    ]


def hidden(*names: str) -> Timeline:
    marks = {name: BranchMark(hidden="you") for name in names}
    return build_timeline([*forked(), point("i", "q", "review_repair", "inner", verdict="approve")], marks)


def test_hidden_branches_fold_into_one_line_where_they_start() -> None:
    tree = build_timeline_rows(hidden("other", "inner"))
    folded = [row for row in tree.rows if row.glyph == "…"]
    assert [(row.text, row.detail, row.checkpoint_id) for row in folded] == [("1 hidden", "other", "x")]
    assert {tree.index_of[i] for i in "xyzqi"} == {tree.rows.index(folded[0])}
    assert set(tree.index_of) == {c.id for c in forked()} | {"i"}


def test_a_hidden_branch_is_drawn_where_it_is_looked_at_or_needed() -> None:
    assert "├  other" in [f"{r.rails}{r.glyph} {r.text}" for r in build_timeline_rows(hidden("other"), None).rows]
    looked_at = build_timeline_rows(hidden("other", "inner"), "y").rows
    assert [row.text for row in looked_at if row.glyph == "…"] == ["1 hidden"], "inner"
    assert "other" in [row.text for row in looked_at]


def test_a_suite_row_tells_the_bill_so_far() -> None:
    timeline = build_timeline(
        [
            point("a", None, "start"),
            point("b", "a", "run_suite", passed=1, failed=1, spent=(2, 1500, 0.031, 1.0)),
            point("c", "b", "run_suite", passed=1, failed=1, spent=(3, 2500, None, 2.0)),
            point("d", "c", "run_suite", passed=2, failed=0, spent=(0, 0, 0.0, 2.0), outcome="healed"),
        ]
    )
    rows = {row.checkpoint_id: row.detail for row in build_timeline_rows(timeline).rows}
    assert (rows["b"], rows["c"], rows["d"]) == ("$0.03", "2.5k", "healed")


def test_outcome_waiting_and_reasons_are_words() -> None:
    rows = {row.checkpoint_id: row for row in build_timeline_rows(forked()).rows}
    assert rows["h"].detail == "healed"
    assert rows["h"].iteration == 1
    assert rows["q"].detail == "repair"
    assert rows["y"].detail == "too broad"
    assert rows["x"].detail == "your decision"
    assert rows["c"].iteration is None


def test_a_folded_checkpoint_is_found_at_the_next_shown_row() -> None:
    tree = build_timeline_rows(forked())
    assert tree.index_of["d"] == tree.index_of["e"] == 3
    assert tree.index_of["x"] == 4
    assert tree.index_of["z"] == tree.index_of["q"] == 6, "apply after a rejection applied nothing"
    assert set(tree.index_of) == set(forked().checkpoints)


def test_a_quiet_node_shows_when_nothing_follows_it() -> None:
    timeline = build_timeline([point("a", None, "start"), point("d", "a", "propose")])
    assert drawn(timeline) == ["○ start", "◇ repairs drafted"]


def test_the_last_branch_of_an_ended_line_closes_the_graph() -> None:
    timeline = build_timeline(
        [
            point("a", None, "start"),
            point("b", "a", "review_repair", verdict="stop", outcome="stopped", next=()),
            point("c", "b", "learn", "one"),
            point("d", "b", "run_suite", "two", passed=0, failed=0),
            point("e", "d", "diagnose", "two"),
        ]
    )
    assert drawn(timeline) == [
        "○ start",
        "■ stopped by you",
        "├  one",
        "│ ✎ code changed",
        "╰  two",
        "✎ changed by you",
        "◇ diagnosis",
    ]


def test_a_suite_that_could_not_run_says_error() -> None:
    assert drawn(build_timeline([point("a", None, "run_suite", passed=0, failed=0)]))[-1] == "✗ suite error"


def test_decisions_by_policy_are_named() -> None:
    timeline = build_timeline([point("a", None, "review_diagnosis", verdict="approve", by="policy")])
    assert drawn(timeline)[-1] == "✓ approved by policy"


def test_names_and_notes_cannot_break_the_line() -> None:
    timeline = build_timeline(
        [
            point("a", None, "start"),
            point("b", "a", "review_repair", "x\n\x1b[31m[red]", verdict="reject", note="1\n2"),
        ]
    )
    assert all(c.isprintable() for row in build_timeline_rows(timeline).rows for c in row.text + row.detail)


def test_an_empty_timeline_has_no_rows() -> None:
    assert build_timeline_rows(build_timeline([])).rows == ()


def test_forks_of_forks_stay_within_the_depth_limit() -> None:
    points = [point("c0", None, "start")]
    points += [point(f"c{n}", f"c{n - 1}", "diagnose", f"b{n}") for n in range(1, 2000)]
    tree = build_timeline_rows(build_timeline(points))
    assert len(tree.index_of) == 2000
    assert max(len(row.rails) for row in tree.rows) <= 2 * MAX_DEPTH + 2


def test_ten_thousand_checkpoints_are_quick() -> None:
    points = [point("root", None, "start")]
    parent, branch = "root", "main"
    for n in range(0, 9_800, 7):
        if n % 70 == 0 and n:
            parent, branch = points[-5].id, f"b{n}"
        points += iteration(n, parent, branch)
        parent = points[-1].id
    timeline = build_timeline(points)
    began = time.perf_counter()
    tree = build_timeline_rows(timeline)
    assert time.perf_counter() - began < 1.0, "about 0.1 s here; a quadratic walk takes many seconds"
    assert len(tree.index_of) == len(points)


def test_many_nested_hidden_branches_are_quick() -> None:
    points = [point("c0", None, "start")]
    points += [point(f"c{n}", f"c{n - 1}", "diagnose", f"b{n}") for n in range(1, 5000)]
    timeline = build_timeline(points, {f"b{n}": BranchMark(hidden="you") for n in range(1, 5000, 2)})
    began = time.perf_counter()
    tree = build_timeline_rows(timeline)
    assert time.perf_counter() - began < 1.0, "about 0.05 s here; a quadratic walk takes many seconds"
    assert set(tree.index_of) == {p.id for p in points}
