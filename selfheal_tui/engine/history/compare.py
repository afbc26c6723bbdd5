"""Two moments of one session side by side: code, diagnosis, cases over the iterations, what was spent. Pure.

c1 - c2 - c3 - c4 (a)         columns of the matrix: what both share, then a's own, then b's own
       `- c5 - c6 (b)         a case flips against the column before it on the same side
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from ..moment.snapshot import Snapshot
from ..moment.state import Spent, spent_between
from ..moment.timeline import Timeline
from ..moment.workspace import unified_diff
from .matrix import CaseRow, Column, Shared, case_rows, not_passed, outcomes_of, suite_run, suite_runs

_DIAGNOSIS = ("fault", "category", "cause", "strategy", "confidence", "evidence", "by")


class Side(TypedDict):
    """One of the two moments."""

    checkpoint_id: str
    branch: str
    node: str
    iteration: int
    outcome: str
    """healed, nothing_to_heal, gave_up, ...; empty when the run had not ended there."""
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


class Row(CaseRow):
    """One case over the columns, and at the two moments."""

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
        "failed": not_passed(report) if report else None,
        "suite_is_current": any(run.program == at.program and run.tests == at.tests for run in own),
        "spent": at.spent,
    }


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
    in_order = [suite_run(runs[i], on) for on, ids in parts for i in ids if i in runs]
    return [run.column for run in in_order if run is not None]


def _rows(a: Snapshot, b: Snapshot, columns: Sequence[Column], runs: Mapping[str, Snapshot]) -> Iterator[Row]:
    cells = [outcomes_of(runs[column["checkpoint_id"]]) for column in columns]
    of_a, of_b = outcomes_of(a), outcomes_of(b)
    for row in case_rows(cells, _before(columns), {**a.origins, **b.origins}, (*of_a, *of_b)):
        x, y = of_a.get(row["id"]), of_b.get(row["id"])
        flipped = x is not None and y is not None and (x == "passed") != (y == "passed")
        yield {**row, "a": x, "b": y, "flipped": flipped}


def _before(columns: Sequence[Column]) -> list[int | None]:
    """Return for each column the index of the one before it on its side: b's first follows what both share."""
    newest: dict[Shared, int | None] = {"both": None, "a": None, "b": None}
    before: list[int | None] = []
    for index, column in enumerate(columns):
        on = column["on"]
        before.append(newest[on] if newest[on] is not None else newest["both"])
        newest[on] = index
    return before
