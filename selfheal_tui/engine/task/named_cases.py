"""Cases that the user names (`test_x.py::test_y`): refused before a session is made where their file has none such."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line

from ..suites.test_cases import case_functions

_MOST_NAMED = 5
_PLAIN_BASES = ("object", "TestCase", "IsolatedAsyncioTestCase")


def check_cases(tests: Mapping[Path, Iterable[str]], files: Mapping[Path, str]) -> None:
    """Raise InputError for a named case that its file cannot have; `tests` is path -> suffixes (`::test_y`, empty).

    A case that is made while the tests are collected, inherited or imported is left to pytest.
    """
    for path, suffixes in tests.items():
        text = files.get(path, "")
        for suffix in filter(None, suffixes):
            names = suffix.partition("[")[0].split("::")[1:]
            if path.suffix == ".py" and not _may_hold(text, names):
                there = list(case_functions(text))
                few = ", ".join(there[:_MOST_NAMED]) + (" ..." if len(there) > _MOST_NAMED else "")
                others = f"It has: {few}." if there else "It has no case."
                hint = nearest("::".join(names), there)
                meant = hint if hint.startswith("Did you mean") else others
                raise InputError(f"{path.name} has no case {one_line('::'.join(names), 100)}.", one_line(meant, 400))


def _may_hold(text: str, names: list[str]) -> bool:
    """Tell whether a file may have a case: its names stand there, or something is taken over from elsewhere."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return True
    if any("." in name for name in names):  # a doctest
        return True
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if isinstance(node, ast.ClassDef) and len(names) > 1 and node.name == names[0] and _inherits(node):
            return True
        if isinstance(node, ast.Name) and node.id in ("globals", "setattr", "type", "exec", "vars", "locals"):
            return True
    return all(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _inherits(node: ast.ClassDef) -> bool:
    bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    return bool(node.decorator_list) or any(base not in _PLAIN_BASES for base in bases)
