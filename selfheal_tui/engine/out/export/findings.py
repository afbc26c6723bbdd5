"""What tools that show findings beside lines of code are told: repairs, suspected lines, cases that fail. Pure.

Lines are those of the files as they were given: what a reviewer or a code scanner has before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from selfheal_tui.text import one_line, plural

Rule = Literal["repair", "proposed-repair", "suspected-line", "failing-case"]
RULES: Mapping[Rule, tuple[str, Literal["error", "warning"]]] = {
    "repair": ("Lines that a repair changed, which was tried and taken.", "error"),
    "proposed-repair": ("Lines that a repair would change, which nobody has approved yet.", "warning"),
    "suspected-line": ("A line that may be the cause of a failing case.", "warning"),
    "failing-case": ("Where a case fails.", "error"),
}
"""Rule -> what it means, and how grave it is."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""With its end; a form feed ends none, as in editors."""
_LONGEST = 1_000
"""Characters of a message."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Lines that take the place of those of a finding."""

    before: str
    """The lines as they are, with their ends; empty where lines are only added, before the finding's first line."""
    after: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to say of some lines of a file."""

    rule: Rule
    path: str
    first: int
    """From 1."""
    last: int
    message: str
    fix: Fix | None = None


def findings(story: Mapping[str, Any]) -> list[Finding]:
    """Return what a branch found, in the order of the files; `story` as `story.py` describes it."""
    base, program, pending = story["base"], story["program"], story["pending"] or {}
    proposed = _proposed(pending)
    found = list(_changed(story, base, program, "repair")) if not proposed else []
    if proposed:
        found += _changed(story, base, {**program, **proposed["changes"]}, "proposed-repair", proposed)
    if not found:
        found += _suspected(story)
    found += _failing(story["report"])
    return sorted(found, key=lambda one: (one.path, one.first, one.rule))


def _proposed(pending: Mapping[str, Any]) -> Mapping[str, Any]:
    if pending.get("kind") != "repair":
        return {}
    proposal = pending["proposal"]
    one: Mapping[str, Any] = proposal.get("candidates", {}).get(proposal.get("label"), {})
    return one


def _changed(
    story: Mapping[str, Any],
    base: Mapping[str, str],
    target: Mapping[str, str],
    rule: Rule,
    proposed: Mapping[str, Any] | None = None,
) -> Iterator[Finding]:
    for path in sorted(target):
        old, new = _LINE.findall(base.get(path, "")), _LINE.findall(target[path])
        for start, end, begin, stop in _hunks(old, new):
            fix = Fix("".join(old[start:end]), "".join(new[begin:stop]))
            lines = range(start + 1, max(end, start + 1) + 1)
            message = _of_repair(story, path, lines, fix, proposed)
            yield Finding(rule, path, lines[0], lines[-1], message, fix)


def _hunks(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    for tag, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if start == end == len(old) and old:
            # A file may lack the end of its last line: what is added behind it replaces that line.
            yield start - 1, end, begin - 1, stop
        else:
            yield start, end, begin, stop


def _of_repair(story: Mapping[str, Any], path: str, lines: range, fix: Fix, proposed: Mapping[str, Any] | None) -> str:
    words = _replaced(fix)
    cause = next((one["cause"] for one in _diagnoses(story) if _names(one, path, lines)), "")
    if proposed is not None:
        mends, sure = len(proposed.get("fixes", ())), proposed.get("confidence")
        says = f"A repair is proposed that mends {plural(mends, 'case')}" + (
            f" ({sure:.0%} sure)." if isinstance(sure, float) else "."
        )
    else:
        says = "A repair was taken." if story["outcome"] != "healed" else "A repair was taken, and every case passes."
    return one_line(" ".join(filter(None, (says, words, cause))), _LONGEST)


def _replaced(fix: Fix) -> str:
    before, after = fix.before.strip(), fix.after.strip()
    if not before:
        return f"It adds `{one_line(after, 120)}`."
    if not after:
        return f"It deletes `{one_line(before, 120)}`."
    return f"`{one_line(before, 120)}` becomes `{one_line(after, 120)}`."


def _diagnoses(story: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return all diagnoses, the newest first."""
    told = [entry["diagnosis"] for iteration in story["iterations"] for entry in iteration["diagnoses"]]
    return told[::-1]


def _names(diagnosis: Mapping[str, Any], path: str, lines: range) -> bool:
    return any(place["file"] == path and place["line"] in lines for place in diagnosis.get("evidence", ()))


def _suspected(story: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the lines that the newest diagnosis names; none once every case passes."""
    passed = story["report"] is not None and story["report"]["verdict"] == "passed"
    for diagnosis in [] if passed else _diagnoses(story)[:1]:
        for place in diagnosis.get("evidence", ()):
            line = place["line"]
            if place["file"] in story["base"] and isinstance(line, int) and line > 0:
                why = one_line(f"{diagnosis['cause']} {place['why']}", _LONGEST)
                yield Finding("suspected-line", place["file"], line, line, why)


def _failing(report: Mapping[str, Any] | None) -> Iterator[Finding]:
    for case in report["cases"] if report else ():
        path, _, line = (case["location"] or "").rpartition(":")
        if case["outcome"] not in ("passed", "skipped") and line.isdecimal():
            message = one_line(f"{case['id']}: {case['message'] or case['outcome']}", _LONGEST)
            yield Finding("failing-case", path, int(line), int(line), message)
