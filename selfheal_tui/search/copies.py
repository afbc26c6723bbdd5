"""Failing tests are searched with their checks apart (`program.purified`), and repairs are told by the tests again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from selfheal_tui.sandbox.base import CaseResult, Coverage, Sandbox, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.sift import SiftLimits, Unfit

from .hunt.candidates import Candidate
from .hunt.judging import SiftingSandbox
from .hunt.places import Place
from .program.compared import unseen_sides
from .program.kept_apart import made_objects, state_of, with_objects
from .program.localise import is_failing
from .program.own_tests import files_with_own_tests
from .program.purified import NO_COPIES, Purified, copied_from, purified, without_parameters
from .weigh.found import Found


async def with_copies(
    sandbox: Sandbox, suite: Suite, report: SuiteReport, coverage: Coverage
) -> tuple[Purified, Suite, SuiteReport, Coverage]:
    """Return a suite whose failing tests have copies for each of their checks, with report and coverage of both.

    A test fails in none of its copies where what it does changes with how often it is done: it has none then.
    Raises: SandboxError.
    """
    unfit = {*suite.program, *files_with_own_tests(suite)}
    tests = {path: text for path, text in suite.files.items() if path not in unfit}
    objects = await _objects(sandbox, suite, tests, report)
    copies = with_objects(purified(tests, report), tests, objects)
    if not copies.checks:
        return copies, suite, report, coverage
    copied = replace(suite, files={**suite.files, **copies.files}, tests=tuple(copies.checks), coverage=True)
    ran = await run_through(sandbox, copied)
    cases = {case["id"]: case for case in ran.report["cases"] if case["outcome"] in ("passed", "failed")}
    checks = [name for name in copies.checks if name not in copies.objects]
    without = {copied_from(name) for name in checks if not _tells(name, copies, report, cases)}
    unfit_objects = {copied_from(name) for name in copies.objects if name not in cases or is_failing(cases[name])}
    if without or unfit_objects:
        objects = {test: made for test, made in objects.items() if test not in unfit_objects}
        copies = with_objects(purified(tests, report, without), tests, objects)
    kept = [case for case in cases.values() if copies.is_copy(case["id"])]
    if not kept:
        return NO_COPIES, suite, report, coverage
    chosen = tuple(name for test in suite.tests for name in (test, *copies.copies(without_parameters(test))))
    suite = replace(suite, files={**suite.files, **copies.files}, tests=tuple(dict.fromkeys(chosen)))
    both: SuiteReport = {**report, "cases": [*report["cases"], *kept]}
    return copies, suite, both, {**coverage, **{one["id"]: ran.coverage.get(one["id"], {}) for one in kept}}


async def states_of_sides(sandbox: Sandbox, suite: Suite, report: SuiteReport) -> dict[str, tuple[str, str]]:
    """Return what the objects hold that failing cases compare and do not show: case -> that of both sides."""
    sides = unseen_sides(suite.files, report)
    states = await _states(sandbox, suite, [side for both in sides.values() for side in both])
    return {
        case: (states[left], states[right]) for case, (left, right) in sides.items() if {left, right} <= states.keys()
    }


async def _states(sandbox: Sandbox, suite: Suite, made: Sequence[str]) -> dict[str, str]:
    """Return what objects hold: what makes one -> its state; without those that cannot be made.

    Raises: SandboxError.
    """
    if not made or not isinstance(sandbox, SiftingSandbox):
        return {}
    try:
        answers = await sandbox.ask(suite, [{}], [state_of(one) for one in made], SiftLimits())
    except Unfit:
        return {}
    states = dict(zip(made, answers[0], strict=False)) if answers else {}
    return {one: state for one, state in states.items() if not state.startswith("!")}


async def _objects(
    sandbox: Sandbox, suite: Suite, tests: Mapping[str, str], report: SuiteReport
) -> dict[str, list[str]]:
    """Return node id of a test -> what makes objects in its file, one of all that hold the same."""
    program = {path: suite.files[path] for path in suite.program if path in suite.files}
    objects = made_objects(tests, program, report)
    states = await _states(sandbox, suite, [made for own in objects.values() for made in own])
    apart: dict[str, str] = {}
    for made, state in states.items():
        apart.setdefault(state, made)
    kept = {test: [made for made in own if made in apart.values()] for test, own in objects.items()}
    return {test: own for test, own in kept.items() if len(own) > 1}


def _tells(name: str, copies: Purified, report: SuiteReport, cases: Mapping[str, CaseResult]) -> bool:
    """Tell whether every case of a copied test ran in all copies, and one that fails does so in one of them."""
    test = copied_from(name)
    own = [case for case in report["cases"] if without_parameters(case["id"]) == test]
    checks = [copied for copied in copies.copies(test) if copied not in copies.objects]
    rows = [[cases.get(f"{copied}{case['id'][len(test) :]}") for copied in checks] for case in own]
    return all(
        all(one is not None for one in row)
        and is_failing(case) == any(one is not None and is_failing(one) for one in row)
        for case, row in zip(own, rows, strict=True)
    )


def told_by_tests(found: Found, copies: Purified) -> Found:
    """Return what was found with the tests' own cases alone; a place where no edit mends one is none."""
    if not copies.checks:
        return found

    def real(one: Candidate) -> Candidate:
        return replace(one, fixes=copies.real(one.fixes), mends=tuple(map(copies.real, one.mends)))

    def at(place: Place) -> Place:
        return replace(place, best=real(place.best), others=tuple(map(real, place.others)))

    return replace(
        found,
        candidates=tuple(map(real, found.candidates)),
        ranking=replace(found.ranking, candidates=tuple(map(real, found.ranking.candidates))),
        places=tuple(at(place) for place in found.places if copies.real(place.best.fixes)),
    )
