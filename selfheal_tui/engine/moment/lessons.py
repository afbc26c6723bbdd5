"""What a run learns: at most five sentences that the next attempts see. The human's words outlive the others. Pure."""

from __future__ import annotations

from selfheal_tui.text import one_line, plural, strip_controls

from .state import Record, Repair, iteration_of

LESSONS_KEPT = 5
"""Most lessons in the rolling log."""
_HUMAN = "The human "
_EDITED = "Edited by the human: "
_TAKEN_IN_PART = "Taken in part by the human: "
_LONGEST = 600
_EDIT_LINES = 12


def edited_summary(summary: str, in_part: bool) -> str:
    """Return the summary of what a human made of a proposed repair: an edit of it, or only some of its hunks."""
    return f"{_TAKEN_IN_PART if in_part else _EDITED}{summary}"


def taken_words(repair: Repair) -> str:
    """Return what went in with a repair, one line: its summary, or the lines of a part and of the human's version.

    The summary of these tells of the whole repair: `Right constants in double and half.`
    """
    lines = [f"{line[0]} {one_line(line[1:], 120)}" for line in _changed(repair.get("diff", ""))]
    if not lines or not (repair.get("part_of") or repair["by"] == "human"):
        return one_line(repair["summary"], 200)
    more = f"; and {plural(len(lines) - _EDIT_LINES, 'more line')}" if len(lines) > _EDIT_LINES else ""
    return one_line("; ".join(lines[:_EDIT_LINES]), 300) + more


def _changed(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("---", "+++")]


def lesson_of(record: Record, repair: Repair) -> str:
    """Return what a decision on a repair teaches."""
    summary = one_line(_proposed_summary(record, repair), 200)
    reason = one_line(record["note"], 300)
    if record["verdict"] == "edit":
        diff = record.get("declined") or record.get("edit", "")
        lines = [line for line in diff.splitlines() if line[:3] not in ("---", "+++")]
        did = "took only a part of" if record.get("declined") else "changed"
        then = ", declining" if record.get("declined") else " before taking it"
        sentence = f"{_HUMAN}{did} the repair {summary!r}{then}{f', because: {reason}' if reason else ''}:\n"
        taken = f"\nWhat went in: {taken_words(repair)}" if record.get("declined") and repair.get("diff") else ""
        return strip_controls(sentence + "\n".join(lines[:_EDIT_LINES]))[: _LONGEST - len(taken)] + taken
    if record["verdict"] == "reject" and record["by"] == "human":
        return f"{_HUMAN}refused {summary!r}: {reason}"[:_LONGEST]
    effect = f"fixed {plural(len(repair.get('fixes', [])), 'case')}, broke {len(repair.get('breaks', [])) or 'none'}"
    if record["verdict"] == "reject":
        return f"Did not help (iteration {iteration_of(record)}, {repair['strategy']}): {summary} ({effect})."
    note = f" {_HUMAN}said: {reason}" if reason and record["by"] == "human" else ""
    taken = f"iteration {iteration_of(record)}, {repair['strategy']}{', in part' if 'part_of' in repair else ''}"
    return f"Taken ({taken}): {taken_words(repair)} ({effect}).{note}"[:_LONGEST]


def _proposed_summary(record: Record, repair: Repair) -> str:
    """Return the summary as it was proposed; an edit's record from before `proposed_summary` has only the new one."""
    if record["verdict"] != "edit":
        return repair["summary"]
    edited = repair["summary"].removeprefix(_TAKEN_IN_PART).removeprefix(_EDITED)
    return record.get("proposed_summary", edited)


def kept(lessons: list[str]) -> list[str]:
    """Return at most LESSONS_KEPT lessons, oldest first: what the human said stays longest, then the newest."""
    unique = list(dict.fromkeys(lessons))
    while len(unique) > LESSONS_KEPT:
        unique.remove(next((lesson for lesson in unique if _HUMAN not in lesson), unique[0]))
    return unique
