"""Rows of published benchmarks as records of ours: one function for each form. Pure; none of their code is run."""

from __future__ import annotations

import ast
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python

from .entries import Row

_TAKEN = "def _taken(*given):\n    return given\n\n\n"
"""Makes a tuple of the text of a call's arguments."""


def humaneval(row: Row) -> Row:
    """Return a row of HumanEval (Chen et al. 2021, arXiv:2107.03374): a function to write from its docstring."""
    return {
        "id": row["task_id"],
        "entry_point": row["entry_point"],
        "prompt": row["prompt"],
        "reference_code": _joined(row["prompt"], row["canonical_solution"]),
        "hidden_tests": row["test"],
    }


def humanevalfix(row: Row) -> Row:
    """Return a row of HumanEvalFix (Muennighoff et al. 2023, arXiv:2308.07124): HumanEval with a bug in each."""
    return {
        "id": row["task_id"],
        "entry_point": row["entry_point"],
        "prompt": row["prompt"],
        "buggy_code": _joined(row["declaration"], row["buggy_solution"]),
        "reference_code": _joined(row["declaration"], row["canonical_solution"]),
        "visible_tests": row.get("example_test"),
        "hidden_tests": row["test"],
        "bug_type": row.get("bug_type"),
    }


def mbpp(row: Row) -> Row:
    """Return a row of MBPP (Austin et al. 2021, arXiv:2108.07732), full or sanitized: the first assertion is shown."""
    tests, imports = _texts(row, "test_list"), _texts(row, "test_imports")
    setup = "\n".join([*imports, row.get("test_setup_code") or ""]).strip() + "\n"
    challenge = _texts(row, "challenge_test_list")
    return {
        "id": f"MBPP/{row['task_id']}",
        "entry_point": _tested(row["code"], tests[0] if tests else ""),
        "prompt": row.get("prompt") or row.get("text"),
        "reference_code": row["code"],
        "visible_tests": setup + "\n".join(tests[:1]),
        "hidden_tests": setup + "\n".join(tests),
        "plus_tests": setup + "\n".join(challenge) if challenge else None,
    }


def cruxeval(row: Row) -> Row:
    """Return a row of CRUXEval (Gu et al. 2024, arXiv:2401.03065): find an input that gives a function's output.

    Any such input is right, as there.
    """
    code, output = row["code"], row["output"]
    return {
        "id": row["id"],
        "entry_point": "arguments",
        "prompt": f"Here is a Python function:\n\n{code}\n\nWrite a function `arguments()` that returns a tuple of "
        f"arguments with which it returns {output}: `f(*arguments()) == {output}`.",
        "reference_code": f"{_TAKEN}def arguments():\n    return _taken({row['input']})\n",
        "hidden_tests": f"{code}\n\n\nassert f(*arguments()) == {output}\n",
    }


def _joined(*parts: Any) -> Any:
    """Return texts as one; what is no text is left for the check of the record."""
    return "".join(parts) if all(isinstance(part, str) for part in parts) else list(parts)


def _texts(row: Row, name: str) -> list[str]:
    texts = row.get(name)
    texts = [] if texts is None else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"`{name}` must be a list of texts.")
    return texts


def _tested(code: Any, test: str) -> str:
    """Return the function of the program that a test calls."""
    if not isinstance(code, str):
        raise InputError(f"`code` must be a text, not {type(code).__name__}.")
    try:
        defined = [node.name for node in parse_python(code).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        used = {node.id for node in ast.walk(parse_python(test)) if isinstance(node, ast.Name)}
    except SyntaxError as error:
        raise InputError("Its code or its first test does not parse.") from error
    return next((name for name in defined if name in used), "")
