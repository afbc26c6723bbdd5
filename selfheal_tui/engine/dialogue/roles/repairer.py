"""Role: proposes repairs for a diagnosis: one by a model, or the few best of a search."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from selfheal_tui.search.blame import NOTHING_TO_EDIT, is_empty
from selfheal_tui.search.hunt.tried import whole_words
from selfheal_tui.setting_values import SEARCH

from ...moment.events import Noticed
from ...moment.state import Diagnosis, Repair, Spent, Suspects, no_spend
from ...moment.steering import avoid_words, edited_lines, unread_words
from ...moment.taken import touched_lines
from ...moment.words import not_searched_words
from ...suites.test_cases import pinned_changed
from ...workshop.editing.answer import apply_reply
from ...workshop.kept_search import (
    KeptSearch,
    all_closed_words,
    hints_of,
    is_all_closed,
    next_question,
    search_once,
    used_up_s,
)
from ...workshop.prompt_room import Shrinkable
from ...workshop.role_context import GIVES_WAY, TRIED_SHOWN, RoleContext, load_records, tried_texts
from ..describe import diagnosis_text, feedback_text, history_text, lessons_text, plain, report_text, shown_tests
from ..focus import build_focus
from ..program_map import is_long, show_program, show_to_fit
from ..prompts import Prompt, load_prompt
from ..reply import ask_model
from .repair_format import chosen_format, too_long_to_give_whole


@dataclass(frozen=True, slots=True)
class Proposals:
    """The repairer's result."""

    repairs: list[Repair]
    spent: Spent | None
    why_none: str = ""
    """Why there is no repair, in one sentence; empty when there is one."""
    final: bool = False
    """Asking again cannot help: the search has nothing left to try, or the model declines."""
    unchanged: bool = False
    """What the model sent is the program as it is."""
    unreadable: bool = False
    """The model was asked twice and could not be read."""
    search_s: float = 0.0
    """Seconds that the search had, where they were used up; else 0."""


TASKS = {
    "minimal": "Cure the diagnosed cause with the smallest change that a careful maintainer would accept.",
    "rewrite": "Write the faulty function anew, from the specification and the cases, by the plainest method that is "
    "right; keep its name and signature and everything around it.",
    "defensive": "Cure the cause, and look for what else would fail in the same way: empty, missing, negative, huge, "
    "repeated or unsorted input. Mend that too, without hiding an error that the specification asks for.",
    "blind retry": "No diagnosis is certain enough to go by. Forget earlier explanations: work out from the "
    "specification and the failing cases what the program must do, and write the faulty function anew.",
    "test": "The diagnosis holds that a generated test is wrong. Correct that test by the specification, or delete it "
    "when the specification does not settle what it checks. Leave every other test as it is; weaken none.",
}
"""Strategy -> what the repairer is told to do."""


async def propose_repairs(context: RoleContext, strategy: str) -> Proposals:
    """Return one strategy's proposals and what they cost. Raises: ReplyInvalid, ProviderError, SandboxError."""
    diagnosis = cast(Diagnosis, await context.deps.blobs.get(context.state["diagnosis_ref"]))
    if strategy == SEARCH:
        return await _by_search(context, diagnosis)
    return await _by_model(context, diagnosis, strategy)


async def _by_model(context: RoleContext, diagnosis: Diagnosis, strategy: str) -> Proposals:
    assert context.report is not None
    records = await load_records(context.deps, context.state.get("head", ""), TRIED_SHOWN)
    workspace = context.workspace
    of_test = strategy == "test"
    changeable = await generated_tests(context) if of_test else workspace.program_texts
    prompt = load_prompt("repairer", context.deps.prompts_dir)
    shown, in_part, form = await _shown(context, diagnosis, strategy, changeable, prompt)
    named = {evidence["file"] for evidence in diagnosis["evidence"]}
    if form == "files" and (why := too_long_to_give_whole(changeable, named, prompt.max_tokens)):
        return Proposals([], None, why, final=True)
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: the tests say what is right)",
        "program": shown,
        "tests": plain(workspace.test_texts) if of_test else shown_tests(workspace.test_texts, context.report),
        "report": report_text(context.report, context.workspace.origins),
        "diagnosis": "(none that is certain enough)" if strategy == "blind retry" else diagnosis_text(diagnosis),
        "history": history_text(tried_texts(records, context.state.get("empty_rounds", ()))),
        "lessons": lessons_text(context.state, records),
        "feedback": feedback_text(context.state.get("feedback", [])),
        "paths": ", ".join(changeable),
        "task": TASKS[strategy],
    }

    def problems(reply: Mapping[str, Any]) -> list[str]:
        applied = apply_reply(changeable, reply, in_part)
        return [] if applied.foreign else list(applied.problems)

    salt = f"{context.salt}.{strategy}"
    reply, spent = await ask_model(
        context, "repairer", values, salt, (*GIVES_WAY, "program"), form=form, check=problems
    )
    applied = apply_reply(changeable, reply, in_part)
    changes = applied.changes
    if applied.foreign:
        return Proposals([], spent, f"The model's repair changes {applied.foreign[0]}, which may not be changed.")
    if applied.problems:
        return Proposals([], spent, f"The model's repair does not fit the program: {applied.problems[0]}.")
    if not changes:
        return Proposals([], spent, "The model's repair changes nothing.", unchanged=True)
    if of_test and (broken := pinned_changed(changeable, changes, context.state.get("pinned", []))):
        return Proposals([], spent, f"The model's repair changes the pinned case {broken}.")
    repair: Repair = {
        "summary": reply["summary"],
        "changes": changes,
        "strategy": strategy,
        "by": context.model("repairer"),
        "cost_usd": spent["cost_usd"],
    }
    return Proposals([{**repair, "of_test": True} if of_test else repair], spent)


async def _shown(
    context: RoleContext, diagnosis: Diagnosis, strategy: str, changeable: Mapping[str, str], prompt: Prompt
) -> tuple[Shrinkable, frozenset[str], str]:
    """Return the program as the repairer sees it, the files it may see in part, and the format of its reply.

    Whole files need the whole program.
    """
    program, wanted = context.workspace.program_texts, context.state["policy"].get("repair_format", "auto")
    assert context.report is not None
    if wanted == "files" or not {"edits", "functions"} <= set(prompt.formats):
        return Shrinkable((plain(program),)), frozenset(), "files"
    suspects_ref = context.state.get("suspects_ref", "")
    suspects = cast(Suspects, await context.deps.blobs.get(suspects_ref)) if suspects_ref else None
    believed = None if strategy == "blind retry" else diagnosis
    focus = build_focus(program, context.workspace.test_texts, context.report, suspects, believed)
    if not is_long(program):
        shown, in_part = Shrinkable((show_program(program).text,)), frozenset[str]()
    else:
        shown, in_part = show_to_fit(program, focus)
    form = chosen_format(wanted, changeable, context.model("repairer"), strategy, in_part & set(changeable))
    return shown, in_part, form


async def generated_tests(context: RoleContext) -> dict[str, str]:
    """Return path -> text of the generated tests that a repair may change: all but the examples and the answers."""
    test_texts: dict[str, str] = {}
    for kind, ref in context.state.get("suites", {}).items():
        if kind not in ("examples", "answers"):
            test_texts |= await context.deps.blobs.get(ref)
    return test_texts


async def _by_search(context: RoleContext, diagnosis: Diagnosis) -> Proposals:
    hints = hints_of(diagnosis)
    if words := unread_words(context.state.get("decision")):
        context.emit(Noticed(words))
    kept = await search_once(context, hints, chosen=diagnosis["by"] == "human")
    repairs: list[Repair] = [{**repair} for repair in whole_place_first(kept["repairs"], context, diagnosis)]
    if repairs and (question := next_question(kept, context.state)):
        repairs[0]["question"] = question
    if used_s := used_up_s(kept):
        repairs = [{**repair, "search_s": used_s} for repair in repairs]
    why_none = "" if repairs else _why_none(context, kept, diagnosis)
    return Proposals(repairs, no_spend(), why_none, final=True, search_s=used_s)


_EFFECT = re.compile(r", with (?:line|lines) |: (?:every|both|all|\d+ of) ")
"""Stands between an edit and what a card says of it."""


def whole_place_first(repairs: Sequence[Repair], context: RoleContext, diagnosis: Diagnosis) -> list[Repair]:
    """Order what is at the line that the human chose.

    First what also edits the lines that the card said go with it; of these what makes the edit that the card named: an
    edit of another line may reach into this one.
    """
    files = context.workspace.files
    named = {line for one in diagnosis["evidence"] for line in edited_lines(one)}
    edits = [_EFFECT.split(one["why"])[0] for one in diagnosis["evidence"]]

    def apart(repair: Repair) -> tuple[int, bool]:
        if "at_chosen" not in repair:
            return 2, False
        is_whole = named <= touched_lines(files, {**files, **repair["changes"]})
        return (0 if is_whole else 1), not any(edit and edit in repair["summary"] for edit in edits)

    return sorted(repairs, key=apart)


def _why_none(context: RoleContext, kept: KeptSearch, diagnosis: Diagnosis) -> str:
    if is_all_closed(kept):
        return all_closed_words(context.avoid)
    if is_empty(context.workspace.program_texts):
        return NOTHING_TO_EDIT
    other = " other" if context.state.get("head") else ""
    judged = whole_words(kept["judged"], kept.get("singles", 0), kept["tried_all"], kept.get("cut_short", ""))
    avoided = [avoid_words([one]).removeprefix("not ") for one in context.avoid]
    closed = f" Left out after your answers: {', '.join(avoided)}." if avoided else ""
    elsewhere = f" {words}" if (words := not_searched_words(diagnosis.get("not_searched", ()))) else ""
    return f"The search found no{other} repair that helps: it judged {judged}.{closed}{elsewhere}"
