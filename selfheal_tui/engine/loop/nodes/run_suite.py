"""Node: run the whole suite over the present program; the verdict is the sandbox's."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import PurePosixPath
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.errors import UnusableTests
from selfheal_tui.sandbox.allowance import allowing_flags
from selfheal_tui.sandbox.base import NO_TEST, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.inside.addopts import CONFIGS
from selfheal_tui.text import one_line, plural

from ...moment.events import Noticed, suite_ran
from ...moment.gist import suite_words
from ...moment.set_aside_words import passing_words
from ...moment.state import HealState, Manifest, is_as_given
from ...moment.unsettled import doubt_words
from ...moment.words import failing_cases, left_out_words
from ...moment.workspace import Workspace, load_set_aside, load_workspace
from ...suites.ended_at_import import ended_words, program_ended_it
from ...suites.missing_packages import missing_error, missing_packages
from ...suites.over_time import over_time_words
from ...task.denied import denied_words, lacking
from ...workshop.deps import Covered, Deps
from ...workshop.kept_search import only_search_repairs
from ...workshop.rehearsal import key_with
from ...workshop.role_context import load_records
from ...workshop.set_aside import (
    SAME_NAME,
    Run,
    aside_notes,
    find_set_aside,
    names_program,
    only_blocked,
    only_fixtureless,
    only_uncollectable,
    with_flips,
    with_set_aside,
    without,
)
from .best import best_of
from .common import took
from .offer import offered
from .turns import take_turns, waiting_note, with_picked

_ALL = 100_000
_TOLD = 3
_REFUSED = re.compile(r"pytest: error: (.+?)(?:\s+inifile:|$)", re.DOTALL)
"""What pytest says of an option that it does not know, or whose value it cannot use."""
_LEAVE_OUT = "Or leave such a case out with -- --deselect CASE."
_START_ANEW = (
    "This session keeps the tests as they were copied: mend them or name others with --tests, then start a new session."
)


async def run_suite(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Run every case; say whether all pass, and name the outcome when a limit is reached."""
    started, deps = time.monotonic(), runtime.context
    state = await with_picked(state, deps)
    workspace = await load_workspace(deps.blobs, state)
    suite = deps.first_suite_of(state, workspace)
    ahead, deps.ahead = deps.ahead, None
    if ahead is not None and ahead.suite == suite:
        started = ahead.began_s
        finished = await ahead.result(runtime.stream_writer)
    else:
        finished = await run_through(deps.sandbox, suite, runtime.stream_writer)
    report = finished.report
    runtime.stream_writer(suite_ran("tests", report, time.monotonic() - started))
    if suite.coverage:
        deps.covered = Covered(suite.files, finished.coverage)
    manifest: Manifest = await deps.blobs.get(state["manifest_ref"])
    if _iteration(state) == 0:
        _check_options(report, manifest["pytest_args"])
        _check_usable(state, report, workspace, manifest["root"])
    if is_as_given(state) and (why := only_blocked(report, workspace, manifest["root"])):
        lacks = lacking(report, workspace.files, manifest["root"]).values()
        raise UnusableTests(why, _LEAVE_OUT, allow=allowing_flags(list(dict.fromkeys(lacks))))
    if is_as_given(state) and (why := only_fixtureless(report, workspace)):
        raise UnusableTests(why, _LEAVE_OUT)
    report, aside_ref = await _without_set_aside(state, deps, runtime.stream_writer, workspace, report, manifest)
    state = {**state, "set_aside_ref": aside_ref}
    report, turn = await take_turns(state, deps, runtime.stream_writer, report)
    state = {**state, **turn}
    if aside := await load_set_aside(deps.blobs, state):
        workspace = await load_workspace(deps.blobs, state)
        report = {**report, "notes": [*report.get("notes", []), *aside_notes(aside), *waiting_note(aside)]}
        report = with_set_aside(report, aside)
    if cut := [*denied_words(report, workspace.files, manifest["root"]), *over_time_words(report, suite.limits)]:
        report = {**report, "notes": [*report.get("notes", []), *cut]}
    if is_as_given(state):
        tell_few(runtime.stream_writer, report.get("notes", []))
    if _iteration(state) == 0:
        for case in report["cases"]:
            if program_ended_it(case, workspace.files, workspace.program):
                runtime.stream_writer(Noticed(ended_words(case, workspace.files, workspace.program)))
    if others := manifest.get("others_fail", 0):
        report = {**report, "left_out": others}
    if elsewhere := manifest.get("collected_only_here", ""):
        report = {**report, "collected_only_here": elsewhere}
        if report["verdict"] != "passed":
            report = {**report, "notes": [elsewhere, *report.get("notes", [])]}
    report_ref = await deps.blobs.put(report)
    green = report["verdict"] == "passed"
    old_ref = state.get("report_ref", "")
    before = cast(SuiteReport, await deps.blobs.get(old_ref)) if old_ref else None
    update: HealState = {
        "gist": suite_words(before, report),
        **({"set_aside_ref": state["set_aside_ref"]} if aside_ref or turn else {}),
        **turn,
        "report_ref": report_ref,
        "passed": report["passed"],
        "failed": report["failed"] + report["errors"] + report["timeouts"],
        "green": green,
        "objection_ref": "",
        "unmet": [],
        "unmet_rest": "",
        "suspects_ref": "",
        "advice": None,  # type: ignore[typeddict-item]
        "spent": took(started),
    }
    await deps.programs.add(key_with(workspace, {}), report_ref, _iteration(state))
    ever = await deps.blobs.get(ref) if (ref := state.get("ever_passed_ref")) else []
    passed = {case["id"] for case in report["cases"] if case["outcome"] == "passed"}
    update["ever_passed_ref"] = await deps.blobs.put(sorted(passed | set(ever)))
    if best := best_of(state, report, report_ref):
        update["best"] = best
    iteration, most = _iteration(state), state["limits"]["max_iterations"]
    if green:
        healed_by = await _what_healed(deps, state)
        doubts = doubt_words(state.get("doubts", []), state.get("unsettled"))
        left_out = [words for words in (left_out_words(report), report.get("collected_only_here", "")) if words]
        return update | {"reason": " ".join([passing_words(report, healed_by), *left_out, *doubts])}
    if iteration >= most:
        reason = (
            f"{update['failed']} of {plural(len(report['cases']), 'case')} still "
            f"{'fails' if update['failed'] == 1 else 'fail'} after {iteration} of {most} iterations."
        )
        return update | {"outcome": "gave_up", "reason": reason}
    if iteration == 0 and state["policy"]["lessons"]:
        update["offered"] = await offered(runtime, state, report)
    return update


def _check_options(report: SuiteReport, given: Sequence[str]) -> None:
    """Raise UnusableTests where pytest refuses an option that was given for it."""
    refused = _REFUSED.search(report["error"] or "") if given else None
    if refused is not None:
        why = f"pytest refuses what follows `--`: {one_line(refused[1], 200)}."
        raise UnusableTests(why, "Start anew without that option.", refused_options=True)


def _check_usable(state: HealState, report: SuiteReport, workspace: Workspace, root: str | None) -> None:
    """Raise InputError where no repair can help: a package is missing, or the tests cannot be run."""
    why = unusable_tests(report, workspace)
    packages = missing_packages(report["cases"], workspace.files)
    # A model may do without a package that the program imports, or know that its name is a slip; an edit cannot help.
    if packages and (why or only_search_repairs(state)):
        raise missing_error(packages, report, root)
    if why:
        none_found = (report["error"] or "").startswith(NO_TEST)
        if path := _bad_configuration(report, workspace):
            raise UnusableTests(why, f"Mend {path}, then start a new session.", bad_configuration=True)
        mixed_up = next((case["id"] for case in report["cases"] if case["message"].startswith(SAME_NAME)), "")
        raise UnusableTests(why, "" if mixed_up else _START_ANEW, none_found=none_found, same_name=mixed_up)


def _bad_configuration(report: SuiteReport, workspace: Workspace) -> str:
    """Return the configuration file that pytest says it cannot read; empty for none."""
    said = (report["error"] or "").partition(": ")[2]
    return next(
        (path for path in workspace.files if PurePosixPath(path).name in CONFIGS and said.startswith(f"{path}:")), ""
    )


async def _what_healed(deps: Deps, state: HealState) -> str:
    """Count the repairs that were taken: a round that brought nothing, or was refused, is an iteration all the same."""
    records = await load_records(deps, state.get("head", ""), _ALL)
    applied = [repair for record, repair in records if record["verdict"] != "reject"]
    if applied:
        # What was set beside the repairs is no repair, and the program passes with it.
        workspace = await load_workspace(deps.blobs, state)
        repaired = reduce(lambda program, repair: {**program, **repair["changes"]}, reversed(applied), workspace.base)
        own = any(repaired.get(path, text) != text for path, text in workspace.program_texts.items())
        return f"after {plural(len(applied), 'repair')}" + (" and with the code that was set" if own else "")
    return "with the code that was set" if state["mode"] == "fix" and state.get("changes") else "without a change"


def _iteration(state: HealState) -> int:
    return state.get("iteration", 0)


async def _without_set_aside(
    state: HealState,
    deps: Deps,
    emit: Callable[[Noticed], None],
    workspace: Workspace,
    report: SuiteReport,
    manifest: Manifest,
) -> tuple[SuiteReport, str]:
    """Return a report without what is no task for a repair, and the ref of its list.

    It is found in the first red run; that a case flips may be seen only after a repair.
    """
    aside, ref = await load_set_aside(deps.blobs, state), state.get("set_aside_ref", "")
    notes: list[str] = []
    if aside is None and is_as_given(state) and not state.get("turn") and report["verdict"] != "passed":
        run, seen_red = _runs(deps, deps.suite_of(workspace)), manifest.get("seen_red", False)
        aside, notes = await find_set_aside(report, workspace, run, manifest["root"], seen_red=seen_red)
        if aside is not None:
            ref = await deps.blobs.put(aside)
            report = without(report, aside["why"])
            if report["verdict"] == "passed":
                left = await load_workspace(deps.blobs, {**state, "set_aside_ref": ref})
                report = (await run_through(deps.sandbox, deps.suite_of(left))).report
    if notes:
        report = {**report, "notes": [*report.get("notes", []), *notes]}
    if flips := await _flips(state, deps, workspace, report):
        aside = with_flips(aside, flips, report, [test for test in workspace.tests if test not in workspace.origins])
        tell_few(emit, [aside["why"][name] for name in flips])
        ref, report = await deps.blobs.put(aside), without(report, flips)
    if aside is None:
        return report, ""
    flaky: SuiteReport = {**report, "flaky": aside["flaky"]} if aside["flaky"] else report
    return flaky, ref


async def _flips(state: HealState, deps: Deps, workspace: Workspace, report: SuiteReport) -> list[str]:
    """Return the cases that passed before a repair, fail now, and do both with the code as it was given."""
    if is_as_given(state) or report["verdict"] != "failed" or report["error"]:
        return []
    ever = {*await deps.blobs.get(ref)} if (ref := state.get("ever_passed_ref")) else set()
    red = [case["id"] for case in failing_cases(report) if case["id"] in ever]
    return await deps.flipping(workspace, [name for name in red if name.partition("::")[0] not in workspace.origins])


def _runs(deps: Deps, suite: Suite) -> Run:
    async def run(tests: Sequence[str]) -> SuiteReport:
        return (await run_through(deps.sandbox, replace(suite, tests=tuple(tests), verify=False))).report

    return run


def tell_few(emit: Callable[[Noticed], None], sentences: Sequence[str]) -> None:
    """Tell sentences one by one, and count those after the first few."""
    for sentence in sentences[:_TOLD]:
        emit(Noticed(sentence))
    if (more := len(sentences) - _TOLD) > 0:
        emit(Noticed(f"The report has {plural(more, 'more note')}."))


def unusable_tests(report: SuiteReport, workspace: Workspace) -> str:
    """Return why no repair of the program can help: what is red was not collected, and the program is not to blame."""
    if report["verdict"] != "error":
        return ""
    if not report["cases"]:
        return one_line(f"The suite cannot run: {report['error']}.")
    if any("::" in case["id"] or names_program(case, workspace) for case in report["cases"]):
        return only_uncollectable(report, workspace)
    return one_line(f"The tests cannot be collected: {report['cases'][0]['id']}: {report['cases'][0]['message']}.")
