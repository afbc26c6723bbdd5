"""Trying a repair: the whole suite over the program with it, unless that very program was run before."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from selfheal_tui.line_blocks import changed_places
from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import Coverage, SuiteReport, run_through
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.blobs import json_text, text_ref

from ..moment.events import SuiteRan, suite_ran
from ..moment.hunks import left_before, left_out_words
from ..moment.recent import load_recent
from ..moment.state import HealState, Mark, Repair
from ..moment.workspace import Workspace
from ..suites.answers import only_said
from ..suites.fails_earlier import lost_check
from ..suites.test_cases import case_functions
from .deps import Deps
from .rank import rehearsed
from .role_context import load_declined
from .set_aside import without
from .support import support_files


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Tries repairs of one moment."""

    deps: Deps
    state: HealState
    workspace: Workspace
    before: SuiteReport
    tell: Callable[[SuiteRan], None] | None = None
    """Hears of each run of the suite that was needed."""
    waiting_before: list[SuiteReport] = field(default_factory=list)
    """How the waiting cases do without a repair, once that was needed."""

    async def run(self, repair: Repair) -> Repair:
        """Return the repair with its report, what it fixes and breaks, its diff and its key.

        Raises: SandboxError.
        """
        files = {**self.workspace.files, **repair["changes"]}
        key = key_with(self.workspace, repair["changes"])
        earlier_run = await self.deps.programs.find(key)
        if earlier_run is not None:
            after = cast(SuiteReport, await self.deps.blobs.get(earlier_run.report_ref))
            # What a sibling of this round proposes too, or ran before a crash, is no repetition.
            if earlier_run.where != self.deps.programs.here(self.state["iteration"] + 1):
                repair = cast(Repair, {**repair, "same_as": earlier_run.where})
        else:
            suite = self.workspace.suite(self.deps.suite_limits, changes=repair["changes"])
            started = time.monotonic()
            after = (await run_through(self.deps.sandbox, suite)).report
            if self.tell is not None:
                self.tell(suite_ran("rehearsal", after, time.monotonic() - started))
            await self.deps.programs.add(key, await self.deps.blobs.put(after), self.state["iteration"] + 1)
        old = {**self.workspace.test_texts, **self.workspace.program_texts}
        changed = {path: old[path] for path in old if path in repair["changes"]}
        tried = rehearsed(repair, changed, self.before, after)
        flips: list[str] = []
        if tried["fixes"] and not after["error"]:
            flips = await self.deps.flipping(self.workspace, tried["breaks"])
        if flips:
            after = without(after, flips)
            tried = rehearsed(repair, changed, without(self.before, flips), after)
        ever = await self.deps.blobs.get(ref) if (ref := self.state.get("ever_passed_ref")) else []
        outcomes = {case["id"]: case["outcome"] for case in after["cases"]}
        # A case that was dropped, or that this repair of a test drops, is not lost by the program.
        lost = [
            name
            for name in ever
            if outcomes.get(name) not in ("passed", "skipped") and name not in flips and self._is_there(name, files)
        ]
        tried = cast(Repair, {**tried, "key": key, "regressions": lost, **await self._marks(tried, after)})
        if (
            tried["fixes"]
            and not tried["breaks"]
            and after["verdict"] in ("failed", "error")
            and not tried.get("of_test")
        ):
            tie = await self._tie(tried)
            tried["independent"] = tie == "apart"
            if tie == "unseen":
                tried["unseen_lines"] = True
        lost_here = lost_check(self.before, after, self.workspace.test_texts)
        if self.workspace.waiting and after["verdict"] == "passed":
            waiting = await self._waiting(repair["changes"])
            passed = {case["id"] for case in waiting["cases"] if case["outcome"] == "passed"}
            tried["mends_waiting"] = [case for case in self.workspace.waiting if case in passed]
            lost_here = lost_here or lost_check(await self._waiting({}), waiting, self.workspace.test_texts)
        if lost_here and not tried.get("of_test"):
            why = f"{lost_here} holds without it, and not with it."
            known = [mark for mark in tried.get("marks", []) if mark["kind"] != "loses"]
            tried["marks"] = [*known, {"kind": "loses", "why": why}]
        failing = [case["id"] for case in after["cases"] if case["outcome"] not in ("passed", "skipped")]
        program = {**self.workspace.program_texts, **repair["changes"]}
        answers, tests = self.state.get("answers", ()), self.workspace.test_texts
        if said := only_said(failing, self.workspace.origins, answers, program, tests):
            tried["against_said"] = said
        return tried

    async def _marks(self, repair: Repair, after: SuiteReport) -> dict[str, list[Mark]]:
        """Return what speaks for a coincidence: what the search knows, and what the change and its run show.

        What git had speaks for none.
        """
        from selfheal_tui.search.program.git_had import with_git_had
        from selfheal_tui.search.weigh.marks import find_marks

        if repair.get("of_test"):
            return {}
        marks = {mark["kind"]: mark for mark in repair.get("marks", [])}
        # A model has its reasons for `if n == 0: return 1`; the search took the value from the case.
        failing = [case["id"] for case in self.before["cases"] if case["outcome"] not in ("passed", "skipped")]
        by_search = SEARCH in repair["strategy"].split()
        program = self.workspace.program_texts
        recent = await load_recent(self.deps.blobs, self.state, self.workspace.base, program)
        before = with_git_had(program, repair["changes"], recent)
        for mark in find_marks(before, repair["changes"], self.workspace.test_texts, failing if by_search else ()):
            marks.setdefault(mark.kind, {"kind": mark.kind, "why": mark.why})
        if why := refused_words(program, repair["changes"], after):
            marks["refuses"] = {"kind": "refuses", "why": why}
        declined = await load_declined(self.deps, self.state.get("head", ""))
        if repair["strategy"] != "human" and (line := left_before(declined, program, repair["changes"])):
            marks["declined"] = {"kind": "declined", "why": left_out_words(line)}
        return {"marks": list(marks.values())} if marks else {}

    async def _waiting(self, changes: Mapping[str, str]) -> SuiteReport:
        """Return how the waiting cases of other groups do with a change; without one they run once.

        Raises: SandboxError.
        """
        if not changes and self.waiting_before:
            return self.waiting_before[0]
        suite = self.workspace.suite(self.deps.suite_limits, changes=changes)
        report = (await run_through(self.deps.sandbox, replace(suite, tests=self.workspace.waiting))).report
        if not changes:
            self.waiting_before.append(report)
        return report

    async def _tie(self, repair: Repair) -> Tie:
        """Tell whether the cases that still fail are of other mistakes. Raises: SandboxError."""
        suite = self.workspace.suite(self.deps.suite_limits, changes=repair["changes"])
        # A case that runs only files which are not searched fails by another mistake.
        seen = (*suite.program, *support_files(self.workspace))
        ran = await run_through(self.deps.sandbox, replace(suite, coverage=True, program=seen))
        changed = {
            path: changed_places(self.workspace.program_texts.get(path, ""), text)
            for path, text in repair["changes"].items()
        }
        return tie_of(ran.report, ran.coverage, changed)

    def _is_there(self, case_id: str, files: Mapping[str, str]) -> bool:
        path, _, name = case_id.partition("::")
        if path in self.workspace.origins:
            return name.partition("[")[0] in case_functions(files[path])
        return path in self.workspace.test_files or "::" not in case_id


def refused_words(program: Mapping[str, str], changes: Mapping[str, str], report: SuiteReport) -> str:
    """Say how many cases fail at a `raise` that a repair brings: it refuses what they want; empty for none.

    `program` and `changes` are path -> text, `report` is the suite's run with the repair.
    """
    from selfheal_tui.search.program.localise import frames, is_failing

    brought: set[tuple[str, int]] = set()
    for path, text in changes.items():
        lines = text.splitlines()
        brought |= {
            (path, line)
            for line in changed_places(program.get(path, ""), text)
            if 0 < line <= len(lines) and lines[line - 1].strip().startswith("raise ")
        }
    innermost = [frames(case, {**program, **changes})[:1] for case in report["cases"] if is_failing(case)]
    refused = [at for at in innermost if at and at[0] in brought]
    if not refused:
        return ""
    count = "1 case that still fails ends" if len(refused) == 1 else f"{len(refused)} cases that still fail end"
    return f"{count} at its `raise`: it refuses what is wanted."


Tie = Literal["apart", "runs", "unseen"]
"""Whether cases that still fail run no line that a repair changes, do run one, or ran nothing that was recorded."""


def tie_of(report: SuiteReport, coverage: Coverage, changed: Mapping[str, Collection[int]]) -> Tie:
    """Return how the red cases of a run with a repair stand to the lines that it changes, path -> lines."""
    red = [case["id"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    lines_of = [coverage.get(case, {}) for case in red]
    if any({*changed[path]} & {*lines.get(path, ())} for lines in lines_of for path in changed):
        return "runs"
    # A case that ran nothing of the program could have failed anywhere, as in a process of its own.
    return "apart" if all(any(lines.values()) for lines in lines_of) else "unseen"


def key_with(workspace: Workspace, changes: Mapping[str, str]) -> str:
    """Return the key of a moment's program and tests with `changes` laid over them."""
    files = {**workspace.files, **changes}
    tests = {path: files[path] for path in workspace.test_files}
    if workspace.waiting:  # another suite over the same files
        tests["waiting"] = "\n".join(workspace.waiting)
    return program_key({path: files[path] for path in workspace.program if path in files}, tests)


def program_key(program: Mapping[str, str], tests: Mapping[str, str]) -> str:
    """Return the hash of a program with its tests; comments, blank lines and formatting do not count."""
    return text_ref(json_text([{path: _normal(text) for path, text in files.items()} for files in (program, tests)]))


def _normal(text: str) -> str:
    try:
        return ast.dump(parse_python(text))
    except SyntaxError:
        return text
