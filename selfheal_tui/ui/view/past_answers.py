"""What was decided at a moment of the past, or on the question that stood there, in values and in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.review import UNKNOWN, Decision
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import TAKEN_BACK, Timeline
from selfheal_tui.engine.moment.words import decision_words
from selfheal_tui.text import one_line

from .selection import Selection, selection_of


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """A decision that was made."""

    decision: Decision
    branch: str
    """The branch that it went on with."""
    edit: Mapping[str, Any] | None = None
    """With an edit: the body that was decided instead of the proposal."""

    @property
    def changes(self) -> Mapping[str, str] | None:
        """With an edit of files: path -> text."""
        changes = self.edit.get("changes") if self.edit else None
        return changes if isinstance(changes, dict) else None


def decided_at(timeline: Timeline, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the moments that hold the decisions about a moment: itself, or those that answered its question."""
    if facts_of(snapshot.node).asks:
        return (snapshot.checkpoint_id,) if snapshot.decision is not None else ()
    answers = (timeline.checkpoints[at] for at in timeline.children.get(snapshot.checkpoint_id, ()))
    return tuple(
        one.id for one in answers if one.decision is not None and timeline.branches[one.branch].hidden not in TAKEN_BACK
    )


def taken_label(snapshot: Snapshot, answers: Sequence[PastAnswer]) -> str:
    """Return the label of the candidate that the newest answer took or started from; empty when none did."""
    for answer in reversed(answers):
        if answer.decision["verdict"] in ("approve", "edit"):
            label = answer.decision["pick"]
            return label if label in snapshot.candidates else next(iter(snapshot.candidates), "")
    return ""


def taken_part(snapshot: Snapshot, answers: Sequence[PastAnswer]) -> tuple[str, Selection] | None:
    """Return label and choice of hunks of the newest answer that took a candidate in part; None where it did not."""
    for answer in reversed(answers):
        if answer.decision["verdict"] in ("approve", "edit"):
            label = taken_label(snapshot, [answer])
            repair = snapshot.candidates.get(label)
            if repair is None or answer.changes is None or not (answer.edit or {}).get("declined"):
                return None
            selection = selection_of(snapshot, repair, answer.changes)
            return (label, selection) if selection is not None else None
    return None


def candidate_words(snapshot: Snapshot, label: str) -> str:
    """Name a candidate by its place: `repair 3 of 4`, `the repair` where there is one."""
    labels = list(snapshot.candidates)
    if len(labels) < 2 or (label and label not in labels):
        return "the repair"
    return f"repair {labels.index(label) + 1 if label else 1} of {len(labels)}"


def answer_words(answer: PastAnswer, snapshot: Snapshot) -> str:
    """Say what was decided: `approved by you: repair 3 of 4`, `rejected by you: too long`."""
    note = one_line(answer.decision["note"], 200)
    return decided_words(answer, snapshot) + (f": {note}" if note else "")


def decided_words(answer: PastAnswer, snapshot: Snapshot) -> str:
    """Say who decided what, without the reason: `approved by you: repair 3 of 4`."""
    words = _object_words(answer, snapshot)
    decision, edit = answer.decision, answer.edit or {}
    if "answer" in edit:
        decision = {**decision, "answered": str(edit["answer"])}  # Older builds noted an edit.
    if edit.get("declined"):
        decision = {**decision, "verdict": "approve"}  # Nothing was edited: the rest was left out.
    return decision_words(decision) + (f": {words}" if words else "")


def _object_words(answer: PastAnswer, snapshot: Snapshot) -> str:
    """Name what was taken, or what the edit says."""
    decision, edit = answer.decision, answer.edit or {}
    if edit.get("answer") == UNKNOWN:
        return "you do not know which answer is right"
    if "answer" in edit:
        return f"the right answer is {one_line(str(edit['answer']), 100)}"
    if snapshot.candidates and edit.get("declined"):
        return f"some hunks of {candidate_words(snapshot, decision['pick'])}"
    if snapshot.candidates and decision["verdict"] in ("approve", "edit"):
        return candidate_words(snapshot, decision["pick"])
    if "cause" in edit:
        return one_line(str(edit["cause"]), 160)
    return ", ".join(f"{name}={value}" for name, value in edit.items() if isinstance(value, int | float | str))
