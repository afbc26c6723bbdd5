"""Each case over the runs of the suite, and where it flips. Pure.

run          0  1  2     columns, oldest first
test_empty   x  ok ok    fixed in the second
test_long    ok x  ok    broke, then fixed
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from selfheal_tui.sandbox.base import SuiteReport

from ..moment.origins import suite_of
from ..moment.snapshot import Snapshot
from ..moment.timeline import Timeline

Shared = Literal["both", "a", "b"]
Flip = Literal["", "fixed", "broke"]

SUITE_NODE = "run_suite"


class Column(TypedDict):
    """One run of the suite."""

    on: Shared
    checkpoint_id: str
    branch: str
    iteration: int
    passed: int
    failed: int


class CaseRow(TypedDict):
    """One case over the columns."""

    id: str
    suite: str
    """yours, examples, spec, adversarial or critic."""
    outcomes: list[str | None]
    """One for each column; None where the case was not in the suite."""
    flips: list[Flip]
    """One for each column: whether the case passes now and did not before on this side, or the other way round."""


class Matrix(TypedDict):
    """Cases over the runs that lead to one moment."""

    columns: list[Column]
    cases: list[CaseRow]


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What a matrix keeps of a moment at which the suite had just run."""

    column: Column
    outcomes: Mapping[str, str]
    """Case id -> outcome."""
    origins: Mapping[str, str]


def suite_runs(timeline: Timeline, checkpoint_id: str) -> tuple[str, ...]:
    """Return the checkpoints at which the suite had just run, on the way to this one, oldest first."""
    return tuple(c.id for c in timeline.lineage(checkpoint_id) if c.node == SUITE_NODE and c.passed is not None)


def suite_run(snapshot: Snapshot, on: Shared = "both") -> SuiteRun | None:
    """Return the run of a moment; None when the suite had not run."""
    report = snapshot.report
    if report is None:
        return None
    column: Column = {
        "on": on,
        "checkpoint_id": snapshot.checkpoint_id,
        "branch": snapshot.branch,
        "iteration": snapshot.iteration,
        "passed": report["passed"],
        "failed": not_passed(report),
    }
    return SuiteRun(column, outcomes_of(snapshot), snapshot.origins)


def not_passed(report: SuiteReport) -> int:
    """Return how many cases failed, broke off or took too long."""
    return report["failed"] + report["errors"] + report["timeouts"]


def outcomes_of(snapshot: Snapshot) -> dict[str, str]:
    """Return case id -> outcome of the newest report; empty before the first."""
    return {case["id"]: case["outcome"] for case in snapshot.report["cases"]} if snapshot.report else {}


def build_matrix(runs: Sequence[SuiteRun]) -> Matrix:
    """Return the cases over these runs, which followed each other in this order."""
    origins = {path: suite for run in runs for path, suite in run.origins.items()}
    cells = [run.outcomes for run in runs]
    before = [index - 1 if index else None for index in range(len(runs))]
    return {"columns": [run.column for run in runs], "cases": case_rows(cells, before, origins)}


def case_rows(
    cells: Sequence[Mapping[str, str]],
    before: Sequence[int | None],
    origins: Mapping[str, str],
    more: Iterable[str] = (),
) -> list[CaseRow]:
    """Return one row for each case id of `cells` (one mapping for each run) and of `more`, first seen first.

    `before` holds for each run the index of the one it is measured against, None for the first.
    """
    rows: list[CaseRow] = []
    for case_id in dict.fromkeys([*(i for outcomes_by_id in cells for i in outcomes_by_id), *more]):
        outcomes = [outcomes_by_id.get(case_id) for outcomes_by_id in cells]
        suite = suite_of(case_id, origins)
        rows.append({"id": case_id, "suite": suite, "outcomes": outcomes, "flips": flips_along(outcomes, before)})
    return rows


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
