"""Drawing the tree of checkpoints: folding, branches, words; every checkpoint is found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.engine.moment.timeline import BranchMark, Checkpoint, Timeline, build_timeline
from selfheal_tui.ui.view.timeline_folds import fold_end, fold_key, fold_rows, head_of, heads
from selfheal_tui.ui.view.timeline_rows import MAX_DEPTH, TimelineRows, build_timeline_rows, fork_gist
from tests.work import growth

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


def test_a_round_without_a_repair_is_not_called_one() -> None:
    tree = build_timeline([point("a", None, "start"), point("b", "a", "rank", next=("diagnose",))])
    assert drawn(tree) == ["○ start", "◇ no repair found"]


def hidden(*names: str) -> Timeline:
    marks = {name: BranchMark(hidden="you") for name in names}
    return build_timeline([*forked(), point("i", "q", "review_repair", "inner", verdict="approve")], marks)


def test_hidden_branches_fold_into_one_line_where_they_start() -> None:
    tree = build_timeline_rows(hidden("other", "inner"))
    folded = [row for row in tree.rows if row.glyph == "…"]
    assert [(row.text, row.detail, row.checkpoint_id) for row in folded] == [("1 branch hidden", "other", "x")]
    assert {tree.index_of[i] for i in "xyzqi"} == {tree.rows.index(folded[0])}
    assert set(tree.index_of) == {c.id for c in forked()} | {"i"}


def test_a_hidden_branch_is_drawn_where_it_is_looked_at_or_needed() -> None:
    assert "├  other" in [f"{r.rails}{r.glyph} {r.text}" for r in build_timeline_rows(hidden("other"), None).rows]
    looked_at = build_timeline_rows(hidden("other", "inner"), "y").rows
    assert [row.text for row in looked_at if row.glyph == "…"] == ["1 branch hidden"], "inner"
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


def test_a_fork_of_the_search_says_what_it_changed() -> None:
    tree = build_timeline(
        [
            point("a", None, "start"),
            point("b", "a", "diagnose"),
            point("c", "b", "review_diagnosis", "place", verdict="edit", gist="look first at a.py:12"),
            point("d", "b", "run_suite", "avoid", passed=1, failed=1, gist="not line 12 of a.py"),
        ]
    )
    rows = [row.text for row in build_timeline_rows(tree).rows]
    assert "look first at a.py:12" in rows and "not line 12 of a.py" in rows, rows
    assert fork_gist(tree, "c") == "look first at a.py:12" and fork_gist(tree, "b") == ""


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
    assert drawn(timeline)[-1] == "✓ approved by autonomy"


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


def many_forks(checkpoints: int) -> Timeline:
    points = [point("root", None, "start")]
    parent, branch = "root", "main"
    for n in range(0, checkpoints, 7):
        if n % 70 == 0 and n:
            parent, branch = points[-5].id, f"b{n}"
        points += iteration(n, parent, branch)
        parent = points[-1].id
    return build_timeline(points)


def nested(branches: int) -> Timeline:
    points = [point("c0", None, "start")]
    points += [point(f"c{n}", f"c{n - 1}", "diagnose", f"b{n}") for n in range(1, branches)]
    return build_timeline(points, {f"b{n}": BranchMark(hidden="you") for n in range(1, branches, 2)})


@pytest.mark.parametrize("build", [many_forks, nested], ids=["forks", "nested hidden branches"])
def test_many_checkpoints_are_no_quadratic_work(build: Callable[[int], Timeline]) -> None:
    def rows(checkpoints: int) -> Callable[[], object]:
        timeline = build(checkpoints)
        return lambda: build_timeline_rows(timeline)

    assert growth(rows, 700) < 2.6
    timeline = build(9_800)
    assert set(build_timeline_rows(timeline).index_of) == set(timeline.checkpoints)


def telling() -> Timeline:
    points = iteration(0, None)
    points[1] = replace(points[1], gist="line 8: it compares with <=")
    points[6] = replace(points[6], gist="took 1: line 8 `<=` -> `<`")
    return build_timeline([*points, point("s", "c6", "run_suite", passed=7, failed=0, iteration=1, gist="was 3/7")])


def test_rows_tell_what_a_step_did_and_the_step_that_carried_it_out_has_none_of_its_own() -> None:
    rows = build_timeline_rows(telling())
    told = [(row.text, row.detail) for row in rows.rows]
    assert ("diagnosis", "line 8: it compares with <=") in told
    assert ("took 1: line 8 `<=` → `<`", "by you") in told
    assert ("suite 7/7", "was 3/7") in told
    assert "applied" not in [text for text, _ in told]
    assert rows.index_of["c6"] == rows.index_of["c5"]


def test_a_rejection_keeps_its_reason_before_what_was_rejected() -> None:
    points = iteration(0, None)
    points[5] = point("c5", "c4", "review_repair", verdict="reject", note="too wide")
    points[6] = replace(points[6], gist="not line 8 `<=` -> `<` and 2 others")
    (row,) = [row for row in build_timeline_rows(build_timeline(points)).rows if row.text.startswith("rejected")]
    assert (row.text, row.detail) == ("rejected by you", "too wide  not line 8 `<=` → `<` and 2 others")


def test_without_such_facts_the_rows_are_those_of_before() -> None:
    assert [row.text for row in build_timeline_rows(build_timeline(iteration(0, None))).rows][-2:] == [
        "approved by you",
        "applied",
    ]


def test_the_row_of_a_branch_says_what_the_fork_changed() -> None:
    timeline = build_timeline(
        [*iteration(0, None), point("x", "c1", "diagnose", "qwen3-1", gist="model: ollama:qwen3", pending="diagnosis")]
    )
    (row,) = [row for row in build_timeline_rows(timeline).rows if row.text == "qwen3-1"]
    assert row.detail == "your decision  model: ollama:qwen3"


def folds() -> TimelineRows:
    points = [point("a", None, "start"), *iteration(0, "a"), *iteration(7, "c6"), *iteration(20, "c1", "branch-2")]
    return build_timeline_rows(build_timeline(points))


def test_an_iteration_folds_into_the_row_of_its_suite_with_all_that_branches_off_within() -> None:
    rows = folds()
    (first, *_) = [row for row in rows.rows if row.head == "iteration"]
    folded = fold_rows(rows, {fold_key(first)})
    texts = [f"{row.rails}{row.glyph} {row.text}  {row.detail}".strip() for row in folded.rows]
    assert texts[:3] == ["○ start  main", "+ ✗ suite 3/7  12 rows, applied", "✗ suite 3/7"]
    assert folded.index_of["c5"] == folded.index_of["c0"] == folded.index_of["c20"] == 1
    assert folded.index_of.keys() == rows.index_of.keys()
    assert folded.rows[folded.index_of["c9"]].text == rows.rows[rows.index_of["c9"]].text


def test_a_branch_folds_alone_and_everything_folds() -> None:
    rows = folds()
    (branch,) = [row for row in rows.rows if row.head == "branch"]
    folded = fold_rows(rows, {fold_key(branch)})
    assert len(rows.rows) - len(folded.rows) == fold_end(rows.rows, rows.rows.index(branch)) - 1 - rows.rows.index(
        branch
    )
    assert [row.text for row in fold_rows(rows, heads(rows.rows)).rows] == ["start", "suite 3/7", "suite 3/7"]


def test_a_question_that_waits_is_told_by_the_fold_that_hides_it() -> None:
    points = [*iteration(0, None)[:5], point("q", "c4", "propose", pending="repair")]
    rows = build_timeline_rows(build_timeline(points))
    (head,) = [row for row in fold_rows(rows, heads(rows.rows)).rows if row.head]
    assert head.detail.endswith("your decision")


def test_the_head_of_a_row_is_the_nearest_that_holds_it_and_of_a_folded_one_the_next_outside() -> None:
    rows = folds()
    inner = rows.index_of["c21"]
    at = head_of(rows.rows, inner)
    assert at is not None and (rows.rows[at].head, rows.rows[at].depth) == ("iteration", 1)
    folded = fold_rows(rows, {fold_key(rows.rows[at])})
    outer = head_of(folded.rows, folded.index_of["c21"])
    assert outer is not None and folded.rows[outer].head == "branch"
