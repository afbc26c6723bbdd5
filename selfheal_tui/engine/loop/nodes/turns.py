"""Groups of failing cases in turn: one is healed while the others wait, then the next. Part of the node `run_suite`.

    picked: [A] B C     the whole suite ran; the cases of B and C wait
    A passes:           the whole suite runs, what still fails is grouped anew
            [B] C       the largest group is next; what the repair of A mended too is no group any more

What a fault has hidden is a group of its own once that fault is gone: some cases of A pass, the others fail elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from selfheal_tui.sandbox.base import SuiteReport, run_through
from selfheal_tui.text import plural

from ...moment.events import Event, Noticed
from ...moment.state import GroupTurn, HealedGroup, HealState, SetAside
from ...moment.words import failing_cases
from ...moment.workspace import Workspace, load_set_aside, load_workspace
from ...suites.failing_groups import group_cases, group_turn, has_moved
from ...suites.red.matching import without_cases
from ...workshop.deps import Deps
from ...workshop.set_aside import aside_notes, with_set_aside, without


async def with_picked(state: HealState, deps: Deps) -> HealState:
    """Return the state in which no case waits where a group was picked: the whole suite says what fails now."""
    turn = state.get("turn")
    return await _nothing_waits(state, deps) if turn and turn["picked"] else state


async def take_turns(
    state: HealState, deps: Deps, emit: Callable[[Event], None], report: SuiteReport
) -> tuple[SuiteReport, HealState]:
    """Return the report of the group whose turn it is, and what that changes in the state.

    `report` is of the cases that do not wait. Raises: SandboxError.
    """
    turn = state.get("turn")
    update: HealState = {}
    if not turn:
        return report, update
    if not turn["picked"]:
        if not await _is_healed(state, deps, turn, report):
            return report, update
        passed = {case["id"] for case in report["cases"] if case["outcome"] == "passed"}
        cases = [case for case in turn["cases"] if case in passed]
        aside = await load_set_aside(deps.blobs, state)
        if aside and (waiting := aside.get("waiting")):
            state = await _nothing_waits(state, deps)
            report = await _whole_report(state, deps)
            cases += [case["id"] for case in report["cases"] if case["id"] in waiting and case["outcome"] == "passed"]
        healed: HealedGroup = {"words": turn["words"], "cases": cases, "changes": dict(state.get("changes", {}))}
        update = {"healed_groups": [*state.get("healed_groups", []), healed], "turn": None}
        update |= {"set_aside_ref": state["set_aside_ref"], "again": False, "repeats": 0, "repeated": ""}
        update |= {"best": None}  # it counted other cases
        turn = None
    if report["verdict"] == "passed":
        return report, update | {"turn": None}
    workspace = await load_workspace(deps.blobs, state)
    current = _current(turn, report, workspace)
    if turn is None:
        emit(Noticed(f"Healed: {update['healed_groups'][-1]['words']}. Next: {current['words']}."))
    aside = await _narrowed(state, deps, workspace, report, current)
    update |= {"turn": current, "set_aside_ref": await deps.blobs.put(aside)}
    return without(report, {*aside["why"], *aside.get("waiting", [])}), update


async def _is_healed(state: HealState, deps: Deps, turn: GroupTurn, report: SuiteReport) -> bool:
    """Tell whether the group's own fault is gone: all passes, or what is left fails elsewhere."""
    if report["verdict"] == "passed":
        return True
    workspace = await load_workspace(deps.blobs, state)
    return has_moved(turn, report, group_cases(report, workspace.program_texts, workspace.test_texts))


def waiting_note(aside: SetAside) -> list[str]:
    """Say how many cases wait, for the report; nothing where none does."""
    count = len(aside.get("waiting", []))
    return [f"{plural(count, 'failing case')} of other groups {'waits' if count == 1 else 'wait'}."] if count else []


def _current(turn: GroupTurn | None, report: SuiteReport, workspace: Workspace) -> GroupTurn:
    """Return the group that was picked, as far as it fails; else the largest group of what fails."""
    picked = {*turn["cases"]} if turn else set()
    cases = [case["id"] for case in failing_cases(report) if case["id"] in picked]
    if turn and cases:
        return {**turn, "cases": cases, "picked": False}
    return group_turn(group_cases(report, workspace.program_texts, workspace.test_texts)[0], picked=False)


async def _narrowed(
    state: HealState, deps: Deps, workspace: Workspace, report: SuiteReport, current: GroupTurn
) -> SetAside:
    """Return what is set aside while a group is healed: the failing cases that are not of it."""
    before: SetAside = await load_set_aside(deps.blobs, state) or {"tests": [], "why": {}, "flaky": []}
    whole = [test for test in workspace.tests if test not in workspace.origins]
    waiting = [case["id"] for case in failing_cases(report) if case["id"] not in current["cases"]]
    return {
        **before,
        "tests": list(without_cases(whole, [case["id"] for case in report["cases"]], {*waiting})),
        "waiting": waiting,
        "whole": whole,
    }


async def _nothing_waits(state: HealState, deps: Deps) -> HealState:
    aside = await load_set_aside(deps.blobs, state)
    if aside is None or "whole" not in aside:
        return {**state, "set_aside_ref": state.get("set_aside_ref", "")}
    left: SetAside = {**aside, "tests": aside["whole"]}
    del left["whole"]
    left.pop("waiting", None)
    return {**state, "set_aside_ref": await deps.blobs.put(left) if left["why"] else ""}


async def _whole_report(state: HealState, deps: Deps) -> SuiteReport:
    workspace = await load_workspace(deps.blobs, state)
    report = (await run_through(deps.sandbox, deps.suite_of(workspace))).report
    aside = await load_set_aside(deps.blobs, state)
    return with_set_aside({**report, "notes": aside_notes(aside)}, aside) if aside else report
