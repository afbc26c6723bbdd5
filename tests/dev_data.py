"""Real programs to try the work on, when the folder beside the project is there; never needed."""

from __future__ import annotations

import ast
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.sandbox.plain_tests import as_pytest

DATA = next(
    (found for folder in Path(__file__).parents[2:] if (found := folder / "shared" / "data").is_dir()), Path("absent")
)
"""Beside the project, or beside the folder that holds this checkout."""


def records(name: str) -> list[dict[str, Any]]:
    """Return a set's records; skips the test where the data is absent."""
    path = DATA / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def suite_of(record: dict[str, Any], program: str, tests: str, limits: Limits | None = None) -> Suite:
    """Return a record's program and tests as a suite of two files."""
    name = record["entry_point"]
    tests = tests or ""
    names = dict.fromkeys([name, *(n for n in _top_names(program) if n in tests)])
    call = f"\ncheck({name})\n" if "def check(candidate)" in tests and "\ncheck(" not in tests else "\n"
    files = {
        "prog.py": program + "\n",
        "test_prog.py": as_pytest(f"from prog import {', '.join(names)}\n{tests}{call}"),
    }
    return Suite(files, ("test_prog.py",), ("prog.py",), limits=limits or Limits())


def _top_names(program: str) -> list[str]:
    try:
        body = ast.parse(program).body
    except SyntaxError:
        return []
    names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return names + [
        n.id for node in body if isinstance(node, ast.Assign) for n in node.targets if isinstance(n, ast.Name)
    ]
