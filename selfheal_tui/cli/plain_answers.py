"""A typed choice as the answer that a session takes; reads the user's file, or opens the user's editor."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.review import Answer
from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .decide import hunk_numbers, load_value


def answer_of(word: str, rest: str, asked: ReviewRequested, pick: str) -> Answer:
    """Return the answer; `pick` is the candidate looked at last. May wait for an editor. Raises: InputError."""
    answer: Answer = {"verdict": "approve", "value": None, "pick": pick, "note": ""}
    match word:
        case "approve":
            answer["pick"] = checked_label(asked, rest) if rest else pick
        case "always":
            (lines,) = hunk_numbers(rest, "number") or [0]
            answer["rule_lines"] = lines
        case "reject":
            answer = {"verdict": "reject", "value": None, "pick": "", "note": rest}
        case "avoid":
            answer = {"verdict": "reject", "value": None, "pick": "", "note": "", "avoid": [rest]}
        case "answer":
            answer |= {"verdict": "edit", "value": {"answer": rest}}
        case _:
            answer |= {"verdict": "edit", "value": _edit(rest, asked, pick)}
    return answer


def checked_label(asked: ReviewRequested, label: str) -> str:
    """Return the label of a candidate. Raises: InputError for none."""
    labels = [*REVIEWS[asked.kind].labels(asked.snapshot)]
    if label not in labels:
        there = f"There are: {', '.join(labels)}." if labels else "This question has none."
        raise InputError(f"There is no candidate {one_line(label, 30)!r}.", there)
    return label


def shown_candidate(asked: ReviewRequested, review: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return the question with another candidate as what is proposed. Raises: InputError for none."""
    checked_label(asked, label)
    candidates = review["evidence"].get("candidates", {})
    if label in candidates:
        return {**review, "proposal": {**review["proposal"], "label": label, **candidates[label]}}
    picked = REVIEWS[asked.kind].picked
    return {**review, "proposal": review["proposal"] if picked is None else picked(asked.snapshot, label)}


def _edit(rest: str, asked: ReviewRequested, pick: str) -> dict[str, Any]:
    spec = REVIEWS[asked.kind].edit
    assert spec is not None, "offered where it can be edited"
    if spec.in_hunks and rest.partition(" ")[0] == "hunks":
        return {"hunks": hunk_numbers(rest.partition(" ")[2])}
    files = tuple(spec.files(asked.snapshot, pick)) if spec.of_files else ()
    if rest:
        tests = [path for path in asked.snapshot.tests if path not in files]
        return load_value(Path(rest).expanduser(), files, tests)
    if not spec.of_files:
        raise InputError("This is edited with a file: a JSON object.", "Type edit FILE.")
    return {"changes": _edited(_proposed(asked, pick, files))}


def _proposed(asked: ReviewRequested, pick: str, files: tuple[str, ...]) -> dict[str, str]:
    """Return path -> text of what is proposed: of a repair its files, else all that may be edited."""
    snapshot = asked.snapshot
    repair = snapshot.candidates.get(pick or next(iter(snapshot.candidates), ""))
    if repair is not None:
        return dict(repair["changes"])
    now = {**snapshot.tests, **snapshot.suite_files, **snapshot.program}
    return {path: now[path] for path in files if path in now}


def _edited(texts: Mapping[str, str]) -> dict[str, str]:
    from selfheal_tui.ui.kit.outside import edit_outside, editor_command

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("Your editor needs a terminal.", "Type edit FILE.")
    try:
        command = editor_command(os.environ)
    except InputError as error:
        raise InputError(error.message, "Set VISUAL or EDITOR, or type edit FILE.") from error
    return {path: edit_outside(command, path, text) for path, text in texts.items()}
