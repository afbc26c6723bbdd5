"""From an answer to a decision: it is checked against the question before anything is written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.text import one_line

from ..loop.reviews.spec import ReviewSpec
from ..loop.reviews.table import REVIEWS
from ..moment.closed import about_cases, with_avoided
from ..moment.hunks import chosen_hunks
from ..moment.node_facts import asked_by
from ..moment.review import NOTE_LIMIT, TRIED, VERDICTS, Answer, Decision, ReviewKind
from ..moment.snapshot import Snapshot
from ..moment.steering import Avoid, avoid_words, avoided, edited_lines
from ..moment.timeline import Checkpoint
from ..moment.together import joined_repair
from ..moment.words import failing_cases
from ..suites.answers import answer_problem
from .commenting import checked_comments, commented_places
from .edit_checks import edit_problems
from .edited_words import edited_words

DECISION_NAMES = {"approve": "approval", "edit": "edit", "reject": "rejection", "stop": "stop"}
"""Verdict -> what the decision is called afterwards."""


def asked_at(checkpoint: Checkpoint) -> ReviewKind:
    """Return what is asked, or was, at a moment. Raises: InputError where nothing is."""
    kind = asked_by(checkpoint.next)
    if kind is None:
        raise InputError(
            f"No question is asked at checkpoint {checkpoint.id}.",
            "Name the row of an answer, or one that waits, in: selfheal sessions show SESSION",
        )
    return kind


async def checked_decision(blobs: Blobs, kind: ReviewKind, snapshot: Snapshot, answer: Answer) -> Decision:
    """Return the decision, an edit's bodies stored; `snapshot` is the moment that asks. Raises: InputError.

    An edit that leaves the proposal as it was is an approval.
    """
    spec = REVIEWS[kind]
    verdict, note = answer.get("verdict"), answer.get("note", "").strip()[:NOTE_LIMIT]
    avoid = _avoided(spec, snapshot, answer)
    if all(line.startswith(TRIED) for line in note.splitlines()):
        # What was tried is no reason: it goes below what the human chose.
        note = "\n".join(filter(None, (avoid_words(avoid), note)))[:NOTE_LIMIT]
    if verdict not in VERDICTS:
        raise InputError(f"There is no verdict {verdict!r}.", f"There are: {', '.join(VERDICTS)}.")
    if verdict == "reject" and not note and not answer.get("comments") and spec.needs_reason:
        raise InputError(
            "A rejection needs a reason.",
            "Say what is wrong (--note TEXT, or --comment FILE:LINE:TEXT): the next attempt goes by it.",
        )
    if spec.needs and not getattr(snapshot, spec.needs):
        raise InputError(
            f"No question is asked at checkpoint {snapshot.checkpoint_id}.", f"No {kind} were {spec.needs} there."
        )
    pick = answer.get("pick", "")
    if pick and pick not in (labels := spec.labels(snapshot)):
        word = "place" if spec.picked else "candidate"
        raise InputError(f"There is no {word} {pick!r}.", f"There are: {', '.join(labels) or 'none to pick from'}.")
    decision: Decision = {"verdict": verdict, "value_ref": "", "pick": pick, "note": note, "by": "human"}
    if agent := answer.get("agent", ""):
        decision["agent"] = agent
    if comments := checked_comments(snapshot, pick, answer.get("comments", ())):
        decision["comments"] = comments
        if kind == "repair" and verdict == "reject" and _role_model(snapshot, "repairer") == SEARCH:
            # It cannot read them, but it can leave those lines alone.
            places = avoided(commented_places(snapshot, comments), snapshot.program)
            avoid = with_avoided(avoid, places)
    if avoid:
        decision["avoid"] = about_cases(avoid, _cases_of(kind, snapshot, pick))
    if verdict == "edit":
        body = _checked_edit(spec, snapshot, pick, dict(answer.get("value") or {}))
        if spec.edit and "answer" not in body and spec.edit.as_proposed(snapshot, pick, body):
            decision["verdict"] = "approve"
        else:
            decision["value_ref"] = await blobs.put(body)
            if "answer" in body:
                decision["answered"] = one_line(str(body["answer"]))
            elif words := edited_words(kind, snapshot, pick, body):
                decision["edited"] = words
            if spec.edit and spec.edit.by_file:
                decision["changes"] = {path: await blobs.put_text(text) for path, text in body["changes"].items()}
    if decision["verdict"] == "approve" and spec.picked and pick not in ("", "1"):
        body = spec.picked(snapshot, pick)
        decision["value_ref"] = await blobs.put(body)
        decision["note"] = note or str(body["cause"])[:NOTE_LIMIT]
    if labels := answer.get("together", []):
        if kind != "repair" or verdict != "approve":
            raise InputError(
                "Only an approval of a repair can name several candidates.",
                "Approve them together, or answer without them.",
            )
        joined_repair({**snapshot.tests, **snapshot.program}, snapshot.candidates, labels)
        decision |= {"together": list(labels), "pick": labels[0]}
    if lines := answer.get("rule_lines", 0):
        if not spec.may_rule or verdict != "approve":
            raise InputError("Only the approval of a repair can make a rule.", "Approve a repair with it.")
        if lines < 1:
            raise InputError(f"A rule for {lines} changed lines covers nothing.", "Give a number from 1.")
        decision["rule_lines"] = lines
    return decision


def _avoided(spec: ReviewSpec, snapshot: Snapshot, answer: Answer) -> list[Avoid]:
    """Return what the search is to leave as it is: what was said, else what a diagnosis of its own named: its line, or
    where it names several that these are edited together, as nobody said which of them is wrong.

    Raises: InputError.
    """
    texts = answer.get("avoid") or []
    if texts and not (spec.steers and answer.get("verdict") == "reject"):
        raise InputError("What to avoid is said with the rejection of a diagnosis or a repair.", "Reject it with that.")
    diagnosis = snapshot.diagnosis
    if not texts and spec.kind == "diagnosis" and answer.get("verdict") == "reject" and diagnosis:
        own = [e for e in diagnosis["evidence"][:1] if diagnosis["by"] == SEARCH and e["file"] in snapshot.program]
        lines = [f"{path}:{line}" for e in own for path, line in edited_lines(e) if path in snapshot.program]
        texts = [f"together:{'+'.join(lines)}" if len(lines) > 1 else f"line:{line}" for line in lines[:1]]
        return avoided(texts, snapshot.program) if answer.get("note", "").strip() else []
    return avoided(texts, snapshot.program)


def _cases_of(kind: ReviewKind, snapshot: Snapshot, pick: str) -> list[str]:
    """Return the failing cases that what is rejected would mend; all that fail where it mends none, or nobody knows."""
    if kind == "diagnosis":
        mended = list(snapshot.diagnosis.get("fixes", [])) if snapshot.diagnosis else []
    else:
        refused = [snapshot.candidates[pick]] if pick else list(snapshot.candidates.values())
        mended = list(dict.fromkeys(case for one in refused for case in one.get("fixes", [])))
    return mended or [case["id"] for case in failing_cases(snapshot.report or {"cases": []})]


def _role_model(snapshot: Snapshot, role: str) -> str:
    return snapshot.models.get(role) or snapshot.models["*"]


def _checked_edit(spec: ReviewSpec, snapshot: Snapshot, pick: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of an edit. Raises: InputError."""
    if spec.may_answer and "answer" in value:
        if snapshot.question is None:
            raise InputError(f"Nothing was asked about the {spec.kind}.", "Approve, reject or stop.")
        _refuse_problems(spec, value, snapshot, pick)
        answer = str(value["answer"]).strip()
        if why := answer_problem(answer, snapshot.program, snapshot.tests):
            raise InputError(f"Your answer {why}.")
        return {"answer": answer}
    if spec.edit is None:
        raise InputError(f"There is nothing to edit at the {spec.kind}.", "Approve, reject or stop.")
    if spec.edit.in_hunks and "hunks" in value:
        value = _hunks_taken(snapshot, pick, value)
    value = spec.edit.filled(snapshot, pick, value)
    _refuse_problems(spec, value, snapshot, pick)
    return spec.edit.body(snapshot, value)


def _refuse_problems(spec: ReviewSpec, value: Mapping[str, Any], snapshot: Snapshot, pick: str) -> None:
    files = spec.edit.files(snapshot, pick) if spec.edit else ()
    if problems := edit_problems(spec.kind, value, files, snapshot.tests):
        if problems[0].field == "answer":
            raise InputError(f"Your answer {problems[0].message}.")
        where = f"{problems[0].field} " if problems[0].field else ""
        raise InputError(f"The edit cannot be used: {where}{problems[0].message}.", "Change it and send it again.")


def _hunks_taken(snapshot: Snapshot, pick: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edit that takes only some hunks of a candidate. Raises: InputError."""
    repair = snapshot.candidates.get(pick or "1")
    numbers = value["hunks"]
    if repair is None or set(value) != {"hunks"}:
        raise InputError("Hunks are chosen of a proposed repair, and go alone.", "Give the changes instead.")
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise InputError("`hunks` must be a list of whole numbers.", "As in [1, 3].")
    changes, declined = chosen_hunks({**snapshot.tests, **snapshot.program}, repair["changes"], set(numbers))
    return {"changes": changes, "declined": declined}
