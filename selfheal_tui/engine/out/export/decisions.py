"""Each decision of a session as one plain JSON object, for research; docs/decisions.md says what it holds. Pure.

The document and FIELDS are kept alike by a test.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from selfheal_tui import __version__

from ...history.calls import MomentCall
from ...history.matrix import SUITE_NODE
from ...loop.reviews.table import REVIEWS
from ...moment.origins import with_suites
from ...moment.review import ReviewKind
from ...moment.snapshot import Snapshot
from ...moment.timeline import Checkpoint, Timeline
from .story import changes_between, proposal_of

FORMAT = 1
FIELDS = (
    *("format", "selfheal", "session_id", "title", "branch", "checkpoint_id", "asked_at", "at", "iteration"),
    *(
        "kind",
        "proposal",
        "verdict",
        "pick",
        "together",
        "edited",
        "note",
        "comments",
        "by",
        "agent",
        "rule",
        "rule_lines",
        "avoid",
        "diff",
    ),
    *("before", "after", "calls", "autonomy"),
)
_SET = (
    *("spec", "diagnosis", "feedback", "lessons", "models", "limits", "policy", "autonomy", "pinned", "rules"),
    "answers",
)
"""Fields of a moment that a fork may set, apart from the program and the tests."""


def is_decision(timeline: Timeline, checkpoint: Checkpoint) -> bool:
    """Tell whether something was decided at a checkpoint: a question answered, or a branch begun by a fork."""
    return checkpoint.decision is not None or _is_fork(timeline, checkpoint)


def maker(timeline: Timeline, checkpoint: Checkpoint) -> Checkpoint | None:
    """Return the checkpoint at which the node ended that made what was decided on; None when none did."""
    spec = REVIEWS.get(cast(ReviewKind, (checkpoint.decision or {}).get("kind", "")))
    nodes = spec.made_in if spec else ()
    return next((c for c in reversed(timeline.lineage(checkpoint.id)[:-1]) if c.node in nodes), None)


def next_runs(timeline: Timeline) -> dict[str, str]:
    """Return checkpoint -> the next one on its branch at which the suite had just run."""
    following: dict[str, str] = {}
    newest: dict[str, str] = {}
    for checkpoint in reversed(list(timeline)):
        if checkpoint.branch in newest:
            following[checkpoint.id] = newest[checkpoint.branch]
        if checkpoint.node == SUITE_NODE and checkpoint.passed is not None:
            newest[checkpoint.branch] = checkpoint.id
    return following


def decision_record(
    session_id: str,
    checkpoint: Checkpoint,
    moment: Snapshot,
    decided: Snapshot,
    after: Snapshot | None,
    edited: Any,
    calls: Sequence[MomentCall],
) -> dict[str, Any]:
    """Return one decision.

    `asked` is the moment of the question, `decided` that of the answer, `after` that of the next run of the suite on
    the branch; `edited` what the human made of the proposal; `calls` what made the proposal.
    """
    decision = decided.decision if checkpoint.decision else None
    kind = (checkpoint.decision or {}).get("kind", "fork")
    by = decision["by"] if decision else "human"
    agent = decision.get("agent", "") if decision else ""
    return {
        "format": FORMAT,
        "selfheal": __version__,
        "session_id": session_id,
        "title": decided.title,
        "branch": checkpoint.branch,
        "checkpoint_id": checkpoint.id,
        "asked_at": moment.checkpoint_id,
        "at": checkpoint.created_at,
        "iteration": moment.iteration,
        "kind": kind,
        "proposal": proposal_of(kind, moment, decision["pick"] if decision else "") if decision else None,
        "verdict": decision["verdict"] if decision else "fork",
        "pick": decision["pick"] if decision else "",
        "together": list(decision.get("together", ())) if decision else [],
        "edited": edited if decision else _changed(moment, decided),
        "note": decision["note"] if decision else "",
        "comments": [dict(comment) for comment in decision.get("comments", ())] if decision else [],
        "by": "agent" if agent else by if by in ("human", "policy") else "rule",
        "agent": agent,
        "rule": "" if by in ("human", "policy") else by,
        "rule_lines": decision.get("rule_lines", 0) if decision else 0,
        "avoid": list(decision.get("avoid", [])) if decision else [],
        "diff": changes_between(moment, decided),
        "before": with_suites(moment.report, moment.origins),
        "after": with_suites(after.report, after.origins) if after else None,
        "calls": [_call(call) for call in calls],
        "autonomy": moment.autonomy,
    }


def _is_fork(timeline: Timeline, checkpoint: Checkpoint) -> bool:
    parent = timeline.checkpoints.get(checkpoint.parent_id or "")
    return parent is not None and parent.branch != checkpoint.branch


def _changed(before: Snapshot, after: Snapshot) -> dict[str, Any] | None:
    """Return what a fork set apart from the program and the tests; None when it set nothing else."""
    changed = {name: getattr(after, name) for name in _SET if getattr(after, name) != getattr(before, name)}
    return json.loads(json.dumps(changed)) or None


def _call(call: MomentCall) -> dict[str, Any]:
    return {
        "role": call.role,
        "model": call.model,
        "prompt_name": call.prompt_name,
        "prompt_version": call.prompt_version,
        "prompt_sha256": call.prompt_sha256,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cost_usd": call.cost_usd,
        "time_s": call.time_s,
        "replayed": call.replayed,
        "degraded": call.degraded,
    }
