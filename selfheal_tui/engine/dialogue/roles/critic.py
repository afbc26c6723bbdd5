"""Role: reads a program that passes every case once more: by a model, or by what no case ran."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.setting_values import SEARCH

from ...moment.state import Objection, Spent
from ...suites.counter_example import module_name
from ...suites.exercise import Exercise
from ...workshop.role_context import RoleContext
from ..describe import plain, report_text
from ..focus import changed_lines
from ..program_map import show_program
from ..reply import ask_model


async def criticise(context: RoleContext, exercise: Exercise) -> tuple[Objection, Spent]:
    """Return what the model says, not confirmed yet, and what it cost. Raises: ReplyInvalid, ProviderError."""
    assert context.report is not None
    model, workspace = context.model("critic"), context.workspace
    focus = changed_lines(workspace.base, workspace.program_texts)
    values = {
        "spec": context.spec or "(none: the tests and the program's own words say what is right)",
        "tests": plain(workspace.test_texts),
        "program": show_program(workspace.program_texts, focus, with_numbers=True).text,
        "modules": _modules(workspace.program_texts),
        "report": report_text(context.report),
        "unexercised": _unexercised(exercise),
        "opinions": "\n".join(f"- {opinion}" for opinion in context.state.get("opinions", [])) or "(nothing)",
    }
    reply, spent = await ask_model(context, "critic", values, context.salt)
    objection: Objection = {
        "verdict": reply["verdict"],
        "summary": reply["summary"],
        "test": reply["test"] if reply["verdict"] == "object" else "",
        "basis": reply["basis"],
        "confirmed": False,
        "why": "",
        "by": model,
        "unexercised": dict(exercise.idle),
        "untried": reply["untried"],
    }
    return objection, spent


def figures(exercise: Exercise) -> Objection:
    """Return an approval whose only content is what no case ran."""
    return {
        "verdict": "approve",
        "summary": exercise.sentence,
        "test": "",
        "confirmed": False,
        "why": "",
        "by": SEARCH,
        "unexercised": dict(exercise.idle),
    }


def _modules(program: Mapping[str, str]) -> str:
    named = [(path, module_name(path)) for path in program]
    return "\n".join(f"{path}: from {module} import ..." for path, module in named if module) or "(as the tests do)"


def _unexercised(exercise: Exercise) -> str:
    parts = [exercise.sentence]
    for path, findings in exercise.one_sided.items():
        parts += [f"{path}, line {line}: {words}." for line, words in findings]
    return "\n".join(parts)
