"""What a session learnt, as tests of the user's suite: answers given to questions, and confirmed counter-examples.

They go to the end of a test file, in its style; what stands there already is not touched. Pure.
"""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_or_none
from selfheal_tui.store.writing import FileChange
from selfheal_tui.text import plural

from ..moment.snapshot import Snapshot
from .unittest_style import Function, as_method

_KINDS = ("answers", "critic")
"""Generated suites whose cases are worth keeping: right by the human's word, or confirmed by the sandbox."""


class NoNewTests(InputError):
    """The session learnt nothing that a test could hold, or the suite holds it all."""


def why_no_tests(snapshot: Snapshot) -> str:
    """Say why there are no tests to add; empty where there are some, or where they do not fit."""
    try:
        added_tests(snapshot)
    except NoNewTests as error:
        return str(error)
    except InputError:
        return ""
    return ""


def offers_tests(snapshot: Snapshot) -> str:
    """Say which tests could be added where: `2 new tests for test_shop.py`; empty where there are none, or no file."""
    try:
        change = added_tests(snapshot)
    except InputError:
        return ""
    new = len(_names(change.after)) - len(_names(change.before or ""))
    return f"{plural(new, 'new test')} for {change.path}"


def added_tests(snapshot: Snapshot) -> FileChange:
    """Return the change that adds the session's new cases to the suite's file that uses the same program.

    Raises: NoNewTests where there is no such case, or where all of them stand there already; InputError where there is
    no such file, or where they do not fit into it.
    """
    sources, cases = _new_cases(snapshot)
    if not cases:
        raise NoNewTests("No question was answered and no counter-example was found: there are no tests to add.")
    path, before = _target(snapshot, sources)
    after = _with(before, cases)
    if after == before:
        raise NoNewTests(f"{path} holds these tests already.")
    if parse_or_none(after) is None:
        raise InputError(f"The new tests do not fit into {path}.", "Take them over by hand (Tests tab of the app).")
    return FileChange(path, before, after)


def added_onto(snapshot: Snapshot, now: str) -> FileChange | None:
    """Return the change that adds the new cases which `now`, the file's text, lacks; None where it has them all, or
    holds something else than what `added_tests` adds to and some of its cases: those were written before.
    """
    sources, cases = _new_cases(snapshot)
    path, before = _target(snapshot, sources)
    tree, given = parse_or_none(now), parse_or_none(before)
    if tree is None or given is None:
        return None
    bodies = {_body(node) for node in ast.walk(tree) if isinstance(node, Function)}
    base = "" if _has_functions(given) else _unittest_base(before)
    there = [case for case in cases if _body(_fitted(case, base, _bound(given))) in bodies]
    if not there or _with(before, there) != now or (after := _with(now, cases)) == now:
        return None
    return FileChange(path, now, after)


def _new_cases(snapshot: Snapshot) -> tuple[list[str], list[_Case]]:
    """Return the texts of the files that a session's new cases are in, and these cases."""
    sources = [text for path, text in snapshot.tests.items() if snapshot.origins.get(path) in _KINDS]
    return sources, [case for text in sources for case in _cases(text)]


@dataclass(frozen=True, slots=True)
class _Case:
    """One generated test function and what it takes from its file."""

    function: Function
    imports: list[ast.stmt]
    helpers: list[Function]


def _cases(text: str) -> Iterator[_Case]:
    tree = parse_or_none(text)
    if tree is None:
        return
    imports: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    functions = {node.name: node for node in tree.body if isinstance(node, Function)}
    for name in [name for name in functions if name.startswith("test")]:
        used = _words(functions[name])
        helpers = [functions[other] for other in functions if other in used and other != name]
        yield _Case(functions[name], imports, helpers)


def _target(snapshot: Snapshot, sources: list[str]) -> tuple[str, str]:
    """Return path and text of the user's test file that names most of what the new cases import."""
    files = {
        path: text
        for path, text in snapshot.tests.items()
        if path not in snapshot.origins and is_test_name(path) and any(name.startswith("test") for name in _names(text))
    }
    if not files:
        raise InputError("This session has no test file of yours to add tests to.")
    wanted = {word for text in sources for word in _imported(text)}
    path = max(files, key=lambda one: (len(wanted & _imported(files[one])), -list(files).index(one)))
    return path, files[path]


def _with(text: str, cases: list[_Case]) -> str:
    tree = parse_or_none(text)
    assert tree is not None, "a file that holds cases parses"
    bound = _bound(tree)
    taken, bodies = _names(text), {_body(node) for node in ast.walk(tree) if isinstance(node, Function)}
    base = "" if _has_functions(tree) else _unittest_base(text)
    helpers, tests = [], []
    for case in cases:
        node = _fitted(case, base, bound)
        if _body(node) in bodies:
            continue
        node.name = _free_name(node.name, taken)
        taken.add(node.name)
        tests.append(ast.unparse(node))
        for helper in [_inlined(one, case.imports, bound) for one in case.helpers]:
            if _body(helper) not in bodies:
                bodies.add(_body(helper))
                helpers.append(ast.unparse(helper))
    if base and tests:
        body = "\n\n".join(textwrap.indent(test, "    ") for test in tests)
        tests = [f"class {_free_name('TestRegressions', taken)}({base}):\n{body}"]
    return _below(text, tree, [*helpers, *tests])


def _bound(tree: ast.Module) -> set[str]:
    """Return the imports at the top of a file, each name's on its own."""
    return {ast.unparse(line) for node in tree.body for line in _single_imports(node)}


def _has_functions(tree: ast.Module) -> bool:
    """Tell whether a file has test functions, and not only classes of them."""
    return any(isinstance(node, Function) and node.name.startswith("test") for node in tree.body)


def _fitted(case: _Case, base: str, bound: set[str]) -> Function:
    """Return a case as a file takes it: a method where its tests are those of a class (`base`), without its imports."""
    return _inlined(as_method(case.function) if base else case.function, case.imports, bound)


def _inlined(function: Function, imports: list[ast.stmt], bound: set[str]) -> Function:
    """Return the function with the imports that the file lacks at its top, and without those that it has."""
    node = copy.deepcopy(function)
    used = _words(node)
    needed = [line for line in imports if used & _bound_by(line) and not _all_bound(line, bound)]
    start = 1 if ast.get_docstring(node) is not None else 0
    body = [line for line in node.body if not (_single_imports(line) and _all_bound(line, bound))]
    node.body = [*body[:start], *needed, *body[start:]]
    return node


def _body(function: Function) -> str:
    return "\n".join(ast.unparse(line) for line in function.body)


def _words(function: Function) -> set[str]:
    return {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}


def _free_name(name: str, taken: set[str]) -> str:
    """Return the name, numbered when it is taken."""
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique


def _below(text: str, tree: ast.Module, pieces: list[str]) -> str:
    """Put the pieces below the text, or above the `if __name__` that it ends with; its line ends and tabs hold."""
    end = "\r\n" if "\r\n" in text else "\n"
    last = tree.body[-1]
    runs_itself = isinstance(last, ast.If) and "__name__" in ast.unparse(last.test)
    at = len("\n".join(text.split("\n")[: last.lineno - 1])) + 1 if runs_itself else len(text)
    added = "".join(f"{piece}\n\n\n" if runs_itself else f"\n\n{piece}\n" for piece in pieces)
    if re.search(r"^\t", text, re.MULTILINE) and not re.search(r"^ {2}", text, re.MULTILINE):
        added = re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), added, flags=re.MULTILINE)
    first = "" if not added or text[:at].endswith("\n") else end
    return text[:at] + first + added.replace("\n", end) + text[at:]


def _unittest_base(text: str) -> str:
    """Return the base of the file's first unittest class as the file writes it; empty when it has none."""
    tree = parse_or_none(text)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                if ast.unparse(base).rpartition(".")[2].endswith("TestCase"):
                    return ast.unparse(base)
    return ""


def _single_imports(node: ast.stmt) -> list[ast.stmt]:
    """Split an import into one for each name."""
    if isinstance(node, ast.Import):
        return [ast.Import([name]) for name in node.names]
    if isinstance(node, ast.ImportFrom):
        return [ast.ImportFrom(node.module, [name], node.level) for name in node.names]
    return []


def _all_bound(node: ast.stmt, bound: set[str]) -> bool:
    return all(ast.unparse(line) in bound for line in _single_imports(node))


def _bound_by(node: ast.stmt) -> set[str]:
    names = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
    return {name.asname or name.name.partition(".")[0] for name in names}


def _imported(text: str) -> set[str]:
    """Return the modules and names that a file imports, wherever it does."""
    tree = parse_or_none(text)
    words: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            words |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            words |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return words - {"pytest", "math", "io", "contextlib", "unittest"}


def _names(text: str) -> set[str]:
    """Return the names of all functions and classes of a file."""
    tree = parse_or_none(text)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)} if tree is not None else set()


def is_test_name(path: str) -> bool:
    """Tell whether pytest would collect a file of this name."""
    stem = PurePosixPath(path).stem
    return path.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test"))
