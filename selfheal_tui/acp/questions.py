"""A question of the loop as a permission request of the editor: the tool call it is about, and an option per answer.

Pure. An option's id is an answer: `approve`, `approve:2`, `reject`, `stop`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from acp.helpers import ToolCallContentVariant, tool_content, tool_diff_content
from acp.schema import PermissionOption, PermissionOptionKind, ToolCallLocation

from selfheal_tui.engine.loop.reviews.table import REVIEWS, waits_line
from selfheal_tui.engine.moment.candidate_words import candidate_lines
from selfheal_tui.engine.moment.review import Answer, ReviewKind, approve, reject, stop
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.steering import place_words
from selfheal_tui.engine.moment.sureness import sure_note, unsure_line
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot
from selfheal_tui.engine.moment.words import report_line
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import InputError
from selfheal_tui.steps import call_rows
from selfheal_tui.text import one_line, plural, value_line

from .markup import block, code, prose, text_content
from .telling import places

MOST_OTHERS = 6
"""Further candidates that have an option of their own; `/approve N` takes any."""
_OPTION = 70
"""Characters on an option."""
_ANSWERS = 5


class Asked(NamedTuple):
    """What an editor shows of a question."""

    title: str
    """No foreign text but in a code span."""
    content: list[ToolCallContentVariant]
    locations: list[ToolCallLocation] | None
    options: list[PermissionOption]


def build_question(kind: ReviewKind, snapshot: Snapshot, root: Path | None) -> Asked:
    """Return how a question is asked; `root` is the folder that the files came from."""
    content: list[ToolCallContentVariant] = []
    title, locations = waits_line(kind), None
    if kind == "repair":
        title, content, locations = _repair(snapshot, root)
    elif kind == "diagnosis":
        title, content, locations = _diagnosis(snapshot, root)
    else:
        content = _other(kind, snapshot, root)
    return Asked(title, content, locations, _options(kind, snapshot))


def answer_of(option_id: str, kind: ReviewKind, note: str = "") -> Answer | None:
    """Return the answer that an option stands for; None for a rejection that lacks its reason.

    Raises: InputError for an option that was not offered.
    """
    verdict, _, pick = option_id.partition(":")
    if verdict == "approve":
        return approve(pick)
    if verdict == "stop":
        return stop(note)
    if verdict != "reject":
        answer = one_line(option_id, 40)
        raise InputError(f"The editor answered with {answer!r}, which was not offered.", "To be asked again: /resume")
    return None if REVIEWS[kind].needs_reason and not note.strip() else reject(note)


def diffs(
    before: Mapping[str, str], changes: Mapping[str, str], root: Path | None
) -> tuple[list[ToolCallContentVariant], list[ToolCallLocation] | None]:
    """Return changes as the protocol has them, by file, and where the first line of each lies.

    Paths are absolute; those of files that came from no folder stay as they are.
    """
    content: list[ToolCallContentVariant] = []
    locations = []
    for path, text in sorted(changes.items()):
        old = before.get(path)
        if old == text:
            continue
        full = str(root / path) if root else path
        content.append(tool_diff_content(full, text, old))
        locations.append(ToolCallLocation(path=full, line=_first_change(old or "", text)))
    return content, locations if root else None


def _first_change(old: str, new: str) -> int:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), 1)


def _text(markdown: str) -> ToolCallContentVariant:
    return tool_content(text_content(markdown))


def _repair(
    snapshot: Snapshot, root: Path | None
) -> tuple[str, list[ToolCallContentVariant], list[ToolCallLocation] | None]:
    before = {**snapshot.tests, **snapshot.program}
    (label, first), *others = snapshot.candidates.items()
    lines = dict(zip(snapshot.candidates, _lines(snapshot), strict=True))
    content, locations = diffs(before, first["changes"], root)
    fixes, breaks = first.get("fixes", []), first.get("breaks", [])
    title = f"Repair {label} of {len(snapshot.candidates)}: {_files(first)}, "
    title += f"fixes {plural(len(fixes), 'case')}, breaks {len(breaks) or 'none'}"
    sure = f", {note}" if (note := sure_note(first)) else ""
    said = [f"**{label}** by {code(first['by'], 60)}{sure}: {prose(first['summary'], 400)}"]
    said += [f"⚠ {prose(str(mark['why']), 300)}" for mark in first.get("marks", [])]
    said += [f"? {prose(unsure)}"] if (unsure := unsure_line(first)) else []
    said += _disagreement(snapshot)
    content.append(_text("\n\n".join(said)))
    for other_label, other in others:
        words = f"**{other_label}** {code(lines[other_label])}\n\n"
        content.append(_text(words + block(unified_diff(before, {**before, **other["changes"]}), "diff")))
    return title, content, locations


def _files(repair: Repair) -> str:
    paths = sorted(repair["changes"])
    return code(paths[0], 80) if len(paths) == 1 else plural(len(paths), "file")


def _lines(snapshot: Snapshot) -> list[str]:
    repairs = [*snapshot.candidates.values()]
    return [one.text for one in candidate_lines(repairs, snapshot.program, snapshot.tests, snapshot.recent)]


def _disagreement(snapshot: Snapshot) -> list[str]:
    question = snapshot.question
    if not question:
        return []
    *_, call = call_rows(question["call"])
    answers = ", ".join(code(value_line(one["text"], 60)) for one in question["answers"][:_ANSWERS])
    return [f"The repairs disagree: {code(call)} is {answers}. Pick the one that is right."]


def _diagnosis(
    snapshot: Snapshot, root: Path | None
) -> tuple[str, list[ToolCallContentVariant], list[ToolCallLocation] | None]:
    diagnosis = snapshot.diagnosis
    if diagnosis is None:
        return waits_line("diagnosis"), [], None
    said = [f"**Cause**, by {code(diagnosis['by'], 60)}: {prose(diagnosis['cause'], 1000)}"]
    said += [
        f"{number}. {code(one['file'], 80)} line {one['line']}: {prose(one['why'], 200)}"
        for number, one in enumerate(diagnosis["evidence"], 1)
    ]
    said.append(f"**Strategy**: {prose(diagnosis['strategy'], 600)}")
    if diagnosis.get("disproof"):
        said.append(f"Wrong if: {prose(diagnosis['disproof'], 400)}")
    if snapshot.report is not None:
        said.append(f"Tests: {prose(report_line(snapshot.report))}")
    return "Diagnosis: is this the cause?", [_text("\n\n".join(said))], places(snapshot, root)


def _other(kind: ReviewKind, snapshot: Snapshot, root: Path | None) -> list[ToolCallContentVariant]:
    proposal = REVIEWS[kind].proposal(snapshot, "")
    content: list[ToolCallContentVariant] = []
    if files := proposal.get("files"):
        content, _ = diffs({}, files, root)
    said = [prose(str(proposal["reason"]), 1000)] if proposal.get("reason") else []
    if kind == "end":
        doubts = doubts_of_snapshot(snapshot)
        said += [f"⚠ {prose(one, 600)}" for one in doubts]
        said += [f"Critic: {prose(snapshot.objection['summary'], 600)}"] if snapshot.objection else []
        said += [f"Opinion: {prose(one, 600)}" for one in snapshot.opinions]
    return [*content, *([_text("\n\n".join(said))] if said else [])]


_YES: Mapping[ReviewKind, str] = {
    "budget": "Go on with as much again",
    "stalled": "Go on all the same",
    "end": "It is healed",
}
_NO: Mapping[ReviewKind, str] = {
    "budget": "End with the best code so far",
    "stalled": "End with the best code so far",
    "end": "Go on (say why next)",
}


def _options(kind: ReviewKind, snapshot: Snapshot) -> list[PermissionOption]:
    options = [_option("approve", _YES.get(kind, "Approve"), "allow_once")]
    if kind == "repair":
        lines = list(zip(snapshot.candidates, _lines(snapshot), strict=True))
        options[0] = _option("approve", f"Approve {lines[0][0]}: {lines[0][1]}", "allow_once")
        options += [_option(f"approve:{label}", f"Take {label}: {line}", "allow_once") for label, line in lines[1:]]
    elif kind == "diagnosis" and snapshot.diagnosis is not None:
        evidence = snapshot.diagnosis["evidence"]
        options += [
            _option(f"approve:{label}", f"Look first at {place_words(evidence[int(label) - 1])}", "allow_once")
            for label in [*REVIEWS[kind].labels(snapshot)][1:]
        ]
    reason = _NO.get(kind, "Reject (say why next)")
    return [
        *options[: MOST_OTHERS + 1],
        _option("reject", reason, "reject_once"),
        _option("stop", "Stop", "reject_once"),
    ]


def _option(option_id: str, name: str, kind: PermissionOptionKind) -> PermissionOption:
    return PermissionOption(option_id=option_id, name=one_line(name, _OPTION), kind=kind)
