"""The tree of checkpoints: told one by one it is the tree that is built of all."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.moment.timeline import BranchMark, Checkpoint, Timeline, build_timeline

MARKS = {"main": BranchMark(note="where it began"), "b": BranchMark(pinned=True)}


def checkpoint(number: int, parent: int | None, branch: str, pending: bool = False, outcome: str = "") -> Checkpoint:
    return Checkpoint(
        id=f"c{number}",
        parent_id=None if parent is None else f"c{parent}",
        branch=branch,
        step=number,
        node="diagnose",
        next=("review_diagnosis",),
        iteration=0,
        created_at="",
        passed=None,
        failed=None,
        decision=None,
        pending="diagnosis" if pending else None,
        outcome=outcome,
    )


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["main", "b", "c"]), st.booleans()), min_size=1, max_size=10),
    st.sampled_from(["main", "b", "nowhere"]),
)
def test_told_one_by_one_it_is_the_same_tree(steps: list[tuple[int, str, bool]], stands: str) -> None:
    live: Timeline = build_timeline((), MARKS)
    written: dict[str, Checkpoint] = {}
    for number, (parent, branch, pending) in enumerate(steps):
        new = checkpoint(number, parent % number if number else None, branch, pending, "healed" if pending else "")
        live = live.plus(new, stands)
        if (old := written.get(new.parent_id or "")) and old.branch == branch:
            written[old.id] = replace(old, pending=None)
        written[new.id] = new
    assert live == build_timeline(written.values(), MARKS, stands)


def test_a_fork_answers_no_question() -> None:
    asked = build_timeline([checkpoint(0, None, "main", pending=True)])
    forked = asked.plus(checkpoint(1, 0, "other"), "other")
    assert forked.checkpoints["c0"].pending == "diagnosis" and forked.branches["main"].outcome == "waiting"
    assert forked.branches["other"].forked_from == "c0"
    answered = forked.plus(checkpoint(2, 0, "main"), "main")
    assert answered.checkpoints["c0"].pending is None and answered.children["c0"] == ("c1", "c2")


def test_a_moment_that_is_told_again_replaces_itself() -> None:
    line = build_timeline([checkpoint(0, None, "main"), checkpoint(1, 0, "main")])
    again = line.plus(checkpoint(1, 0, "main", outcome="healed"), "main")
    assert len(again.checkpoints) == 2 and again.branches["main"].outcome == "healed"
    assert again.children["c0"] == ("c1",)
