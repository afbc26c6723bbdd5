"""Role: proposes repairs for a diagnosis: one by a model, or the few best of a search."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from selfheal_tui.llm.registry import SEARCH
from selfheal_tui.store.blobs import json_text, text_ref
from selfheal_tui.text import plural

from ..describe import diagnosis_text, feedback_text, history_text, plain, report_text, shown_tests
from ..events import SearchProgressed
from ..reply import ask_model
from ..room import Shrinkable
from ..state import Diagnosis, Repair, Spent, no_spend
from .context import GIVES_WAY, RoleContext, load_records, tried_texts


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the repairer came up with."""

    repairs: list[Repair]
    spent: Spent
    why_none: str = ""
    """One sentence when there is none."""
    final: bool = False
    """Asking again cannot help: the search has nothing left to try."""


async def propose_repairs(context: RoleContext) -> Proposals:
    """Return the proposals and what they cost. Raises: ReplyInvalid, ProviderError, SandboxError."""
    model = context.model("repairer")
    diagnosis = cast(Diagnosis, await context.deps.blobs.get(context.state["diagnosis_ref"]))
    if model == SEARCH:
        return await _by_search(context, diagnosis)
    return await _by_model(context, model, diagnosis)


async def _by_model(context: RoleContext, model: str, diagnosis: Diagnosis) -> Proposals:
    assert context.report is not None
    records = await load_records(context.deps, context.state.get("head", ""))
    program = context.workspace.program_texts
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: the tests say what is right)",
        "program": plain(program),
        "tests": shown_tests(context.workspace.test_texts, context.report),
        "report": report_text(context.report),
        "diagnosis": diagnosis_text(diagnosis),
        "history": history_text(tried_texts(records)),
        "feedback": feedback_text(context.state.get("feedback", [])),
        "paths": ", ".join(context.workspace.program),
    }
    reply, spent = await ask_model(context.deps, context.emit, model, "repairer", values, context.salt, GIVES_WAY)
    changes = {f["path"]: f["text"] for f in reply["files"] if program.get(f["path"]) != f["text"]}
    foreign = sorted(set(changes) - set(context.workspace.program))
    if foreign:
        return Proposals([], spent, f"The model's repair changes {foreign[0]}, which may not be changed.")
    if not changes:
        return Proposals([], spent, "The model's repair changes nothing.")
    if text_ref(json_text(changes)) in {record["changes_ref"] for record, _ in records}:
        return Proposals([], spent, "The model proposed a repair that was already tried.")
    return Proposals([{"summary": reply["summary"], "changes": changes, "strategy": "minimal", "by": model}], spent)


async def _by_search(context: RoleContext, diagnosis: Diagnosis) -> Proposals:
    from selfheal_tui.search.repair import Budget, Found, repair

    assert context.report is not None
    records = await load_records(context.deps, context.state.get("head", ""))
    workspace = context.workspace
    tried = {text for _, old in records for text in old["changes"].values()}
    found: Found | None = None
    steps = repair(
        workspace.files,
        workspace.program,
        workspace.tests,
        context.report,
        context.deps.sandbox,
        budget=Budget(time_s=context.search_time_s),
        suspects_hint=[(e["file"], e["line"]) for e in diagnosis["evidence"]] if diagnosis["by"] != SEARCH else (),
        exclude=tried,
        limits=context.deps.suite_limits,
        pytest_args=workspace.pytest_args,
    )
    async with aclosing(steps) as progress:
        async for step in progress:
            match step:
                case Found():
                    found = step
                case _:
                    context.emit(SearchProgressed(step.judged, step.total, step.best))
    if found is None:
        raise RuntimeError("the search ended without a result")
    repairs: list[Repair] = [
        {"summary": c.summary, "changes": dict(c.changes), "strategy": "search", "by": SEARCH} for c in found.candidates
    ]
    if repairs and found.confidence:
        repairs[0]["confidence"] = round(found.confidence, 3)
    other = " other" if records else ""
    whole = "all there are" if found.tried_all else "its budget"
    why = f"The search found no{other} repair that helps: it judged {plural(found.judged, 'candidate')}, {whole}."
    return Proposals(repairs, no_spend(), "" if repairs else why, final=True)
