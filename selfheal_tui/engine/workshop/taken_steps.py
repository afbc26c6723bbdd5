"""The edits of a joined repair as steps that can go in one after another, each with the cases that it mends.

What a step mends was run: the first edit alone, the whole, and between them the program with each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfheal_tui.line_blocks import merged_files
from selfheal_tui.sandbox.base import run_through
from selfheal_tui.setting_values import SEARCH

from ..moment.state import Diagnosis, Repair, RepairPart, Taken, TakenStep
from ..moment.taken import touched_lines
from ..moment.workspace import Workspace
from .deps import Deps
from .taken import taken_record


@dataclass(frozen=True, slots=True)
class _Step:
    parts: Sequence[RepairPart]
    program: Mapping[str, str]
    """Path -> text of what this step and those before it change."""
    mends: list[str]


async def taken_steps(
    deps: Deps, workspace: Workspace, repair: Repair, diagnosis: Diagnosis | None, *, failing: int
) -> list[TakenStep]:
    """Return the steps of a repair of the workspace's program; none for fewer than two that mend something.

    `failing` counts the cases that fail without it. A part that mends nothing goes with the next. Raises: SandboxError.
    """
    now = workspace.program_texts
    parts, fixes = _in_order(now, repair.get("parts", [])), repair.get("fixes", [])
    if len(parts) < 2 or repair.get("of_test"):
        return []
    steps: list[_Step] = []
    waiting: list[RepairPart] = []
    mended: set[str] = set()
    for count, part in enumerate(parts, 1):
        program = merged_files(now, [one["changes"] for one in parts[:count]])
        if isinstance(program, str):
            return []
        passing = await _mended_by(deps, workspace, parts[:count], program, repair) if count < len(parts) else fixes
        waiting.append(part)
        if new := [case for case in passing if case not in mended]:
            steps.append(_Step(waiting, program, new))
            mended |= {*new}
            waiting = []
    if len(steps) < 2:
        return []
    if waiting:
        steps[-1] = _Step([*steps[-1].parts, *waiting], repair["changes"], steps[-1].mends)
    several = len(workspace.program) > 1
    befores = [now, *({**now, **step.program} for step in steps)]
    return [
        {"taken": _taken(step, old, diagnosis, failing, several), "mends": step.mends, "changes": dict(step.program)}
        for step, old in zip(steps, befores, strict=False)
    ]


def _in_order(now: Mapping[str, str], parts: Sequence[RepairPart]) -> list[RepairPart]:
    """Return the parts file by file, from the end of a file to its start: so the lines that causes name hold."""

    def place(part: RepairPart) -> tuple[str, int]:
        path, line = min(touched_lines({path: now.get(path, "") for path in part["changes"]}, part["changes"]))
        return path, -line

    return sorted(parts, key=place)


async def _mended_by(
    deps: Deps, workspace: Workspace, parts: Sequence[RepairPart], program: Mapping[str, str], repair: Repair
) -> list[str]:
    """Return which cases that the whole repair mends pass with its first parts."""
    if len(parts) == 1:
        passed = {*parts[0]["fixes"]}
    else:
        ran = (await run_through(deps.sandbox, workspace.suite(deps.suite_limits, changes=program))).report
        passed = {case["id"] for case in ran["cases"] if case["outcome"] == "passed"}
    return [case for case in repair.get("fixes", []) if case in passed]


def _taken(step: _Step, before: Mapping[str, str], diagnosis: Diagnosis | None, failing: int, several: bool) -> Taken:
    """Return why a step mends, and its lines. A model's diagnosis counts where the step changes what it points to."""
    paths = [path for path in step.program if any(path in part["changes"] for part in step.parts)]
    of_search = all(part["by"] == SEARCH for part in step.parts)
    repair: Repair = {
        "summary": ", and ".join(part["summary"] for part in step.parts),
        "changes": {path: step.program[path] for path in paths},
        "strategy": "",
        "by": SEARCH if of_search else step.parts[0]["by"],
        "fixes": step.mends,
    }
    # What one edit of the search does, no words on the whole tell as well.
    about = None if of_search else diagnosis
    taken = taken_record(repair, about, before, failing=failing, several=several)
    touched = touched_lines({path: before.get(path, "") for path in paths}, repair["changes"])
    if not of_search and not any((one["file"], one["line"]) in touched for one in taken["evidence"]):
        taken.update({"cause": "", "by": "", "evidence": []})
    return taken
