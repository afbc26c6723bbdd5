"""From an answer to a decision: it is checked against the question before anything is written down."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from selfheal_tui.errors import InputError
from selfheal_tui.store.blobs import Blobs

from ..moment.hunks import chosen_hunks
from ..moment.review import NOTE_LIMIT, VERDICTS, Answer, Decision, ReviewKind
from ..moment.snapshot import Snapshot
from ..moment.timeline import Checkpoint
from .edit_checks import edit_problems

SAID = {"approve": "approval", "edit": "edit", "reject": "rejection", "stop": "stop"}
"""Verdict -> what the decision is called afterwards."""


def asked_at(checkpoint: Checkpoint) -> ReviewKind:
    """Return what is asked, or was, at a moment. Raises: InputError where nothing is."""
    for node in checkpoint.next:
        if node.startswith("review_"):
            return cast(ReviewKind, node.removeprefix("review_"))
    raise InputError(
        f"No question is asked at checkpoint {checkpoint.id}.",
        "See `pending` in: selfheal sessions show --json",
    )


async def checked_decision(blobs: Blobs, kind: ReviewKind, snapshot: Snapshot, answer: Answer) -> Decision:
    """Return the decision, an edit's bodies stored; `snapshot` is the moment that asks. Raises: InputError."""
    verdict, note = answer.get("verdict"), answer.get("note", "").strip()[:NOTE_LIMIT]
    if verdict not in VERDICTS:
        raise InputError(f"There is no verdict {verdict!r}.", f"There are: {', '.join(VERDICTS)}.")
    if verdict == "reject" and not note and kind not in ("budget", "stalled"):
        raise InputError("A rejection needs a reason.", "Say what is wrong (--note TEXT): the next attempt goes by it.")
    if kind == "tests" and not snapshot.written:
        raise InputError(
            f"No question is asked at checkpoint {snapshot.checkpoint_id}.", "No tests were written there."
        )
    pick, value_ref = answer.get("pick", ""), ""
    if pick and pick not in snapshot.candidates:
        raise InputError(f"There is no candidate {pick!r}.", f"There are: {', '.join(snapshot.candidates)}.")
    if verdict == "edit":
        value = dict(answer.get("value") or {})
        if kind == "stalled" or (kind == "end" and "answer" not in value):
            raise InputError(f"There is nothing to edit at the {kind}.", "Approve, reject or stop.")
        if kind == "repair" and "hunks" in value:
            value = _chosen(snapshot, pick, value)
        if kind in ("repair", "end") and "answer" in value and snapshot.question is None:
            about = "these repairs" if kind == "repair" else "this program"
            raise InputError(f"Nothing was asked about {about}.", "Approve, reject or stop.")
        changeable = _changeable(kind, snapshot, pick)
        problems = edit_problems(kind, value, changeable, snapshot.tests)
        if problems:
            where = f"{problems[0].field} " if problems[0].field else ""
            raise InputError(f"The edit cannot be used: {where}{problems[0].message}.", "Change it and send it again.")
        value_ref = await blobs.put(_edited(kind, value, snapshot))
    decision: Decision = {"verdict": verdict, "value_ref": value_ref, "pick": pick, "note": note, "by": "human"}
    if kind == "code" and verdict == "edit":
        texts = cast(dict[str, str], (answer.get("value") or {})["changes"])
        decision["changes"] = {path: await blobs.put_text(text) for path, text in texts.items()}
    if lines := answer.get("rule_lines", 0):
        if kind != "repair" or verdict != "approve":
            raise InputError("A rule is born from the approval of a repair.", "Approve one with it.")
        if lines < 1:
            raise InputError(f"A rule for {lines} changed lines covers nothing.", "Give a number from 1.")
        decision["rule_lines"] = lines
    return decision


def _edited(kind: ReviewKind, value: dict[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    match kind:
        case "diagnosis":
            return {**value, "by": "human"}
        case "budget":
            return value
        case "repair" | "end" if "answer" in value:
            return {"answer": str(value["answer"]).strip()}
        case "tests":
            return {**snapshot.suite_files, **value["changes"]}
    declined = {"declined": value["declined"]} if value.get("declined") else {}
    return {"changes": value["changes"], **declined}


def _chosen(snapshot: Snapshot, pick: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edit that takes only some hunks of a candidate. Raises: InputError."""
    repair = snapshot.candidates.get(pick or "1")
    numbers = value["hunks"]
    if repair is None or set(value) != {"hunks"}:
        raise InputError("Hunks are chosen of a proposed repair, and go alone.", "Give the changes instead.")
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise InputError("`hunks` must be a list of whole numbers.", "As in [1, 3].")
    changes, declined = chosen_hunks({**snapshot.tests, **snapshot.program}, repair["changes"], set(numbers))
    return {"changes": changes, "declined": declined}


def _changeable(kind: ReviewKind, snapshot: Snapshot, pick: str) -> Collection[str]:
    """Return the paths that an edit may change."""
    if kind == "tests":
        return snapshot.suite_files
    repair = snapshot.candidates.get(pick or "1") if kind == "repair" else None
    return repair["changes"] if repair and repair.get("of_test") else snapshot.program
