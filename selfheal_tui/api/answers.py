"""What `decide` may return: small constructors, and how their results are read for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment import review as of_engine
from selfheal_tui.engine.moment.review import Answer, ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

Decided = Answer | str | None
"""An answer; `"approve"` or `"stop"` for one without more to say; None leaves the question open."""

_WAYS = "approve(), edit({...}), reject('why'), stop(), or None to leave the question open"
_PARTS = ("changes", "hunks", "answer", "declined")
"""What an edit of files may say beside the files themselves."""


def approve(pick: str | int = "", note: str = "") -> Answer:
    """Accept what is proposed, or the candidate (or the place of a diagnosis) with the label `pick`."""
    return of_engine.approve(str(pick), note)


def edit(value: Mapping[str, Any], note: str = "", pick: str | int = "") -> Answer:
    """Accept a version of your own.

    Of a repair, code or tests: path -> new text of the files that you change. Of a diagnosis: the fields that you
    change. Of a budget: the limits that you change. `{"answer": "[1, 2]"}` says which answer to `review.open_call` is
    right.
    """
    return of_engine.edit(dict(value), note, str(pick))


def reject(note: str = "", avoid: Sequence[str] = ()) -> Answer:
    """Refuse; the note is the reason, and the next attempt gets it.

    `avoid` is what the search leaves as it is from here on: `function:NAME`, `line:FILE:N`, `data`.
    """
    return of_engine.reject(note, avoid)


def stop(note: str = "") -> Answer:
    """End the run here, unhealed."""
    return of_engine.stop(note)


def answer_to(kind: ReviewKind, snapshot: Snapshot, decided: Any) -> Answer | None:
    """Return the answer that the engine takes; None where the question stays open. Raises: InputError."""
    if decided is None:
        return None
    if isinstance(decided, str):
        if decided not in of_engine.VERDICTS:
            raise InputError(
                f"decide() returned {one_line(repr(decided), 60)}, which is no answer.", f"Return {_WAYS}."
            )
        decided = {"verdict": decided}
    if not isinstance(decided, Mapping) or "verdict" not in decided:
        raise InputError(f"decide() returned {one_line(repr(decided), 60)}, which is no answer.", f"Return {_WAYS}.")
    answer = cast(Answer, dict(decided))
    if answer["verdict"] == "edit":
        if not answer.get("value"):
            raise InputError("An edit says what it changes.", "Return edit({'shop.py': text}).")
        answer["value"] = _whole(kind, snapshot, dict(answer["value"] or {}))
    is_mute = not answer.get("note", "").strip() and not answer.get("comments")
    if answer["verdict"] == "reject" and is_mute and REVIEWS[kind].needs_reason:
        raise InputError("A rejection needs a reason: the next attempt goes by it.", "Return reject('why').")
    return answer


def _whole(kind: ReviewKind, snapshot: Snapshot, value: dict[str, Any]) -> dict[str, Any]:
    """Return an edit in the form of the engine: all fields of a diagnosis, files below `changes`."""
    spec = REVIEWS[kind].edit
    if kind == "diagnosis" and snapshot.diagnosis is not None and "answer" not in value:
        return {**snapshot.diagnosis, **value}
    if spec is not None and spec.of_files and not value.keys() & {*_PARTS}:
        return {"changes": value}
    return value
