"""A record as the loop sees it, and as it is judged: prompt, code and visible tests here, hidden tests only there.

Test texts are meant to follow the code ("code, two blank lines, tests"), so they use its names freely. Here program
and tests are two files, and the tests import what they use; that lets the sandbox keep the two apart.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal

from selfheal_tui.engine.task.source_files import is_test_name
from selfheal_tui.engine.task.task import GENERATED_PATH, Task
from selfheal_tui.engine.task.walls import TEST_FOLDERS
from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.sandbox.plain_tests import as_pytest

from .records import BenchRecord

GivenTests = Literal["visible", "all"]
"""Which tests the loop sees."""
Judge = Literal["hidden", "plus"]

NEEDS_MODEL, NO_VISIBLE_TESTS = "no code to heal, and the search writes none", "no visible tests"
_VISIBLE_PATH, _HIDDEN_PATH = "test_examples.py", "test_hidden.py"
_VERDICT_LIMITS = Limits(time_s=60.0, case_time_s=20.0)
"""Stronger tests run hundreds of calls in one case."""


def obstacle(record: BenchRecord, given_tests: GivenTests, *, can_write: bool) -> str:
    """Say why a record is no task here, in a few words; empty when it can be tried.

    `can_write`: there is a model that writes code from a spec.
    """
    if is_project(record):
        if not test_ids(record.visible_tests) or not test_ids(record.hidden_tests):
            return "its tests are no pytest command"
        return "" if _project_program(record) else "no program among its files"
    if not record.hidden_tests:
        return "no hidden tests"
    for text in (record.visible_tests, record.hidden_tests, record.plus_tests):
        if _tree(text) is None:
            return "its tests do not parse"
    if not record.entry_point and not record.program_path:
        return "no entry point"
    if not record.buggy_code:
        if not record.prompt:
            return "neither code nor a prompt"
        return "" if can_write else NEEDS_MODEL
    return "" if record.visible_tests or given_tests == "all" else NO_VISIBLE_TESTS


def build_task(record: BenchRecord, given_tests: GivenTests) -> Task:
    """Return what the loop gets of a record: never its reference, nor its hidden tests unless `given_tests` is all."""
    if is_project(record):
        command = record.visible_tests if given_tests == "visible" else record.hidden_tests
        program = _project_program(record)
        return Task("fix", record.id, record.files, program, test_ids(command), record.prompt)
    path = program_path(record)
    tests = {_VISIBLE_PATH: record.visible_tests}
    if given_tests == "all":
        tests[_own_path(record)] = record.hidden_tests
    files = {name: test_file(record, text, record.buggy_code) for name, text in tests.items() if text.strip()}
    named = tuple(files)
    if not record.buggy_code:
        return Task("spec", record.id, {**record.files, **files}, (path,), named, _spec(record))
    return Task("fix", record.id, {**record.files, path: record.buggy_code, **files}, (path,), named, record.prompt)


def build_verdict(record: BenchRecord, program: Mapping[str, str], judge: Judge) -> Suite:
    """Return the suite that judges the loop's program, to be verified from another process."""
    if is_project(record):
        files = {**record.files, **program}
        return Suite(files, test_ids(record.hidden_tests), tuple(program), limits=_VERDICT_LIMITS, verify=True)
    path = program_path(record)
    text, name = (record.hidden_tests, _own_path(record)) if judge == "hidden" else (record.plus_tests, _HIDDEN_PATH)
    files = {**record.files, **program, name: test_file(record, text, program.get(path, ""))}
    return Suite(files, (name,), tuple(program), limits=_VERDICT_LIMITS, verify=True)


def test_file(record: BenchRecord, tests: str, program: str) -> str:
    """Return a test text as a pytest file of its own, with a case for each assertion where that is possible."""
    module, imported = _module(program_path(record)), _module(record.program_path)
    as_is = bool(record.program_path) and tests == record.hidden_tests
    if imported and imported != module:
        tests = re.sub(rf"(?m)^(\s*)from {re.escape(imported)} import\b", rf"\1from {module} import", tests)
        tests = re.sub(rf"(?m)^(\s*)import {re.escape(imported)}$", rf"\1import {module} as {imported}", tests)
    tree = _tree(tests)
    if tree is None or as_is:
        return tests
    if any(isinstance(node, ast.ImportFrom) and node.module == module for node in tree.body):
        return tests
    tree, tests = _only_called(tree, tests)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(_bound(tree))
    names, lent = [record.entry_point], []
    for node in (_tree(program) or ast.Module([], [])).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            lent += [f"{line}\n" for line in _imports(node, used)]
        else:
            names += [name for name in _names_of(node) if name in used]
    called = "" if _calls_check(tree) else f"\n\ncheck({record.entry_point})\n"
    asked = {name: _uncollected(name) for name in names if name}
    body = tests + "\n" + called
    for name, own in asked.items():
        body = re.sub(rf"\b{re.escape(name)}\b", own, body) if own != name else body
    imports = ", ".join(name if name == own else f"{name} as {own}" for name, own in asked.items())
    return as_pytest("".join([*lent, f"from {module} import {imports}\n\n\n", body]))


def program_path(record: BenchRecord) -> str:
    """Return where the loop's program lies. What it writes from a prompt always has the same name."""
    return (record.buggy_code and record.program_path) or GENERATED_PATH


def loop_limits(max_time_s: float | None) -> Limits:
    """Return what one run of the visible tests may use: a loop without end must not use up a task's whole time."""
    usual = Limits()
    if max_time_s is None:
        return usual
    return Limits(time_s=min(usual.time_s, max_time_s / 3), case_time_s=min(usual.case_time_s, max_time_s / 15))


def is_project(record: BenchRecord) -> bool:
    """Tell whether a record is a folder of files with a test command, not one program with test texts."""
    return bool(record.files) and not record.buggy_code


def test_ids(command: str) -> tuple[str, ...]:
    """Return what a pytest command line names: files, folders, node ids; empty when it is none."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ()
    if "pytest" not in words:
        return ()
    return tuple(word for word in words[words.index("pytest") + 1 :] if not word.startswith("-"))


def _spec(record: BenchRecord) -> str:
    """Return the prompt, with the function's name added where the prompt does not say it: the tests call that name."""
    if not record.entry_point or record.entry_point in record.prompt:
        return record.prompt
    return f"{record.prompt.rstrip()}\n\nThe function is named `{record.entry_point}`."


def _uncollected(name: str) -> str:
    """Return the name under which tests import what pytest would take for a test: MBPP has `test_duplicate`."""
    return f"_{name}" if name.startswith(("test", "Test")) else name


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _own_path(record: BenchRecord) -> str:
    return record.tests_path or _HIDDEN_PATH


def _project_program(record: BenchRecord) -> tuple[str, ...]:
    """Return every Python file that is no test: the loop has to find out which one is wrong."""
    paths = [PurePosixPath(path) for path in record.files]
    return tuple(
        str(path)
        for path in paths
        if path.suffix == ".py"
        and path.name not in ("conftest.py", "setup.py")
        and not is_test_name(path)  # type: ignore[arg-type]
        and not set(path.parts[:-1]) & set(TEST_FOLDERS)
    )


def _tree(text: str) -> ast.Module | None:
    try:
        return parse_python(text)
    except SyntaxError:
        return None


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        else:
            yield from _names_of(node)


def _names_of(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (leaf.id for leaf in ast.walk(target) if isinstance(leaf, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def _imports(node: ast.Import | ast.ImportFrom, used: set[str]) -> Iterator[str]:
    """Yield the parts of an import that bind a used name: the tests were written to find them there."""
    for alias in node.names:
        if (alias.asname or alias.name.partition(".")[0]) in used:
            only = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], 0)
            yield ast.unparse(only)


def _only_called(tree: ast.Module, tests: str) -> tuple[ast.Module, str]:
    """Leave out test functions that a text defines but does not call: as a script it would not run them.

    A visible text may hold the hidden cases in this way.
    """
    written = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    idle = [node for node in written if node.name not in used]
    called = {n.value.func.id for n in tree.body if _is_plain_call(n)}  # type: ignore[attr-defined]
    if not idle or called.isdisjoint(node.name for node in written):
        return tree, tests
    called_only = ast.Module([node for node in tree.body if node not in idle], [])
    return called_only, ast.unparse(called_only) + "\n"


def _is_plain_call(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name())):
            return True
    return False


def _calls_check(tree: ast.Module) -> bool:
    """Tell whether nothing is left to call: there is no `check(candidate)`, or somebody calls it."""
    defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    if "check" not in defined or any(name.startswith("test") for name in defined):
        return True
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef)
        for node in ast.walk(statement)
    )
