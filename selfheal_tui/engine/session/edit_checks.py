"""What an edited proposal must look like: the check that both the screen and `Session.decide` make."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.python_source import parse_python, why_not
from selfheal_tui.text import one_line

from ..dialogue.prompts import load_prompt
from ..moment.budget import BUDGETS
from ..moment.review import ReviewKind
from ..suites.answers import answer_problem


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an edited proposal."""

    field: str
    """Dotted path of the field (`cause`, `evidence.0.line`, `changes.prog.py`); empty for the whole."""
    message: str


def edit_problems(
    kind: ReviewKind, value: Mapping[str, Any], program: Collection[str], tests: Collection[str] = ()
) -> list[Problem]:
    """Return what is wrong with an edit; empty when it can be used.

    `value` is a whole Diagnosis, `{"changes": {path: text}}` for a repair, `{"answer": repr}` for the question of a
    repair or of the end, or `{limit: number}` for a budget; `program` holds the paths that may be changed, `tests`
    those that evidence may point to as well.
    """
    if kind == "diagnosis":
        return _diagnosis_problems({k: v for k, v in value.items() if k != "by"}, [*program, *tests])
    if kind == "budget":
        return _budget_problems(value)
    if kind in ("repair", "end") and "answer" in value:
        why = "goes alone" if len(value) > 1 else answer_problem(str(value["answer"]))
        return [Problem("answer", why)] if why else []
    return _repair_problems(value.get("changes"), program)


def _budget_problems(value: Mapping[str, Any]) -> list[Problem]:
    if not value:
        return [Problem("", f"must give at least one of {', '.join(BUDGETS)}")]
    problems = []
    for name, amount in value.items():
        if name not in BUDGETS:
            problems.append(Problem(name, f"is no budget; there are {', '.join(BUDGETS)}"))
        elif isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < float("inf"):
            problems.append(Problem(name, "must be a number above 0"))
        elif name in ("max_calls", "max_tokens") and amount != int(amount):
            problems.append(Problem(name, "must be a whole number"))
    return problems


@functools.cache
def _diagnosis_schema() -> Mapping[str, Any]:
    return load_prompt("debugger").schema


def _diagnosis_problems(value: Mapping[str, Any], files: Collection[str]) -> list[Problem]:
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(dict(_diagnosis_schema())).iter_errors({"disproof": "", **value})
    problems = []
    for error in errors:
        path = [str(part) for part in error.absolute_path]
        if error.validator == "required":
            missing = next(name for name in error.validator_value if name not in error.instance)
            problems.append(Problem(".".join([*path, missing]), "is missing"))
        else:
            problems.append(Problem(".".join(path), _plain(error)))
    if not problems:
        for index, item in enumerate(value["evidence"]):
            if item["file"] not in files:
                known = ", ".join(sorted(files))
                problems.append(Problem(f"evidence.{index}.file", f"names no file of this run; there are {known}"))
    return sorted(problems, key=lambda p: p.field)


def _plain(error: Any) -> str:
    match error.validator:
        case "minLength":
            return "must not be empty"
        case "maxLength":
            return f"is longer than {error.validator_value} characters"
        case "enum":
            return f"must be one of {', '.join(map(str, error.validator_value))}"
        case "minimum" | "maximum":
            sign = "at least" if error.validator == "minimum" else "at most"
            return f"must be {sign} {error.validator_value}"
        case "type":
            return f"must be a {error.validator_value}"
        case "additionalProperties":
            return one_line(f"has a field that is not known: {error.message}")
    return one_line(error.message)


def _repair_problems(changes: Any, program: Collection[str]) -> list[Problem]:
    if not isinstance(changes, Mapping) or not changes:
        return [Problem("changes", "must map at least one path to its whole new text")]
    problems = []
    for path, text in changes.items():
        field = f"changes.{path}"
        if path not in program:
            problems.append(Problem(field, f"may not be changed; only {', '.join(sorted(program))}"))
        elif not isinstance(text, str):
            problems.append(Problem(field, "must be text"))
        elif str(path).endswith(".py"):
            try:
                parse_python(text)
            except SyntaxError as error:
                problems.append(Problem(field, f"does not parse{why_not(error)}"))
    return problems
