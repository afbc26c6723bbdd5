"""What tools return: foreign text made safe, long things cut, and it is said what is not shown and where it is.

An agent pays for each character. So nothing empty is returned, passing cases are only counted, and no file is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.words import failing_cases
from selfheal_tui.text import CUT, plural, show_controls, strip_controls, truncate_middle

MOST_CASES = 10
"""Failing cases that are told one by one."""
MOST_LINES = 15
"""Suspicious lines that are told."""
_MOST_ITEMS = 20
_REPORT, _DIFF, _LONGEST = 12_000, 10_000, 2_000
"""Characters of a report, of all diffs, and of any other text."""
_COUNTS = ("passed", "failed", "errors", "timeouts", "skipped")
_AS_CODE = {"diff", "traceback", "output", "source", "expected", "actual", "call"}
"""Fields in which nothing may be hidden: control characters become pictures."""
_OF_REPORT = ("isolation", "truncated", "error", "notes", "flaky", "set_aside")
_OF_RESULT = (
    *("session_id", "outcome", "reason", "iteration", "changed", "confidence", "doubts", "advice", "not_run"),
    *("failures", "spent"),
)


def safe(value: Any, name: str = "", longest: int = 0) -> Any:
    """Return a JSON value without what is empty, its texts made safe and cut where they are longer than `longest`.

    `name` is the field that holds it; 0 cuts nothing. Of long lists and mappings the first few items are kept, and it
    is said how many more there are.
    """
    if isinstance(value, str):
        text = show_controls(value) if name in _AS_CODE else strip_controls(value)
        return truncate_middle(text, longest) if longest else text
    if isinstance(value, Mapping):
        kept = {strip_controls(str(key)): safe(part, str(key), longest) for key, part in _first(value.items(), longest)}
        kept = {key: part for key, part in kept.items() if part not in (None, "", [], {}, ())}
        return {**kept, CUT: f"{more} more"} if (more := _more(value, longest)) else kept
    if isinstance(value, list | tuple):
        parts = [safe(part, name, longest) for part in _first(value, longest)]
        return [*parts, f"{CUT} {more} more"] if (more := _more(value, longest)) else parts
    return value


def _first(items: Iterable[Any], longest: int) -> list[Any]:
    return list(islice(items, _MOST_ITEMS if longest else None))


def _more(items: Sized, longest: int) -> int:
    return max(0, len(items) - _MOST_ITEMS) if longest else 0


def report_told(report: Mapping[str, Any], hidden: list[str], how: str, room: int = _REPORT) -> dict[str, Any]:
    """Return a suite's report: counts, and the first failing cases; what is not shown goes to `hidden`, with `how`."""
    failing = failing_cases(report)
    shown = failing[:MOST_CASES]
    each = max(600, room // max(1, len(shown)))
    told = {
        "verdict": report["verdict"],
        **{name: report[name] for name in _COUNTS if report[name] or name == "passed"},
        "duration_s": round(report["duration_s"], 3),
        **safe({name: report.get(name) for name in _OF_REPORT if report.get(name) is not False}, "", _LONGEST),
        **(_trust(report) if report["verdict"] == "passed" else {}),
        **safe({"output": report.get("output", "")}, "", each // 4),
        "cases": [_case(case, each) for case in shown],
    }
    if more := len(failing) - len(shown):
        hidden.append(f"{plural(more, 'failing case')} more: {how}")
    if any(len(case["traceback"]) > each // 2 or len(case["output"]) > each // 4 for case in shown):
        hidden.append(f"the middle of long tracebacks and outputs: {how}")
    return told


def _trust(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether a pass rests on the program's word, and why."""
    return dict(safe({"trust": report["trust"], "not_verified": report["not_verified"]}, "", _LONGEST))


def report_in_short(report: Mapping[str, Any], hidden: list[str]) -> dict[str, Any]:
    """Return a suite's counts and the ids of its first failing cases."""
    failing = failing_cases(report)
    if (more := len(failing) - MOST_CASES) > 0:
        hidden.append(f"{plural(more, 'failing case')} more: run_tests")
    counts = {name: report[name] for name in _COUNTS if report[name] or name == "passed"}
    return {**counts, "failing": safe([case["id"] for case in failing[:MOST_CASES]], "", 400)}


def _case(case: Mapping[str, Any], room: int) -> dict[str, Any]:
    short = safe({name: case[name] for name in ("id", "outcome", "message", "location")}, "", 400)
    values = safe({name: case[name] for name in ("expected", "actual")}, "", 400)
    trace = safe({"traceback": case["traceback"]}, "", room // 2)
    return {**short, **values, **trace, **safe({"output": case["output"]}, "", room // 4)}


def result_told(result: Mapping[str, Any], hidden: list[str]) -> dict[str, Any]:
    """Return how a session stands: outcome, report, diff and the question that waits."""
    named = f"the tool `session` with session={result['session_id']!r} and part="
    told: dict[str, Any] = safe({name: result.get(name) for name in _OF_RESULT}, "", _LONGEST)
    if groups := [group["in_one_line"] for group in result.get("groups", ())]:
        told["groups"] = safe(groups, "", _LONGEST)
    if result["report"]:
        told["report"] = report_told(result["report"], hidden, f"{named}'report'", _REPORT // 2)
    if result["diff"]:
        told |= safe({"diff": result["diff"]}, "", _DIFF)
        if len(result["diff"]) > _DIFF:
            hidden.append(f"the middle of the diff: {named}'diff'")
    if review := result["review"]:
        told["review"] = {"kind": review["kind"], "checkpoint_id": review["checkpoint_id"]}
        told["review"] |= question_told(review, hidden, f"{named}'question'")
    if result.get("next"):
        told["next_for_the_human"] = result["next"]
    return told


def question_told(review: Mapping[str, Any], hidden: list[str], how: str) -> dict[str, Any]:
    """Return what is asked: of a repair its candidates, the best first, else what is proposed."""
    evidence = review["evidence"]
    told: dict[str, Any] = {}
    if candidates := evidence.get("candidates"):
        room = _DIFF // len(candidates)
        if any(len(one.get("diff", "")) > room for one in candidates.values()):
            hidden.append(f"the middle of long diffs: {how}")
        told["candidates"] = [_candidate(label, one, room) for label, one in candidates.items()]
    else:
        told["proposal"] = safe(dict(review["proposal"]), "", _LONGEST)
    if question := evidence.get("question"):
        told["open_call"] = safe(question, "", _LONGEST)
    return told


def _candidate(label: str, one: Mapping[str, Any], room: int) -> dict[str, Any]:
    report = one.get("report")
    passes = f"{report['passed']} of {len(report['cases'])} cases pass" if report else ""
    doubts = [mark["why"] for mark in one.get("marks", ())]
    words = {"label": label, "summary": one["summary"], "by": one["by"], "with_it": passes}
    effect = {"fixes": one.get("fixes"), "breaks": one.get("breaks"), "confidence": one.get("confidence")}
    told = safe({**words, **effect, "doubts": doubts, "reasons": one.get("reasons")}, "", _LONGEST)
    return {**told, "breaks": told.get("breaks", []), **safe({"diff": one.get("diff", "")}, "", room)}


def suspects_told(snapshot: Snapshot, hidden: list[str]) -> list[dict[str, Any]]:
    """Return the suspicious lines of a moment with their scores (Ochiai, 0 to 1) and their text."""
    if (more := len(snapshot.suspects) - MOST_LINES) > 0:
        hidden.append(f"{plural(more, 'less suspicious line')}")
    lines = {path: text.splitlines() for path, text in snapshot.program.items()}
    return [
        safe({**line, "source": _line_of(lines.get(line["path"], ()), line["line"])}, "", 400)
        for line in snapshot.suspects[:MOST_LINES]
    ]


def _line_of(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
