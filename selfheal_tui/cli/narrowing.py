"""Running the suite once to see which of the named cases fail now; what else fails is left out of the session."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.suites.missing_packages import (
    missing_error,
    missing_in_files,
    missing_packages,
)
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.text import one_line, plural, strip_controls

from .event_stream import EventStream, say_result
from .suite_once import run_suite

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.sandbox.base import SuiteReport
    from selfheal_tui.settings import Settings

    from .failing import Source

_FAILING = ("failed", "error", "timeout")
_TOLD = 3


class NothingToHeal(Exception):
    """Every case that was named passes now, or none was."""


def narrowed(task: Task, source: Source | None, settings: Settings, group: int | None = None) -> Task:
    """Return the task with a suite of the source's failing cases and all that pass.

    Without a source all failing cases are meant. `group` is the number of one group of them. Other failing cases are
    left out: they would be healed too. Raises: InputError, SandboxError; NothingToHeal when there is no failing case.
    """
    from selfheal_tui.engine.suites.red.matching import collected_only_here, without_cases
    from selfheal_tui.engine.task.denied import denied_words

    early = source.node_ids(task, ()) if source else []
    if source and not early:
        raise NothingToHeal(source.if_none)
    task = replace(task, tests=(*task.tests, *_beyond_suite(task, early)))
    _say(f"running the tests once: {f'do {source.words} still fail' if source else 'which cases fail'}?")
    report = asyncio.run(run_suite(task, settings))
    outcomes = {case["id"]: case["outcome"] for case in report["cases"]}
    collected = list(outcomes)
    if not collected:
        raise InputError(report["error"] or "The suite has no case.", "")
    if packages := missing_packages(report["cases"], task.files):
        raise missing_error(packages, report, task.root)
    whole = collected_only_here(source.node_ids(task, collected), collected) if source and source.is_run else []
    elsewhere = _elsewhere_words(whole, task)
    if elsewhere:
        _say(elsewhere)
    meant = _named(source, task, report) if source else collected
    failing: Sequence[str] = [case for case in meant if outcomes[case] in _FAILING]
    if not failing:
        if source and elsewhere:
            raise NothingToHeal(f"{source.words[0].upper()}{source.words[1:]} pass here. {elsewhere}")
        raise NothingToHeal(f"{source.words[0].upper()}{source.words[1:]} pass now." if source else "No case fails.")
    if group is not None:
        failing = _of_group(group, failing, report, task)
    others = {case for case, outcome in outcomes.items() if outcome in _FAILING and case not in failing}
    _tell(sorted(others), "fails too and is left out", "fail too and are left out")
    left: SuiteReport = {**report, "cases": [case for case in report["cases"] if case["id"] in others]}
    for sentence in denied_words(left, task.files, task.root):
        _say(sentence)
    passing = sum(outcome == "passed" for outcome in outcomes.values())
    _say(f"{plural(len(failing), 'failing case')} to heal, {passing} passing to keep")
    tests = without_cases(task.tests, collected, others)
    return replace(
        task, tests=tests, others_fail=len(others), seen_red=source is not None, collected_only_here=elsewhere
    )


def _named(source: Source, task: Task, report: SuiteReport) -> Sequence[str]:
    """Return the collected cases that the source names. Raises: InputError when it names none."""
    from selfheal_tui.engine.suites.red.matching import match_ids

    collected = [case["id"] for case in report["cases"]]
    named = match_ids(source.node_ids(task, collected), collected)
    if not named.cases:
        paths = {unknown.partition("::")[0] for unknown in named.unknown}
        closed = [case for case in report["cases"] if case["id"] in paths]
        if packages := missing_in_files(closed, task.files):
            raise missing_error(packages, {**report, "passed": 0}, task.root)
        nodes = {unknown.partition("::")[2] for unknown in named.unknown if "::" in unknown}
        alike = [case for case in collected if case.partition("::")[2] in nodes]
        raise InputError(
            f"This suite has none of {source.words}: {_names(named.unknown)}.",
            f"Did you mean: selfheal fix {shlex.join(alike[:_TOLD])}"
            if alike
            else "Name their files with --tests, or heal all that fails: selfheal fix",
        )
    _tell(named.unknown, "is no case of this suite", "are no cases of this suite")
    return named.cases


def _elsewhere_words(files: Sequence[str], task: Task) -> str:
    """Say that the user's pytest could not collect files that the sandbox can, and what mends that; empty for none."""
    if not files:
        return ""
    named = "1 test file" if len(files) == 1 else f"{len(files)} test files"
    installs = "install the project (pip install -e .), or " if _can_be_installed(task) else ""
    return (
        f"Your pytest could not collect {named} that can be collected here ({_names(files)}): here the project's "
        f"folder is on the import path. Before you run pytest again, {installs}set `pythonpath = .` for pytest."
    )


def _can_be_installed(task: Task) -> bool:
    root = Path(task.root or ".")
    return any((root / name).is_file() for name in ("pyproject.toml", "setup.py"))


def _of_group(number: int, failing: Sequence[str], report: SuiteReport, task: Task) -> Sequence[str]:
    """Return the cases of one group of failing cases. Raises: InputError when there is no such group."""
    from selfheal_tui.engine.suites.failing_groups import group_cases, group_words
    from selfheal_tui.engine.task.denied import blocked_cases

    blocked = blocked_cases(report, task.files, task.root)
    healable = {*failing} - blocked.keys()
    named = {**report, "cases": [case for case in report["cases"] if case["id"] in healable]}
    groups = group_cases(named, {path: task.files[path] for path in task.program}, task.files)
    if not 1 <= number <= len(groups):
        for at, group in enumerate(groups, 1):
            _say(f"{at}. {group_words(group)}")
        raise InputError(f"There is no group {number}.", _groups_there(len(groups)))
    _say(f"group {number}: {group_words(groups[number - 1])}")
    return groups[number - 1].cases


def _groups_there(count: int) -> str:
    if not count:
        return "No failing case can be healed here."
    return "The failing cases are one group: --group 1." if count == 1 else f"There are groups 1 to {count}."


def _beyond_suite(task: Task, node_ids: Sequence[str]) -> list[str]:
    """Return the test files of named cases that are not in the suite, as when pytest was told another folder."""
    paths = dict.fromkeys(node_id.partition("::")[0] for node_id in node_ids)
    tests = [test.partition("::")[0] for test in task.tests]
    return [
        path
        for path in paths
        if path in task.files
        and path not in task.program
        and not any(path == test or path.startswith(f"{test}/") for test in tests)
    ]


def tell_nothing(nothing: NothingToHeal, *, as_json: bool, events: EventStream | None = None) -> int:
    """Say that there is nothing to heal; return the exit code."""
    from .result import build_result

    told = {"outcome": "nothing_to_heal", "reason": str(nothing), "next": "", "left_for_you": None}
    result = {**build_result(None, ""), **told}
    text = json_text(result) if as_json else f"Nothing to heal: {strip_controls(str(nothing))}"
    say_result(text, result, as_json=as_json, events=events)
    return 0


def _tell(cases: Sequence[str], one: str, several: str) -> None:
    if cases:
        _say(f"{_names(cases)} {one if len(cases) == 1 else several}")


def _names(cases: Sequence[str]) -> str:
    names = ", ".join(one_line(case, 80) for case in cases[:_TOLD])
    return f"{names} and {len(cases) - _TOLD} more" if len(cases) > _TOLD else names


def _say(words: str) -> None:
    print(strip_controls(f"selfheal: {words}"), file=sys.stderr, flush=True)
