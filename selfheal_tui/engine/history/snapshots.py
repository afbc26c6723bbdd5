"""Resolve a checkpoint's refs into a Snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.store.blobs import Blobs

from ..moment.budget import BudgetReached
from ..moment.failures import failure_text, read_failures
from ..moment.recent import load_recent
from ..moment.snapshot import HealedProgram, Snapshot
from ..moment.state import Advice, Diagnosis, HealedGroup, HealState, Objection, Question, Record, Repair, no_spend
from ..moment.timeline import Checkpoint
from ..moment.workspace import load_set_aside, load_workspace
from ..workshop.suspects import still_suspect

RECORDS = 20
"""Most decided repairs that a moment shows: reading all of a long line would make each step dearer than the last."""


async def load_snapshot(blobs: Blobs, state: HealState, checkpoint: Checkpoint) -> Snapshot:
    """Return the moment with its bodies. Raises: SessionError when one is damaged."""
    workspace = await load_workspace(blobs, state)
    written = state.get("written", "")
    failures = read_failures(state.get("failures"))
    labels = sorted(state.get("candidates") or {}, key=lambda label: (len(label), label))
    shown = {label: cast(Repair, await blobs.get(state["candidates"][label])) for label in labels}
    return Snapshot(
        checkpoint_id=checkpoint.id,
        branch=checkpoint.branch,
        node=checkpoint.node,
        mode=state["mode"],
        title=state["title"],
        spec=await blobs.get_text(state["spec_ref"]),
        iteration=state.get("iteration", 0),
        program=workspace.program_texts,
        base=workspace.base,
        tests=workspace.test_texts,
        origins=workspace.origins,
        report=cast(SuiteReport | None, await _body(blobs, state.get("report_ref"))),
        diagnosis=cast(Diagnosis | None, await _body(blobs, state.get("diagnosis_ref"))),
        candidates=shown,
        decision=state.get("decision"),
        heard=state.get("heard"),
        feedback=tuple(state.get("feedback", ())),
        records=await _records(blobs, state.get("head", "")),
        spent=state.get("spent") or no_spend(),
        limits=state["limits"],
        models=state["models"],
        autonomy=state["autonomy"],
        outcome=state.get("outcome", ""),
        reason=state.get("reason", ""),
        pending=checkpoint.pending,
        budget=cast(BudgetReached | None, await _body(blobs, state.get("budget_ref"))),
        policy=state["policy"],
        written=written,
        suite_files=await blobs.get(state["suites"][written]) if written else {},
        aside=await load_set_aside(blobs, state),
        pinned=tuple(state.get("pinned", ())),
        thrown_out=tuple(state.get("thrown_out", ())),
        lessons=tuple(state.get("lessons", ())),
        offered=tuple(state.get("offered", ())),
        rules=tuple(state.get("rules", ())),
        failures={name: failure_text(one) for name, one in failures.items()},
        search_s=max((one.get("search_s", 0.0) for one in (*failures.values(), *shown.values())), default=0.0),
        question=cast(Question | None, await _body(blobs, state.get("question_ref"))),
        rehearsed=state.get("rehearsed", 0),
        unsettled=state.get("unsettled"),
        unmet=tuple(state.get("unmet", ())),
        unmet_rest=state.get("unmet_rest", ""),
        doubts=tuple(state.get("doubts", ())),
        answers=tuple((call, text) for call, text in state.get("answers", ())),
        volunteered=state.get("volunteered", 0),
        unknown=tuple(state.get("unknown", ())),
        empty_rounds=tuple(state.get("empty_rounds", ())),
        repeated=state.get("repeated", ""),
        debug_steps=tuple(await _body(blobs, state.get("debug_ref")) or ()),
        suspects=still_suspect(await _body(blobs, state.get("suspects_ref")), workspace.program_texts),
        recent=await load_recent(blobs, state, workspace.base, workspace.program_texts),
        avoid=tuple(state.get("avoid", ())),
        turn=state.get("turn"),
        waiting=workspace.waiting,
        healed_groups=tuple([await _healed(blobs, workspace.base, one) for one in state.get("healed_groups", ())]),
        objection=cast(Objection | None, await _body(blobs, state.get("objection_ref"))),
        opinions=tuple(state.get("opinions", ())),
        advice={by: cast(Advice, await blobs.get(ref)) for by, ref in (state.get("advice") or {}).items()},
    )


async def _healed(blobs: Blobs, base: Mapping[str, str], group: HealedGroup) -> HealedProgram:
    changes = {path: await blobs.get_text(ref) for path, ref in group["changes"].items()}
    return HealedProgram(group["words"], {**base, **changes}, tuple(group["cases"]))


async def _body(blobs: Blobs, ref: str | None) -> Any:
    return await blobs.get(ref) if ref else None


async def _records(blobs: Blobs, head: str) -> tuple[Record, ...]:
    records: list[Record] = []
    while head and len(records) < RECORDS:
        record = cast(Record, await blobs.get(head))
        records.append(record)
        head = record["prev"]
    return tuple(records)
