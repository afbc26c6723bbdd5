"""State as text for a prompt: numbered code, failing cases, what was tried. Everything in it is data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import plural, truncate_middle

from .state import Diagnosis, HealState

_FILE_LIMIT = 24_000
_CASES = 6
_CASE_LIMIT = 2_500


def numbered(files: Mapping[str, str]) -> str:
    """Return files with line numbers, each under its path."""
    parts = []
    for path, text in files.items():
        lines = "\n".join(f"{n:4} {line}" for n, line in enumerate(text.splitlines(), 1))
        parts.append(f"--- {path}\n{truncate_middle(lines, _FILE_LIMIT)}")
    return "\n".join(parts) or "(none)"


def plain(files: Mapping[str, str]) -> str:
    """Return files as they are, each under its path."""
    return "\n".join(f"--- {path}\n{truncate_middle(text, _FILE_LIMIT)}" for path, text in files.items()) or "(none)"


def report_text(report: SuiteReport) -> str:
    """Return counts and the first failing cases in full, the others by name."""
    bad = [c for c in report["cases"] if c["outcome"] not in ("passed", "skipped")]
    head = f"{report['passed']} passed, {plural(len(bad), 'case')} not passed."
    if report["error"]:
        head += f" The suite could not run: {report['error']}"
    shown = [_case_text(case) for case in bad[:_CASES]]
    rest = [c["id"] for c in bad[_CASES:]]
    if rest:
        shown.append("Also not passed: " + ", ".join(rest[:40]))
    return "\n".join([head, *shown])


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as JSON without who made it."""
    return json.dumps({k: v for k, v in diagnosis.items() if k != "by"}, indent=1, ensure_ascii=False)


def history_text(tried: Sequence[str]) -> str:
    """Return earlier repairs, newest first."""
    return "\n\n".join(tried) or "(nothing yet)"


def feedback_text(feedback: Sequence[str]) -> str:
    """Return the human's reasons."""
    return "\n".join(f"- {note}" for note in feedback) or "(nothing)"


def lessons_text(state: HealState) -> str:
    """Return what this branch has learnt, and what other sessions have to offer."""
    lessons = [f"- {lesson}" for lesson in state.get("lessons", [])]
    offered = [f"- {lesson} (from another session; it may not apply)" for lesson in state.get("offered", [])]
    return "\n".join(lessons + offered) or "(nothing yet)"


def _case_text(case: CaseResult) -> str:
    lines = [f"--- {case['id']}: {case['outcome']}", case["message"]]
    if case["expected"] is not None:
        lines += [f"expected: {case['expected']}", f"actual:   {case['actual']}"]
    if case["location"]:
        lines.append(f"at {case['location']}")
    if case["traceback"]:
        lines.append(case["traceback"])
    if case["output"]:
        lines.append(f"printed: {case['output'][:400]}")
    return truncate_middle("\n".join(lines), _CASE_LIMIT)
