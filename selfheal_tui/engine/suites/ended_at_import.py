"""A program that ends the process while a test file imports it: the test file is not to blame. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import one_line

_MESSAGE = "the process ended while this file was imported"
_EXITS = frozenset({"_exit", "abort", "kill"})


def program_ended_it(case: CaseResult, files: Mapping[str, str], program: Collection[str]) -> bool:
    """Tell whether a test file could not be collected as a file of the program that it imports ended the process."""
    if not case["message"].startswith(_MESSAGE) or _ends_process(files.get(case["id"], "")):
        return False
    return any(_ends_process(files[path]) for path in program if path in files)


def ended_words(case: CaseResult, files: Mapping[str, str], program: Collection[str]) -> str:
    """Say which file of the program does it: `ex.py ends the process (`os._exit`) when test_ex.py imports it.`."""
    path = next(path for path in program if path in files and _ends_process(files[path]))
    name = _ends_process(files[path])
    return f"{one_line(path, 80)} ends the process (`{name}`) when {case['id']} imports it."


def _ends_process(text: str) -> str:
    """Return the call by which a module ends the process as it is imported; empty when there is none."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return ""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _EXITS:
            return ast.unparse(node.func)
        todo += ast.iter_child_nodes(node)
    return ""
