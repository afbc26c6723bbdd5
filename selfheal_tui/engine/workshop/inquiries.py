"""Earlier diagnoses of a branch in short: what each held, and what was looked at for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from selfheal_tui.store.blobs import Blobs, json_text, text_ref
from selfheal_tui.text import one_line

from ..moment.state import DebugStep, Diagnosis, HealState, Inquiry, Look

INQUIRIES_KEPT = 4
_LOOKS_KEPT = 8
_CAUSE = 500
_ACTION, _SHOWED = 160, 240


async def earlier_inquiries(blobs: Blobs, state: HealState) -> list[Inquiry]:
    """Return the earlier diagnoses, oldest first; the last as the human has left it."""
    ref = state.get("inquiries_ref", "")
    inquiries = cast(list[Inquiry], await blobs.get(ref)) if ref else []
    if inquiries and state.get("diagnosis_ref"):
        used = cast(Diagnosis, await blobs.get(state["diagnosis_ref"]))
        inquiries[-1] = _with_words(inquiries[-1], used)
    return inquiries


def with_inquiry(
    earlier: Sequence[Inquiry], state: HealState, diagnosis: Diagnosis, steps: Sequence[DebugStep]
) -> list[Inquiry]:
    """Return the diagnoses with a new one as the last; only the newest are kept."""
    looks: list[Look] = [_look(step) for step in steps[-_LOOKS_KEPT:]]
    inquiry = {"iteration": state.get("iteration", 0), "program": program_hash(state), "looks": looks}
    return [*earlier, _with_words(inquiry, diagnosis)][-INQUIRIES_KEPT:]


async def edits_refused(blobs: Blobs, state: HealState) -> int:
    """Return with how many edits every failing case passed in the diagnosis that was rejected last.

    0 where none was rejected, none of its edits did that, or the program is another one by now.
    """
    ref, decision = state.get("inquiries_ref", ""), state.get("decision")
    inquiries = cast(list[Inquiry], await blobs.get(ref)) if ref else []
    if not decision or decision["verdict"] != "reject" or not state.get("diagnosis_ref"):
        return 0
    if not inquiries or inquiries[-1]["program"] != program_hash(state):
        return 0
    rejected = cast(Diagnosis, await blobs.get(state["diagnosis_ref"]))
    return rejected.get("edits", 0) or rejected.get("edits_refused", 0)


def program_hash(state: HealState) -> str:
    """Return a hash of what the program of a state changes: the same for the same program of one session."""
    return text_ref(json_text(state.get("changes", {})))


def _with_words(inquiry: Mapping[str, Any], diagnosis: Diagnosis) -> Inquiry:
    words = {
        "fault": diagnosis["fault"],
        "cause": one_line(diagnosis["cause"], _CAUSE),
        "confidence": diagnosis["confidence"],
        "by": diagnosis["by"],
    }
    return cast(Inquiry, {**inquiry, **words})


def _look(step: DebugStep) -> Look:
    arguments = {name: value for name, value in step["arguments"].items() if value}
    words = f"{step['tool']} {json.dumps(arguments, ensure_ascii=False)}" if arguments else step["tool"]
    return {"action": one_line(words, _ACTION), "showed": one_line(step["observation"], _SHOWED)}
