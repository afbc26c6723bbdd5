"""Tests that are text: which module they mean, and the imports that they leave out. Pure, but for a look at modules.

In a notebook one writes `assert total([1], 0) == 1` below the function, without an import. Here program and tests are
two files, so that the sandbox can keep them apart.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import PurePosixPath

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_or_none, parse_python, why_not
from selfheal_tui.sandbox.plain_tests import as_pytest

_ALWAYS_THERE = {*dir(builtins), "__file__", "__name__"}


def module_of(tests: Sequence[str], code: str | None) -> str:
    """Return the module that tests import the code from, as `shop` or `package/shop`; empty where they say none.

    `code` is None where it is still to be written.
    """
    defined = {*_bound(tree)} if code is not None and (tree := parse_or_none(code)) else set()
    imported = [one for text in tests for one in _imported(text)]
    for module, names in imported:
        if names & defined:
            return module.replace(".", "/")
    unknown = {module for module, _ in imported if not _is_installed(module)}
    return unknown.pop().replace(".", "/") if len(unknown) == 1 else ""


def file_meant(tests: str, program: Mapping[str, str]) -> str:
    """Return the path of the file that has most of the names which tests use; the first one where none has any."""
    tree = parse_or_none(tests)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()
    trees = {path: parse_or_none(text) for path, text in program.items()}
    return max(program, key=lambda path: len(used & {*_bound(held)}) if (held := trees[path]) else 0)


def as_test_file(tests: str, path: str, code: str | None) -> str:
    """Return tests as a pytest file, with the names of the code that they use imported from `path`.

    Raises: InputError where they do not parse.
    """
    try:
        tree = parse_python(tests)
    except SyntaxError as error:
        raise InputError(f"tests does not parse{why_not(error)}.") from error
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    missing = used - {*_bound_anywhere(tree)} - _ALWAYS_THERE
    written = parse_or_none(code) if code is not None else None
    if code is not None:
        missing &= {*_bound(written)} if written else set()
    body = tests.rstrip("\n") + "\n"
    if call := _call_of_check(tree, written):
        missing.add(call)
        body += f"\n\ncheck({call})\n"
    if not missing:
        return as_pytest(body)
    module = PurePosixPath(path).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")
    lines = body.splitlines(keepends=True)
    at = _after_future(tree)
    return as_pytest("".join([*lines[:at], f"from {module} import {', '.join(sorted(missing))}\n", *lines[at:]]))


def _call_of_check(tree: ast.Module, code: ast.Module | None) -> str:
    """Return the function for a `check(candidate)` that nobody calls, as HumanEval writes tests; empty for none."""
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    functions = [node.name for node in code.body if isinstance(node, ast.FunctionDef)] if code else []
    is_meant = "check" in names and "check" not in calls and not any(name.startswith("test") for name in names)
    return functions[-1] if is_meant and functions else ""


def _imported(text: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each module that a test text imports and that is not Python's own, with the names used of it."""
    tree = parse_or_none(text)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and not _is_standard(node.module):
            yield node.module, {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if not _is_standard(alias.name):
                    name = alias.asname or alias.name
                    yield (
                        alias.name,
                        {
                            one.attr
                            for one in ast.walk(tree)
                            if isinstance(one, ast.Attribute) and ast.unparse(one.value) == name
                        },
                    )


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in {*sys.stdlib_module_names, "pytest", "hypothesis"}


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _after_future(tree: ast.Module) -> int:
    """Return the number of lines that must stay first: a docstring and `from __future__`."""
    ends = [
        node.end_lineno or 0
        for place, node in enumerate(tree.body)
        if (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        or (place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return max(ends, default=0)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module has once it is imported, as far as its top level says."""
    for node in tree.body:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names if alias.name != "*")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign() | ast.AnnAssign() | ast.If() | ast.Try() | ast.With() | ast.For():
                yield from _stored(node)


def _bound_anywhere(tree: ast.Module) -> Iterator[str]:
    yield from _stored(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def _stored(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
