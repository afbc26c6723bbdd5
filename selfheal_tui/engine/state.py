"""What a checkpoint holds: plain JSON scalars and content hashes (`_ref`), never a body.

Bodies (manifest, files, reports, diagnoses, repairs, records) lie in the blob store by sha256, so the state
stays small and history grows only by what is new.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from selfheal_tui.sandbox.base import SuiteReport

from .review import Decision

GRAPH_VERSION = 2
"""Stamped on every checkpoint; a session from another version is refused, never shown as finished."""

Mode = Literal["fix", "spec"]
Autonomy = Literal["review_all", "review_repairs", "full_auto"]
Ending = Literal["", "healed", "gave_up", "stalled", "budget", "stopped"]
AUTONOMIES: tuple[Autonomy, ...] = ("review_all", "review_repairs", "full_auto")


class Evidence(TypedDict):
    """A line that speaks for a diagnosis."""

    file: str
    line: int
    why: str


class Diagnosis(TypedDict):
    """Why the suite fails, as a proposal the user reviews."""

    fault: Literal["code", "test", "spec", "environment"]
    category: str
    """boundary, operator, constant, variable, logic, missing, exception, syntax, import, unknown..."""
    cause: str
    evidence: list[Evidence]
    """Most suspicious first."""
    strategy: str
    """What to try, one or two sentences."""
    confidence: float
    """0..1."""
    by: str
    """`search`, `provider:model` or `human`."""


class Repair(TypedDict):
    """A proposed change, and once rehearsed what it does to the cases."""

    summary: str
    changes: dict[str, str]
    """Program path -> whole new text; only files that change."""
    strategy: str
    by: str
    confidence: NotRequired[float]
    """0..1: how likely it is right beyond the cases that it was made from; absent where nobody can say."""
    report: NotRequired[SuiteReport]
    """The rehearsal; absent before it."""
    fixes: NotRequired[list[str]]
    """Case ids that failed before and pass with this repair."""
    breaks: NotRequired[list[str]]
    """Case ids that passed before and do not with this repair."""
    diff: NotRequired[str]
    """Unified diff against the code it was proposed for."""
    rank: NotRequired[int]
    """1 is first."""
    reasons: NotRequired[list[str]]
    """Why it ranks where it does."""


class Spent(TypedDict):
    """What a branch has used up to a checkpoint."""

    calls: int
    replayed_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None once a call of unknown price was made."""
    time_s: float


class RunLimits(TypedDict):
    """When the loop stops by itself; None is no limit."""

    max_iterations: int
    max_tokens: int | None
    max_cost_usd: float | None
    max_time_s: float | None
    max_calls: NotRequired[int | None]


class Best(TypedDict):
    """The iteration whose code passed most cases so far."""

    iteration: int
    passed: int
    failed: int
    changes: dict[str, str]
    report_ref: str


class Manifest(TypedDict):
    """What the session was created from, by ref."""

    files: dict[str, str]
    """Relative path -> content ref: the frozen copy."""
    program: list[str]
    """Paths that may be changed."""
    tests: list[str]
    """Test files or folders."""
    pytest_args: list[str]
    root: str | None
    """Absolute folder the files came from; None for a demo or a spec."""


class Record(TypedDict):
    """One reviewed repair: a linked list from the newest, shared by forks."""

    prev: str
    """Ref of the record before; empty at the first."""
    iteration: int
    repair_ref: str
    changes_ref: str
    """Hash of the proposed changes: how a repetition is recognised."""
    verdict: str
    note: str
    by: str


def no_spend() -> Spent:
    """Return a zero bill."""
    return {
        "calls": 0,
        "replayed_calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
        "time_s": 0.0,
    }


def add_spent(total: Spent | None, more: Spent | None) -> Spent:
    """Add two bills; nodes return what they spent and never the sum. An unknown price stays unknown."""
    a, b = total or no_spend(), more or no_spend()
    cost = None if a["cost_usd"] is None or b["cost_usd"] is None else a["cost_usd"] + b["cost_usd"]
    return {
        "calls": a["calls"] + b["calls"],
        "replayed_calls": a["replayed_calls"] + b["replayed_calls"],
        "input_tokens": a["input_tokens"] + b["input_tokens"],
        "output_tokens": a["output_tokens"] + b["output_tokens"],
        "cost_usd": cost,
        "time_s": round(a["time_s"] + b["time_s"], 3),
    }


def merge_candidates(old: dict[str, str] | None, new: dict[str, str] | None) -> dict[str, str]:
    """Merge by label; None clears, so no candidate of an earlier round is judged again."""
    return {} if new is None else {**(old or {}), **new}


class HealState(TypedDict, total=False):
    """The checkpointed state: scalars and refs only."""

    graph_version: int
    node: str
    """The node that wrote this checkpoint."""
    mode: Mode
    title: str
    spec_ref: str
    manifest_ref: str
    changes: dict[str, str]
    """Program path -> content ref, where it differs from the manifest."""
    suites: dict[str, str]
    """Generated suites: kind -> ref of `{path: text}`; the user's own tests are in the manifest."""
    report_ref: str
    passed: int
    """Cases passed in the newest report; absent before it."""
    failed: int
    """Cases failed, in error or timed out in the newest report."""
    diagnosis_ref: str
    candidates: Annotated[dict[str, str], merge_candidates]
    """Label -> Repair ref; labels sort by rank once rehearsed."""
    gain: int
    """Cases that the first-ranked candidate fixes minus those it breaks."""
    decision: Decision | None
    """The newest answer, human or by policy."""
    feedback: list[str]
    """The human's reasons since the last applied repair, newest last."""
    iteration: int
    """Number of repairs tried; 0 is the code as given."""
    attempt: int
    """Proposals and diagnoses asked for since the last applied repair; part of the request's salt."""
    afresh: str
    """Set by a fork that asks the models again what they have answered; part of the request's salt from there on."""
    head: str
    """Ref of the newest Record."""
    spent: Annotated[Spent, add_spent]
    limits: RunLimits
    models: dict[str, str]
    """Role -> `provider:model`."""
    autonomy: Autonomy
    best: Best
    budget_ref: str
    """Ref of the BudgetReached that is asked about; empty when none is."""
    budget_next: str
    """The node that runs once there is room again."""
    outcome: Ending
    reason: str
    """One sentence on the outcome."""


JSONObject = dict[str, Any]
