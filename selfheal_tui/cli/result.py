"""The result of a headless run: one JSON-ready dict, the same from all commands, and its exit code (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from selfheal_tui.engine.loop.reviews.table import REVIEWS, waits_line
from selfheal_tui.engine.moment.candidate_words import candidate_lines
from selfheal_tui.engine.moment.doubts import build_doubts, least_confidence
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFailed
from selfheal_tui.engine.moment.hunks import split_hunks
from selfheal_tui.engine.moment.origins import with_suites
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED, Repair, no_spend
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.engine.suites.failing_groups import build_groups, failing_groups
from selfheal_tui.errors import SelfHealError

HEALED, UNHEALED, WAITING = 0, 1, 3


def build_result(
    snapshot: Snapshot | None,
    session_id: str,
    *,
    review: ReviewKind | None = None,
    failure: SelfHealError | None = None,
) -> dict[str, Any]:
    """Build the result of a run that ended at `snapshot`.

    `review` is the question that waits there; `failure` what the run could not go on for; None for `snapshot`
    is a run that failed before anything was saved.
    """
    if snapshot is None:
        base: dict[str, Any] = {"branch": "", "checkpoint_id": "", "iteration": 0}
        bodies: dict[str, Any] = {"report": None, "files": {}, "changed": [], "diff": "", "spent": no_spend()}
        bodies |= {"failures": {}, "groups": []}
    else:
        base = {
            "branch": snapshot.branch,
            "checkpoint_id": snapshot.checkpoint_id,
            "iteration": snapshot.iteration,
        }
        bodies = {
            "report": with_suites(snapshot.report, snapshot.origins),
            "files": dict(snapshot.program),
            "changed": changed_paths(snapshot.base, snapshot.program),
            "diff": unified_diff(snapshot.base, snapshot.program),
            "spent": snapshot.spent,
            "failures": dict(snapshot.failures),
            "groups": build_groups(failing_groups(snapshot)),
        }
    if failure is not None:
        outcome, reason = "failed", str(failure)
    elif review is not None:
        outcome, reason = "waiting", waits_line(review)
    else:
        outcome = (snapshot.outcome if snapshot else "") or "stopped"
        reason = snapshot.reason if snapshot else ""
    question = build_review(snapshot, review) if snapshot and review and failure is None else None
    return {
        "session_id": session_id,
        **base,
        "outcome": outcome,
        "reason": reason,
        "review": question,
        **bodies,
        "doubts": build_doubts(snapshot),
        "confidence": least_confidence(snapshot),
        "advice": dict(snapshot.advice) if snapshot else {},
        "not_run": _not_run(snapshot) if outcome in WELL_ENDED else {},
    }


def _not_run(snapshot: Snapshot | None) -> dict[str, list[int]]:
    """Return path -> lines that no case ran, where the critic or its figures saw the program."""
    objection: Mapping[str, Any] = (snapshot.objection if snapshot else None) or {}
    unexercised: Mapping[str, Any] = objection.get("unexercised") or {}
    return {path: sorted(lines) for path, lines in unexercised.items() if lines}


def build_review(snapshot: Snapshot, kind: ReviewKind) -> dict[str, Any]:
    """Build the question that waits: the proposal, and the evidence to decide on."""
    spec = REVIEWS[kind]
    proposal = spec.proposal(snapshot, "")
    question, candidates = proposal.pop("question", None), proposal.pop("candidates", None)
    evidence = {"report": with_suites(snapshot.report, snapshot.origins), **spec.evidence(snapshot)}
    if candidates is not None:
        lines = candidate_lines([*snapshot.candidates.values()], snapshot.program, snapshot.tests, snapshot.recent)
        evidence["candidates"] = {
            label: _candidate(one, line.text, snapshot)
            for (label, one), line in zip(snapshot.candidates.items(), lines, strict=True)
        }
        proposal |= evidence["candidates"].get(proposal["label"], {})
    if question:
        evidence["question"] = question
    return {"kind": kind, "checkpoint_id": snapshot.checkpoint_id, "proposal": proposal, "evidence": evidence}


def _candidate(repair: Repair, words: str, snapshot: Snapshot) -> dict[str, Any]:
    report = {"report": with_suites(repair["report"], snapshot.origins)} if "report" in repair else {}
    hunks = split_hunks({**snapshot.tests, **snapshot.program}, repair["changes"])
    told = {name: value for name, value in repair.items() if name != "parts"}
    return {**told, **report, "hunks": [asdict(hunk) for hunk in hunks], "in_one_line": words}


def result_of(last: Event | None, newest: Snapshot | None, session_id: str) -> tuple[dict[str, Any], int]:
    """Return result and exit code for the last event of a run; `newest` is the newest snapshot it saved."""
    if isinstance(last, ReviewRequested):
        return build_result(last.snapshot, session_id, review=last.kind), WAITING
    if isinstance(last, RunFailed):
        return build_result(newest, session_id, failure=last.error), last.error.exit_code
    snapshot = getattr(last, "snapshot", newest)
    result = build_result(snapshot, session_id)
    return result, HEALED if result["outcome"] in WELL_ENDED else UNHEALED


def changed_paths(base: Mapping[str, str], program: Mapping[str, str]) -> list[str]:
    """Return the paths whose text differs from what was given, sorted."""
    return sorted(path for path in {*base, *program} if base.get(path) != program.get(path))
