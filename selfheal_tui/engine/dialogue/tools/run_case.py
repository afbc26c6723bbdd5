"""Tool: one case with the values of locals at chosen lines of the program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from selfheal_tui.sandbox.base import CaseResult, run_through
from selfheal_tui.text import truncate_middle

from ...workshop.role_context import RoleContext
from .common import Refused, alternatives, known_path

_MOST_LINES = 12
_MOST_SEEN = 30
_MOST_TEXT = 600
_PLACES = re.compile(r"(?:([^\s,;:]+\.py)\s*:)?\s*(\d+)(?:\s*-\s*(\d+))?")


async def run_case(context: RoleContext, case: str, lines: str) -> str:
    """Return how the case ended, and the locals just before each of `lines` ran (`shop.py:6,8-9`).

    Without lines: where the case failed. Raises: Refused, SandboxError.
    """
    case_ids = [one["id"] for one in context.report["cases"]] if context.report else []
    name = case.strip()
    if case_ids and name not in case_ids:
        # The part after the file is often all that a model gives.
        matches = [one for one in case_ids if one.endswith(f"::{name}")] if name else []
        if len(matches) != 1:
            raise Refused(f"there is no case {name[:120]!r}; {alternatives(name, case_ids)}")
        name = matches[0]
    watch = _watched(context, name, lines)
    suite = replace(context.workspace.suite(context.deps.suite_limits), tests=(name,), watch=watch)
    finished = await run_through(context.deps.sandbox, suite)
    ended = next((one for one in finished.report["cases"] if one["id"] == name), None)
    if ended is None:
        raise Refused(f"{name} did not run: {finished.report['error'] or 'it was not found'}")
    places = ", ".join(f"{path}:{','.join(map(str, numbers))}" for path, numbers in watch.items())
    trace = _trace(finished.watched.get(name, [])) if watch else "Name `lines` to see values at them."
    return f"{_ending(ended)}\nValues just before the lines {places or '(none)'} ran:\n{trace}"


def _watched(context: RoleContext, case: str, lines: str) -> Mapping[str, tuple[int, ...]]:
    from selfheal_tui.search.program.localise import frames

    program = context.workspace.program_texts
    if lines.strip():
        return _places(lines, program)
    report = context.report
    result = next((one for one in report["cases"] if one["id"] == case), None) if report else None
    chosen: dict[str, list[int]] = {}
    for path, line in frames(result, program)[:4] if result else ():
        chosen.setdefault(path, []).append(line)
    return {path: tuple(sorted(numbers)) for path, numbers in chosen.items()}


def _places(lines: str, program: Mapping[str, str]) -> Mapping[str, tuple[int, ...]]:
    """Read `shop.py:6,8-9 other.py:3`; a number without a file belongs to the file before, or the only one."""
    path = next(iter(program), "") if len(program) == 1 else ""
    chosen: dict[str, set[int]] = {}
    for match in _PLACES.finditer(lines[:1000]):
        if match[1]:
            path = known_path(match[1], program)
        if not path:
            raise Refused(f"`lines` names no file; write it as {next(iter(program), 'program.py')}:6,8")
        first = int(match[2][:7])
        last = int((match[3] or match[2])[:7])
        chosen.setdefault(path, set()).update(range(first, min(last, first + _MOST_LINES) + 1))
    if not chosen:
        raise Refused(f"`lines` names no line; write it as {next(iter(program), 'program.py')}:6,8")
    for name, numbers in chosen.items():
        count = len(program[name].splitlines())
        if any(not 0 < number <= count for number in numbers):
            raise Refused(f"{name} has the lines 1 to {count}")
    if sum(map(len, chosen.values())) > _MOST_LINES:
        raise Refused(f"at most {_MOST_LINES} lines can be watched at once")
    return {name: tuple(sorted(numbers)) for name, numbers in chosen.items()}


def _ending(ended: CaseResult) -> str:
    parts = [f"{ended['id']}: {ended['outcome']}", ended["message"]]
    if ended["expected"] is not None:
        parts.append(f"expected: {ended['expected']}\nactual:   {ended['actual']}")
    if "compared" in ended:
        parts.append(f"compared: {' is not '.join(ended['compared'])}")
    if ended["location"]:
        parts.append(f"at {ended['location']}")
    if ended["output"]:
        parts.append(f"printed: {ended['output'].strip()}")
    return truncate_middle("\n".join(part for part in parts if part), _MOST_TEXT)


def _trace(observations: Sequence[Mapping[str, Any]]) -> str:
    """Return one line for each observation, with the locals that changed since the one before."""
    if not observations:
        return "(none of these lines ran)"
    trace_lines: list[str] = []
    before: dict[str, str] = {}
    function = None
    for one in observations[:_MOST_SEEN]:
        if one.get("more"):
            continue
        if one.get("function") != function:
            before, function = {}, one.get("function")
        values: dict[str, str] = one.get("locals", {})
        news = [f"{name}={value}" for name, value in values.items() if before.get(name) != value]
        raised = f"  raised {one['raised']}" if one.get("raised") else ""
        trace_lines.append(
            f"{one.get('file')}:{one.get('line')} {function}  {'  '.join(news) or '(nothing new)'}{raised}"
        )
        before = dict(values)
    if len(observations) > _MOST_SEEN or observations[-1].get("more"):
        trace_lines.append("(more was seen than is shown)")
    return "\n".join(trace_lines)
