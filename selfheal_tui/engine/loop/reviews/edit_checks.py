"""What an edited proposal must look like. Pure, but for the schema of a diagnosis, which a prompt file has."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.python_source import parse_python, why_not
from selfheal_tui.text import one_line

from ...moment.budget import BUDGETS

FOUND_OUT = ("edits", "edits_refused", "fixes", "not_searched")
"""Fields of a diagnosis that say what the search found out."""
NOT_EDITED = ("by", "cause_by", "slip", *FOUND_OUT)
"""Fields of a diagnosis that nobody writes by hand, nor a model; one that is handed back has them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an edited proposal."""

    field: str
    """Dotted path of the field (`cause`, `evidence.0.line`, `changes.prog.py`); empty for the whole."""
    message: str


def answer_problems(value: Mapping[str, Any]) -> list[Problem]:
    """Check `{"answer": repr}`, the right answer to the call on which programs disagree."""
    from ...suites.answers import answer_problem

    why = "goes alone" if len(value) > 1 else answer_problem(str(value["answer"]))
    return [Problem("answer", why)] if why else []


def budget_problems(value: Mapping[str, Any], files: Collection[str], tests: Collection[str]) -> list[Problem]:
    """Check `{limit: number}`."""
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
    from ...dialogue.prompts import load_prompt

    schema = dict(load_prompt("debugger").schema)
    schema["required"] = [name for name in schema["required"] if name != "thought"]
    schema["properties"] = {name: kind for name, kind in schema["properties"].items() if name != "thought"}
    return schema


def filled_diagnosis(value: Mapping[str, Any], proposed: Mapping[str, Any]) -> dict[str, Any]:
    """Return an edit of a diagnosis with the fields that it leaves out as they were proposed; nothing for nothing."""
    kept = {name: part for name, part in proposed.items() if name in _diagnosis_schema()["properties"]}
    return {**kept, **value} if value else {}


def diagnosis_problems(value: Mapping[str, Any], files: Collection[str], tests: Collection[str]) -> list[Problem]:
    """Check a whole Diagnosis; its evidence may point into `files` and `tests`."""
    from jsonschema import Draft202012Validator

    diagnosis = {"disproof": "", **{name: part for name, part in value.items() if name not in NOT_EDITED}}
    if isinstance(evidence := diagnosis.get("evidence"), list):
        diagnosis["evidence"] = [_without(item, "also") for item in evidence]
    errors = Draft202012Validator(dict(_diagnosis_schema())).iter_errors(diagnosis)
    problems = []
    for error in errors:
        path = [str(part) for part in error.absolute_path]
        if error.validator == "required":
            missing = next(name for name in error.validator_value if name not in error.instance)
            problems.append(Problem(".".join([*path, missing]), "is missing"))
        else:
            problems.append(Problem(".".join(path), _plain(error)))
    if not problems:
        there = {*files, *tests}
        for index, item in enumerate(value["evidence"]):
            if item["file"] not in there:
                names = ", ".join(sorted(there))
                problems.append(Problem(f"evidence.{index}.file", f"names no file of this run; there are {names}"))
    return sorted(problems, key=lambda p: p.field)


def _without(item: Any, name: str) -> Any:
    return {key: part for key, part in item.items() if key != name} if isinstance(item, Mapping) else item


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
            fields = list(error.schema["properties"])
            unknown = ", ".join(f"`{name}`" for name in error.instance if name not in fields)
            return one_line(f"has no field {unknown}; its fields are {', '.join(fields)}")
    return one_line(error.message)


def _example(files: Collection[str]) -> str:
    return json.dumps({min(files, default="shop.py"): "..."}, ensure_ascii=False)


def file_problems(value: Mapping[str, Any], files: Collection[str], tests: Collection[str]) -> list[Problem]:
    """Check `{"changes": {path: text}}`; only `files` may be changed, and Python must parse."""
    changes = value.get("changes")
    if not isinstance(changes, Mapping) or not changes:
        return [Problem("changes", f"must map at least one path to its whole new text, as in {_example(files)}")]
    problems = []
    for path, text in changes.items():
        field = f"changes.{path}"
        if path not in files:
            problems.append(Problem(field, f"may not be changed; only {', '.join(sorted(files))}"))
        elif not isinstance(text, str):
            problems.append(Problem(field, "must be text"))
        elif str(path).endswith(".py"):
            try:
                parse_python(text)
            except SyntaxError as error:
                problems.append(Problem(field, f"does not parse{why_not(error)}"))
    return problems
