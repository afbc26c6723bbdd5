"""Cases of a generated test file: find one, drop one, see whether one was changed. Pure; the rest stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from selfheal_tui.python_source import parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unused_path(name: str, existing_paths: Collection[str]) -> str:
    """Return `name`, numbered when it is taken."""
    path, number = name, 1
    while path in existing_paths:
        number += 1
        path = name.replace(".py", f"_{number}.py")
    return path


def case_functions(text: str) -> dict[str, Function]:
    """Return the name after `::` -> its function (`test_a`, `TestX::test_b`); nothing when the text does not parse."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return {}
    functions = _cases_in(tree.body, "")
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            functions |= _cases_in(node.body, f"{node.name}::")
    return functions


def without_case(text: str, name: str) -> str:
    """Return the text without one case (its decorators too). Raises: KeyError when it holds no such case."""
    node = case_functions(text)[name]
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    # Lines as the parser counts them: a form feed ends none.
    lines = [f"{line}\n" for line in text.split("\n")]
    before, after = lines[: first - 1], lines[node.end_lineno or first :]
    if "::" in name and sum(other.startswith(name.partition("::")[0] + "::") for other in case_functions(text)) == 1:
        before.append(" " * node.col_offset + "pass\n")
    head, tail = "".join(before).rstrip("\n"), "".join(after).strip("\n")
    return "\n\n\n".join(part for part in (head, tail) if part) + "\n"


def pinned_changed(old: Mapping[str, str], new: Mapping[str, str], pinned: Collection[str]) -> str:
    """Return the id of a pinned case that `new` (path -> text) changes or drops; empty when it leaves all alone."""
    for case in pinned:
        path, _, name = case.partition("::")
        name = name.partition("[")[0]
        if path in new and _dumped(old.get(path, ""), name) != _dumped(new[path], name):
            return case
    return ""


def _cases_in(body: list[ast.stmt], prefix: str) -> dict[str, Function]:
    functions = (node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {prefix + node.name: node for node in functions if node.name.startswith("test")}


def _dumped(text: str, name: str) -> str:
    node = case_functions(text).get(name)
    return ast.dump(node) if node is not None else ""
