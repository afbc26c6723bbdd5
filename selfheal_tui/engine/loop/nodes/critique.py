"""Node: a passing suite is criticised; what it did not exercise, and does not settle, is found out either way."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.errors import ProviderError, SettingsError
from selfheal_tui.sandbox.base import run_through
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line

from ...dialogue.reply import InvalidReply
from ...dialogue.roles.critic import criticise, figures
from ...dialogue.roles.doubter import find_doubt, find_unmet
from ...moment.budget import reached, sentence
from ...moment.events import Noticed
from ...moment.state import HealState, Objection, Spent, add_spent, is_as_given
from ...moment.unsettled import doubt_words, question_about, unsettled_in_program
from ...suites.answers import may_ask
from ...suites.counter_example import as_file, headed, is_quoted, objected, why_not
from ...suites.examples import contradiction
from ...suites.exercise import Exercise, exercised
from ...workshop.deps import Deps
from ...workshop.role_context import RoleContext
from ..policy import may_doubt
from .common import role_context, took
from .opinions import with_opinion

_OPINIONS_KEPT = 8
_RUNS = 2
"""A counter-example must fail each time: one that fails now and then would never let the loop rest."""


async def critique(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the critic; an objection that the sandbox confirms becomes a case, any other an opinion."""
    started, blobs = time.monotonic(), runtime.context.blobs
    context = await role_context(state, runtime)
    doubts = state["policy"]["critic"] != "off"
    asks = doubts and may_doubt(state) and context.model("critic") == SEARCH
    notes = doubts and is_as_given(state) and not asks
    if not (_wanted(state) or may_doubt(state) or notes):
        return {"objection_ref": "", "question_ref": ""}
    suite = context.workspace.suite(context.deps.suite_limits, coverage=True)
    ran = await run_through(context.deps.sandbox, replace(suite, explain=False))
    exercise = exercised(context.workspace.program_texts, ran.coverage)
    unmet, rest = await find_unmet(context) if doubts else ([], "")
    question = await find_doubt(context, ran) if asks or notes else None
    asked: Spent | None = None
    if asks and question and not unmet:
        question, asked = await with_opinion(context, question)
    unsettled = unsettled_in_program(question) if notes else None
    if unmet and (asks or notes) and may_ask(state):
        question = question_about(unmet[0])
    against = doubt_words([], unsettled, unmet, rest)
    if exercise.idle and notes and not _wanted(state):
        against.append(exercise.sentence)
    doubted: HealState = {
        "question_ref": await blobs.put(question) if question else "",
        "unmet": unmet,
        "unmet_rest": rest,
        "reason": " ".join(filter(None, [state["reason"], *against])),
        **({"unsettled": unsettled} if unsettled else {}),
    }
    if not _wanted(state):
        shown = await blobs.put(figures(exercise)) if exercise.idle and notes else ""
        return doubted | {"objection_ref": shown, "spent": took(started, asked)}
    objection, spent = await _asked(context, exercise)
    files: dict[str, str] = {}
    if objection["verdict"] == "object":
        files, why = await _tried(context, objection)
        objection = cast(Objection, {**objection, "confirmed": bool(files), "why": why})
    update: HealState = {
        **doubted,
        "objection_ref": await blobs.put(objection),
        "spent": took(started, add_spent(asked, spent)),
    }
    if files:
        earlier = await _earlier(context)
        suites = {**state.get("suites", {}), "critic": await blobs.put({**earlier, **files})}
        update |= {"suites": suites, "green": False, "reason": ""}
    elif objection["verdict"] == "object":
        sentence = one_line(f"{objection['summary'].rstrip(' .')} ({objection['why']}).", 400)
        others = [opinion for opinion in state.get("opinions", []) if opinion != sentence]
        update["opinions"] = [*others, sentence][-_OPINIONS_KEPT:]
    return update


def _wanted(state: HealState) -> bool:
    """Tell whether the program is to be read: with `auto`, when the loop wrote or changed it."""
    wanted = state["policy"]["critic"]
    return wanted == "on" or (wanted == "auto" and not (state["mode"] == "fix" and state.get("iteration", 0) == 0))


async def _asked(context: RoleContext, exercise: Exercise) -> tuple[Objection, Spent | None]:
    """Return the critic's word; without a model that can be asked, the figures alone."""
    state = context.state
    if context.model("critic") == SEARCH:
        return figures(exercise), None
    if objected(await _earlier(context), state.get("iteration", 0)):
        return figures(exercise), None  # one confirmed objection per iteration: it was met, or its case was dropped
    if names := reached(state["limits"], state.get("spent")):
        context.emit(Noticed(f"The critic was not asked: {sentence(state['limits'], state.get('spent'), names)}"))
        return figures(exercise), None
    try:
        return await criticise(context, exercise)
    except InvalidReply as error:
        context.emit(Noticed(f"The critic was left out. {error.message}"))
        return figures(exercise), error.spent
    except (ProviderError, SettingsError) as error:
        context.emit(Noticed(f"The critic was left out. {error}"))
        return figures(exercise), None


async def _tried(context: RoleContext, objection: Objection) -> tuple[dict[str, str], str]:
    """Return path -> text of a counter-example that fails, nothing of another, and how it ended or why it is none."""
    workspace, state = context.workspace, context.state
    sources = {**workspace.test_texts, **workspace.program_texts}
    basis = objection.get("basis", "")
    try:
        path, text = as_file(objection["test"], workspace.program_texts, workspace.files)
    except ValueError as error:
        return {}, str(error)
    if not is_quoted(basis, context.spec, sources.values()):
        return {}, "neither the specification nor the program's own words settle it"
    if why := contradiction(text, context.spec):
        return {}, f"its counter-example is wrong: {why}"
    text = headed(text, state.get("iteration", 0), objection["summary"], basis)
    suite = workspace.suite(context.deps.suite_limits, changes={path: text})
    message = ""
    for _ in range(_RUNS):
        report = (await run_through(context.deps.sandbox, replace(suite, tests=(path,)))).report
        if why := why_not(report, path, workspace.program):
            return {}, f"{why}, the second time" if message else why
        message = next(case["message"] for case in report["cases"] if case["message"])
    return {path: text}, one_line(message)


async def _earlier(context: RoleContext) -> dict[str, str]:
    """Return path -> text of what earlier objections left."""
    ref = context.state.get("suites", {}).get("critic", "")
    return cast(dict[str, str], await context.deps.blobs.get(ref)) if ref else {}
