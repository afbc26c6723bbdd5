"""What happened on a branch, from the root to its head, iteration by iteration: plain JSON, from snapshots. Pure.

The story's shape (`sessions export --format json`; Markdown and HTML are drawn from it):

    {"format": "selfheal-story", "format_version": 2, "selfheal": str, "session_id", "title", "branch", "head": id,
     "forked_from": id | null, "mode", "spec", "outcome", "reason",
     "pending": {"kind", "proposal"} | null (the question that waits), "autonomy", "models": {role: model}, "limits",
     "policy", "rules": [Rule], "lessons": [str], "spent": Spent,
     "base": {path: text}, "program": {path: text}, "changed": [path], "diff": str,
     "tests": {path: text}, "origins": {path: suite}, "pinned": [case id], "thrown_out": [str], "opinions": [str],
     "answers": [[call, right answer]],
     "objection": Objection | null, "advice": {name: Advice}, "not_tested": [str], "report": SuiteReport | null,
     "iterations": [{"iteration": int, "runs": [{"checkpoint_id", "at", "report"}],
                     "diagnoses": [{"checkpoint_id", "at", "diagnosis", "steps": [DebugStep]}], "decisions": [Told],
                     "notes": [{"checkpoint_id", "at", "read_by": node, "text"}],
                     "not_tested": [str], "spent": Spent}],
     "matrix": {"iterations": [int], "cases": [{"id", "suite", "outcomes": [str | null], "flips": [Flip]}]},
     "usage": [UsageRow], "calls": [Call]}

`usage` is that of all branches, `calls` are those on the way to this branch's end. A Call:

    {"role", "model", "node", "iteration", "branch", "checkpoint_id", "prompt", "reply", "usage": {"input_tokens",
     "output_tokens", "cost_usd"}, "time_s", "at", "replayed": bool, "degraded", "written_by": prompt, version, sha256,
     "sent": which files left the machine, to which address, how many bytes; in words}

A session from before moments knew their calls tells all of them, with an empty `branch` and `node`.

A Told decision:

    {"checkpoint_id", "branch", "at", "kind": ReviewKind | "fork", "verdict", "by", "note", "proposal": object,
     "edited": object | null, "edited_words": what was edited, "diff": str, "comments": [Comment]}

`diff` is what it changed in the program and the tests; empty when it changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from selfheal_tui import __version__
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.steps import call_words
from selfheal_tui.store.ledger import RecordedCall

from ...history.calls import MomentCall
from ...history.matrix import SUITE_NODE, case_rows
from ...history.sent import sent_words
from ...loop.reviews.table import REVIEWS
from ...moment.origins import with_suites
from ...moment.review import ReviewKind
from ...moment.snapshot import Snapshot
from ...moment.state import add_spent, no_spend, spent_between
from ...moment.timeline import Checkpoint, Timeline
from ...moment.words import decided_by, not_verified_line
from ...moment.workspace import unified_diff

FORMAT_VERSION = 2


class StoryTeller:
    """Takes the snapshots of a branch one by one, oldest first, and keeps only what the story tells of them."""

    def __init__(self) -> None:
        self._last: tuple[Checkpoint, Snapshot] | None = None
        self._iterations: dict[int, dict[str, Any]] = {}
        self._to_apply: dict[str, Any] | None = None

    def add(self, checkpoint: Checkpoint, snapshot: Snapshot) -> None:
        """Take the next moment."""
        before = self._last[1] if self._last else snapshot
        iteration = self._iteration(before.iteration if checkpoint.node == "apply" else snapshot.iteration)
        iteration["spent"] = add_spent(iteration["spent"], spent_between(before.spent, snapshot.spent))
        at = {"checkpoint_id": checkpoint.id, "at": checkpoint.created_at}
        diff = changes_between(before, snapshot)
        if checkpoint.node == SUITE_NODE and snapshot.report:
            iteration["runs"].append({**at, "report": with_suites(snapshot.report, snapshot.origins)})
            iteration["not_tested"] += [line for line in report_gaps(snapshot) if line not in iteration["not_tested"]]
        if checkpoint.node == "diagnose" and snapshot.diagnosis:
            entry = {"diagnosis": snapshot.diagnosis, "steps": list(snapshot.debug_steps)}
            iteration["diagnoses"].append({**at, **entry})
        if snapshot.heard and snapshot.heard["by"] == checkpoint.node and not self._forked(checkpoint):
            texts = [text for _, text in snapshot.heard["notes"]]
            iteration["notes"] += [{**at, "read_by": checkpoint.node, "text": text} for text in texts]
        if checkpoint.decision and snapshot.decision:
            iteration["decisions"].append(self._decision(checkpoint, before, snapshot, diff))
        elif self._forked(checkpoint):
            iteration["decisions"].append(_fork(checkpoint, diff))
        if checkpoint.node == "apply" and self._to_apply is not None:
            self._to_apply["diff"] = diff
            self._to_apply = None
        self._last = checkpoint, snapshot

    def story(self, session_id: str, timeline: Timeline, usage: Sequence[Any], calls: Sequence[Any]) -> dict[str, Any]:
        """Return the story of what was taken. Raises: ValueError when nothing was."""
        if self._last is None:
            raise ValueError("no moment was taken")
        head = self._last[1]
        branch = timeline.branches[head.branch]
        iterations = [self._iterations[number] for number in sorted(self._iterations)]
        return {
            "format": "selfheal-story",
            "format_version": FORMAT_VERSION,
            "selfheal": __version__,
            "session_id": session_id,
            "title": head.title,
            "branch": head.branch,
            "head": head.checkpoint_id,
            "forked_from": branch.forked_from,
            "mode": head.mode,
            "spec": head.spec,
            "outcome": head.outcome or branch.outcome,
            "reason": head.reason,
            "pending": {"kind": head.pending, "proposal": proposal_of(head.pending, head, "")}
            if head.pending
            else None,
            "autonomy": head.autonomy,
            "models": dict(head.models),
            "limits": head.limits,
            "policy": head.policy,
            "rules": list(head.rules),
            "lessons": list(head.lessons),
            "spent": head.spent,
            "base": dict(head.base),
            "program": dict(head.program),
            "changed": sorted(p for p in {*head.base, *head.program} if head.base.get(p) != head.program.get(p)),
            "diff": unified_diff(head.base, head.program),
            "tests": dict(head.tests),
            "origins": dict(head.origins),
            "pinned": list(head.pinned),
            "thrown_out": list(head.thrown_out),
            "opinions": list(head.opinions),
            "answers": [list(pair) for pair in head.answers],
            "objection": head.objection,
            "advice": dict(head.advice),
            "not_tested": gaps(head),
            "report": with_suites(head.report, head.origins),
            "iterations": iterations,
            "matrix": _matrix(iterations),
            "usage": list(usage),
            "calls": list(calls),
        }

    def _iteration(self, number: int) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "iteration": number,
            "runs": [],
            "diagnoses": [],
            "decisions": [],
            "not_tested": [],
            "notes": [],
        }
        return self._iterations.setdefault(number, {**empty, "spent": no_spend()})

    def _forked(self, checkpoint: Checkpoint) -> bool:
        return self._last is not None and self._last[0].branch != checkpoint.branch

    def _decision(self, checkpoint: Checkpoint, before: Snapshot, after: Snapshot, diff: str) -> dict[str, Any]:
        kind = (checkpoint.decision or {}).get("kind", "")
        decision = after.decision
        assert decision is not None
        edited = decision["verdict"] == "edit"
        entry = {
            **_told(checkpoint, kind, decision["verdict"], decided_by(decision), decision["note"]),
            "proposal": proposal_of(kind, before, decision["pick"]),
            "edited": dict(after.diagnosis or {}) if edited and kind == "diagnosis" else None,
            "edited_words": decision.get("edited", ""),
            "diff": diff,
            "comments": [dict(comment) for comment in decision.get("comments", ())],
        }
        if kind == "repair" and decision["verdict"] in ("approve", "edit"):
            self._to_apply = entry
        return entry


def told_call(call: MomentCall) -> dict[str, Any]:
    """Return a call as the story tells it."""
    names = ("role", "model", "node", "iteration", "branch", "checkpoint_id", "prompt", "reply")
    usage = {name: getattr(call, name) for name in ("input_tokens", "output_tokens", "cost_usd")}
    return {
        **{name: getattr(call, name) for name in names},
        "usage": usage,
        **{name: getattr(call, name) for name in ("time_s", "at", "replayed", "degraded")},
        "written_by": f"{call.prompt_name} v{call.prompt_version} {call.prompt_sha256}",
        "sent": call.sent_words,
    }


def recorded_call(call: RecordedCall) -> dict[str, Any]:
    """Return a call of a session that was written before moments knew theirs."""
    place = {"node": "", "iteration": 0, "branch": "", "checkpoint_id": ""}
    return {**call, **place, "time_s": 0.0, "replayed": False, "sent": sent_words(call["model"], False, ())}


def changes_between(before: Snapshot, after: Snapshot) -> str:
    """Return what differs in the program, then in the tests, as a diff."""
    return unified_diff(before.program, after.program) + unified_diff(before.tests, after.tests)


def report_gaps(snapshot: Snapshot) -> list[str]:
    """Return what the newest run of the suite leaves open, one sentence each."""
    report = snapshot.report
    if report is None:
        return ["The suite has not run."]
    sentences = []
    if report["error"]:
        sentences.append(f"The suite could not run: {report['error']}")
    if doubt := not_verified_line(report):
        sentences.append(f"{doubt[0].upper()}{doubt[1:].rstrip('.')}.")
    if report["truncated"]:
        sentences.append("Cases or output were cut at a limit.")
    sentences += report.get("notes", [])
    if skipped := [case["id"] for case in report["cases"] if case["outcome"] == "skipped"]:
        sentences.append(f"Skipped: {', '.join(skipped)}.")
    return sentences


def gaps(head: Snapshot) -> list[str]:
    """Return what was not tested at the end of a branch, one sentence each."""
    sentences = report_gaps(head)
    if head.objection is None:
        by_models = any(model != SEARCH for model in head.models.values())
        unread = "No critic has read this program: lines" if by_models else "Lines"
        sentences.append(f"{unread} that no case runs are not known.")
    else:
        for path, lines in head.objection["unexercised"].items():
            if lines:
                which = "lines" if len(lines) > 1 else "line"
                sentences.append(f"No case ran {path}, {which} {', '.join(map(str, lines))}.")
        sentences += [f"No case tries: {inputs}" for inputs in head.objection.get("untried", [])]
    sentences += [f"A test was thrown out: {why}" for why in head.thrown_out]
    if head.question and "now" in head.question:
        sentences.append(
            f"No case says what {call_words(head.question['call'])} gives; it gives {head.question['now']}."
        )
    return sentences


def proposal_of(kind: str, moment: Snapshot, pick: str) -> dict[str, Any]:
    """Return what is proposed at a question, bodies resolved; `pick` is the label of the repair decided on."""
    spec = REVIEWS.get(cast(ReviewKind, kind))
    return spec.proposal(moment, pick) if spec else {"files": dict(moment.program)}


def _told(checkpoint: Checkpoint, kind: str, verdict: str, by: str, note: str) -> dict[str, Any]:
    return {
        "checkpoint_id": checkpoint.id,
        "branch": checkpoint.branch,
        "at": checkpoint.created_at,
        "kind": kind,
        "verdict": verdict,
        "by": by,
        "note": note,
    }


def _fork(checkpoint: Checkpoint, diff: str) -> dict[str, Any]:
    note = f"Branch {checkpoint.branch} starts here."
    return {
        **_told(checkpoint, "fork", "fork", "human", note),
        "proposal": {},
        "edited": None,
        "edited_words": "",
        "diff": diff,
        "comments": [],
    }


def _matrix(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    runs = [(iteration["iteration"], run["report"]["cases"]) for iteration in iterations for run in iteration["runs"]]
    origins = {case["id"].partition("::")[0]: case["suite"] for _, cases in runs for case in cases}
    cells = [{case["id"]: case["outcome"] for case in cases} for _, cases in runs]
    before = [index - 1 if index else None for index in range(len(cells))]
    return {"iterations": [number for number, _ in runs], "cases": case_rows(cells, before, origins)}
