"""State as text for a prompt: numbered code, failing cases, what was tried. Everything in it is data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import plural, truncate_middle

from ..moment.lessons import lesson_of
from ..moment.origins import suite_of, suites_text
from ..moment.state import Diagnosis, HealState, Inquiry, Record, Repair
from ..task.source_files import is_test_name
from ..workshop.prompt_room import Shrinkable

_CASES = 6
_CASE_LIMIT = 2_500
_NAMED = 40
"""Most failing cases that are named without their text."""


def numbered(files: Mapping[str, str]) -> str:
    """Return files with line numbers, each under its path."""
    parts = []
    for path, text in files.items():
        lines = "\n".join(f"{n:4} {line}" for n, line in enumerate(text.splitlines(), 1))
        parts.append(f"--- {path}\n{lines}")
    return "\n".join(parts) or "(none)"


def plain(files: Mapping[str, str]) -> str:
    """Return files as they are, each under its path."""
    return "\n".join(f"--- {path}\n{text}" for path, text in files.items()) or "(none)"


def shown_tests(files: Mapping[str, str], report: SuiteReport) -> Shrinkable:
    """Return test files as they are; a file that no failing case names may be left out, helpers last."""
    bad = [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    words = [report["error"] or ""]
    words += [text for case in bad for text in (case["id"], case["location"] or "", case["message"], case["traceback"])]
    spare = [index for index, path in enumerate(files) if not any(path in text for text in words)]
    # If the failing cases name no file, any of them may matter.
    spare = spare if len(spare) < len(files) else []
    goes = sorted(reversed(spare), key=lambda index: not is_test_name(Path([*files][index])))
    pieces = tuple(f"--- {path}\n{text}" for path, text in files.items())
    return Shrinkable(pieces, tuple((index, "test file") for index in goes))


def report_text(report: SuiteReport, origins: Mapping[str, str] | None = None) -> str:
    """Return counts, the first failing cases in full and the others by name; with suites where some are generated.

    `origins` is path -> suite of the generated test files. Each case names its suite where they are of several.
    """
    bad = [c for c in report["cases"] if c["outcome"] not in ("passed", "skipped")]
    head = f"{report['passed']} passed, {plural(len(bad), 'case')} not passed."
    if report["error"]:
        head += f" The suite could not run: {report['error']}"
    if meanings := suites_text([c["id"] for c in bad], origins or {}):
        head += f"\n{meanings}"
    several = len({suite_of(case["id"], origins or {}) for case in bad}) > 1
    texts = [_case_text(case, (origins or {}) if several else {}) for case in bad[:_CASES]]
    rest = [c["id"] for c in bad[_CASES:]]
    if rest:
        more = f" and {len(rest) - _NAMED} more" if len(rest) > _NAMED else ""
        texts.append(f"Also not passed: {', '.join(rest[:_NAMED])}{more}")
    return "\n".join([head, *texts])


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as plain lines, reasons first, without who made it."""
    lines = [f"cause: {diagnosis['cause']}"]
    lines += [f"- {one['file']}:{one['line']}: {one['why']}" for one in diagnosis["evidence"]]
    kind = f" ({diagnosis['category']})" if diagnosis["category"] not in ("", "unknown") else ""
    lines += [f"fault: {diagnosis['fault']}{kind}, confidence {diagnosis['confidence']:.2g}"]
    lines += [f"strategy: {diagnosis['strategy']}"]
    lines += [f"wrong if: {diagnosis['disproof']}"] if diagnosis.get("disproof") else []
    return "\n".join(lines)


def history_text(tried: Sequence[tuple[str, str]]) -> Shrinkable:
    """Return earlier repairs (words, diff), newest first; the oldest goes first, and its diff before its words.

    What the newest was and why it was rejected always stays.
    """
    pieces: list[str] = []
    goes: list[tuple[int, str]] = []
    for words, diff in tried:
        pieces.append(f"\n{words}" if pieces else words)
        goes.append((len(pieces) - 1, "older repair"))
        if diff:
            pieces.append(diff)
            goes.append((len(pieces) - 1, "older diff"))
    return Shrinkable(tuple(pieces), tuple(reversed(goes[1:])), empty="(nothing yet)")


def earlier_text(inquiries: Sequence[Inquiry], program: str) -> Shrinkable:
    """Return earlier diagnoses in short, newest first; what was looked at goes first, and of it the oldest.

    `program` is the hash of the program as it is now: what was seen of the same one still holds. What was concluded or
    seen again of the same program is told once.
    """
    pieces: list[str] = []
    looked: list[tuple[int, str]] = []
    diagnoses: list[tuple[int, str]] = []
    told: set[tuple[str, str]] = set()
    for inquiry in reversed(inquiries):
        same = ", the one above" if inquiry["program"] == program else ""
        head = f"Of the program of iteration {inquiry['iteration']}{same}"
        looks = "\n".join(
            line
            for look in inquiry["looks"]
            if (line := f"- looked: {look['action']} -> {look['showed']}") and (inquiry["program"], line) not in told
        )
        words = f"{head} (fault: {inquiry['fault']}, confidence {inquiry['confidence']:.2g}): {inquiry['cause']}"
        if (inquiry["program"], inquiry["cause"]) not in told:
            diagnoses.append((len(pieces), "earlier explanation"))
            pieces.append(words)
        if looks:
            looked.append((len(pieces), "earlier look list"))
            pieces.append(looks)
        told |= {(inquiry["program"], line) for line in (inquiry["cause"], *looks.split("\n"))}
    return Shrinkable(tuple(pieces), (*reversed(looked), *reversed(diagnoses)), empty="(none)")


def feedback_text(feedback: Sequence[str]) -> Shrinkable:
    """Return what was said of attempts, newest last; the newest always stays, of the others the oldest goes first."""
    goes = tuple((index, "older reason") for index in range(len(feedback) - 1))
    return Shrinkable(tuple(f"- {note}" for note in feedback), goes, empty="(nothing)")


def lessons_text(state: HealState, tried: Sequence[tuple[Record, Repair]] = ()) -> Shrinkable:
    """Return what this branch has learnt, and what other sessions have to offer; the latter goes first.

    What a repair of `tried` has taught is left out: the prompt shows those repairs themselves.
    """
    shown = {lesson_of(record, repair) for record, repair in tried}
    lessons = [f"- {lesson}" for lesson in state.get("lessons", []) if lesson not in shown]
    offered = [f"- {lesson} (from another session; it may not apply)" for lesson in state.get("offered", [])]
    goes = [(len(lessons) + index, "offered lesson") for index in reversed(range(len(offered)))]
    goes += [(index, "older lesson") for index in range(len(lessons))]
    return Shrinkable((*lessons, *offered), tuple(goes), empty="(nothing yet)")


def _case_text(case: CaseResult, origins: Mapping[str, str]) -> str:
    suite = f" (suite {suite_of(case['id'], origins)})" if origins else ""
    message, traceback = case["message"], case["traceback"]
    lines = [f"--- {case['id']}{suite}: {case['outcome']}"]
    if case["expected"] is not None:
        lines += [f"expected: {case['expected']}", f"actual:   {case['actual']}"]
    sides = (case["actual"], case["expected"])
    if message not in [f"assert {one} == {other}" for one, other in (sides, sides[::-1])]:
        lines.append(message)
    if case["location"] and not re.search(rf"^{re.escape(case['location'])}\b", traceback, re.MULTILINE):
        lines.append(f"at {case['location']}")
    if frames := traceback.removesuffix(f"\n{message}"):
        lines.append(frames)
    if case["output"]:
        lines.append(f"printed: {case['output'][:400]}")
    return truncate_middle("\n".join(lines), _CASE_LIMIT)
