"""Two moments of one session side by side: code, diagnosis, cases over the iterations, what was spent. Pure.

c1 - c2 - c3 - c4 (a)         columns of the matrix: what both share, then a's own, then b's own
       `- c5 - c6 (b)         a case flips against the column before it on the same side
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict

from .origins import suite_of
from .snapshot import Snapshot
from .state import Spent
from .timeline import Timeline
from .workspace import unified_diff

Shared = Literal["both", "a", "b"]
Flip = Literal["", "fixed", "broke"]

SUITE_NODE = "run_suite"
_DIAGNOSIS = ("fault", "category", "cause", "strategy", "confidence", "evidence", "by")


class Side(TypedDict):
    """One of the two moments."""

    checkpoint_id: str
    branch: str
    node: str
    iteration: int
    outcome: str
    """healed, gave_up, ...; empty when the run had not ended there."""
    reason: str
    passed: int | None
    """None before the first run of the suite."""
    failed: int | None
    suite_is_current: bool
    """The suite has run over exactly this program and these tests; else its result is that of an earlier program."""
    spent: Spent


class FieldPair(TypedDict):
    """One field of the diagnosis, as JSON; None where there is no diagnosis."""

    field: str
    a: Any
    b: Any
    same: bool


class Column(TypedDict):
    """One run of the suite."""

    on: Shared
    checkpoint_id: str
    branch: str
    iteration: int
    passed: int
    failed: int


class Row(TypedDict):
    """One case over the columns."""

    id: str
    suite: str
    """yours, examples, spec, adversarial or critic."""
    outcomes: list[str | None]
    """One for each column; None where the case was not in the suite."""
    flips: list[Flip]
    """One for each column: whether the case passes now and did not before on this side, or the other way round."""
    a: str | None
    """Outcome in a's own report."""
    b: str | None
    flipped: bool
    """Passes on one side and does not on the other."""


class Comparison(TypedDict):
    """What `sessions compare --json` prints; plain JSON.

    `diff` leads from a to b (`patch -p1`), `changed` names its paths, `tests_diff` is the same for the tests.
    `fixed` and `broken` are the ids of cases that b passes and a does not, and the other way round.
    `more_spent` is b minus a: negative where a spent more; `cost_usd` is None when either is unknown.
    """

    a: Side
    b: Side
    common: str | None
    """The newest checkpoint that both have behind them; None when there is none."""
    changed: list[str]
    diff: str
    tests_diff: str
    diagnosis: list[FieldPair]
    """Empty when neither has one."""
    columns: list[Column]
    cases: list[Row]
    fixed: list[str]
    broken: list[str]
    more_spent: Spent


def suite_runs(timeline: Timeline, checkpoint_id: str) -> tuple[str, ...]:
    """Return the checkpoints at which the suite had just run, on the way to this one, oldest first."""
    return tuple(c.id for c in timeline.lineage(checkpoint_id) if c.node == SUITE_NODE and c.passed is not None)


def compare(timeline: Timeline, a: Snapshot, b: Snapshot, runs: Mapping[str, Snapshot]) -> Comparison:
    """Return what differs; `runs` holds the snapshots of `suite_runs` of both sides, by checkpoint id."""
    columns = _columns(timeline, a, b, runs)
    rows = list(_rows(a, b, columns, runs))
    return {
        "a": _side(timeline, a, runs),
        "b": _side(timeline, b, runs),
        "common": _common(timeline, a.checkpoint_id, b.checkpoint_id),
        "changed": sorted(path for path in {*a.program, *b.program} if a.program.get(path) != b.program.get(path)),
        "diff": unified_diff(a.program, b.program),
        "tests_diff": unified_diff(a.tests, b.tests),
        "diagnosis": _diagnoses(a, b),
        "columns": columns,
        "cases": rows,
        "fixed": [row["id"] for row in rows if row["flipped"] and row["b"] == "passed"],
        "broken": [row["id"] for row in rows if row["flipped"] and row["a"] == "passed"],
        "more_spent": spent_between(a.spent, b.spent),
    }


def spent_between(before: Spent, after: Spent) -> Spent:
    """Return one bill minus another; the cost is None when either is unknown."""
    unknown = before["cost_usd"] is None or after["cost_usd"] is None
    return {
        "calls": after["calls"] - before["calls"],
        "replayed_calls": after["replayed_calls"] - before["replayed_calls"],
        "input_tokens": after["input_tokens"] - before["input_tokens"],
        "output_tokens": after["output_tokens"] - before["output_tokens"],
        "cost_usd": None if unknown else round((after["cost_usd"] or 0.0) - (before["cost_usd"] or 0.0), 9),
        "time_s": round(after["time_s"] - before["time_s"], 3),
    }


def outcomes_of(snapshot: Snapshot) -> dict[str, str]:
    """Return case id -> outcome of the newest report; empty before the first."""
    return {case["id"]: case["outcome"] for case in snapshot.report["cases"]} if snapshot.report else {}


def flips_along(outcomes: Sequence[str | None], before: Sequence[int | None]) -> list[Flip]:
    """Return how each column differs from the one before it; `before` holds that one's index, None for the first.

    A case that is new, or was left out in between, has not flipped: only passed and not passed are told apart.
    """
    flips: list[Flip] = []
    for outcome, previous in zip(outcomes, before, strict=True):
        earlier = outcomes[previous] if previous is not None else None
        if earlier is None or outcome is None or (earlier == "passed") == (outcome == "passed"):
            flips.append("")
        else:
            flips.append("fixed" if outcome == "passed" else "broke")
    return flips


def _side(timeline: Timeline, at: Snapshot, runs: Mapping[str, Snapshot]) -> Side:
    own = [runs[i] for i in suite_runs(timeline, at.checkpoint_id) if i in runs]
    report = at.report
    return {
        "checkpoint_id": at.checkpoint_id,
        "branch": at.branch,
        "node": at.node,
        "iteration": at.iteration,
        "outcome": at.outcome,
        "reason": at.reason,
        "passed": report["passed"] if report else None,
        "failed": _not_passed(report) if report else None,
        "suite_is_current": any(run.program == at.program and run.tests == at.tests for run in own),
        "spent": at.spent,
    }


def _not_passed(report: Mapping[str, Any]) -> int:
    return int(report["failed"] + report["errors"] + report["timeouts"])


def _common(timeline: Timeline, a: str, b: str) -> str | None:
    shared = [x.id for x, y in zip(timeline.lineage(a), timeline.lineage(b), strict=False) if x.id == y.id]
    return shared[-1] if shared else None


def _diagnoses(a: Snapshot, b: Snapshot) -> list[FieldPair]:
    one, other = dict(a.diagnosis or {}), dict(b.diagnosis or {})
    pairs = [(name, one.get(name), other.get(name)) for name in _DIAGNOSIS if one or other]
    return [{"field": name, "a": x, "b": y, "same": x == y} for name, x, y in pairs]


def _columns(timeline: Timeline, a: Snapshot, b: Snapshot, runs: Mapping[str, Snapshot]) -> list[Column]:
    of_a, of_b = suite_runs(timeline, a.checkpoint_id), suite_runs(timeline, b.checkpoint_id)
    parts: list[tuple[Shared, list[str]]] = [
        ("both", [i for i in of_a if i in of_b]),
        ("a", [i for i in of_a if i not in of_b]),
        ("b", [i for i in of_b if i not in of_a]),
    ]
    return [_column(on, runs[i]) for on, ids in parts for i in ids if i in runs and runs[i].report]


def _column(on: Shared, run: Snapshot) -> Column:
    report = run.report
    assert report is not None
    return {
        "on": on,
        "checkpoint_id": run.checkpoint_id,
        "branch": run.branch,
        "iteration": run.iteration,
        "passed": report["passed"],
        "failed": _not_passed(report),
    }


def _rows(a: Snapshot, b: Snapshot, columns: Sequence[Column], runs: Mapping[str, Snapshot]) -> Iterator[Row]:
    cells = [outcomes_of(runs[column["checkpoint_id"]]) for column in columns]
    of_a, of_b = outcomes_of(a), outcomes_of(b)
    before = _before(columns)
    origins = {**a.origins, **b.origins}
    for case_id in dict.fromkeys(i for found in (*cells, of_a, of_b) for i in found):
        outcomes = [found.get(case_id) for found in cells]
        x, y = of_a.get(case_id), of_b.get(case_id)
        yield {
            "id": case_id,
            "suite": suite_of(case_id, origins),
            "outcomes": outcomes,
            "flips": flips_along(outcomes, before),
            "a": x,
            "b": y,
            "flipped": x is not None and y is not None and (x == "passed") != (y == "passed"),
        }


def _before(columns: Sequence[Column]) -> list[int | None]:
    """Return for each column the index of the one before it on its side: b's first follows what both share."""
    newest: dict[Shared, int | None] = {"both": None, "a": None, "b": None}
    before: list[int | None] = []
    for index, column in enumerate(columns):
        on = column["on"]
        before.append(newest[on] if newest[on] is not None else newest["both"])
        newest[on] = index
    return before
