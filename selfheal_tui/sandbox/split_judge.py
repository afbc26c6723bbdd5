"""The second opinion on a passing suite: the tests in one process, the program in another, only data between them.

What a program can do to the process it runs in (read the tests, patch pytest, answer `==`), it cannot do here. The
protocol is in `inside/split/`; this is our side: whether a suite can be judged so, and what the result means.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from selfheal_tui.python_source import parse_or_none, parse_python
from selfheal_tui.text import plural

from .account import Remarks
from .base import CaseResult, Limits, Suite, SuiteReport
from .inside.addopts import kept_addopts, settings_file
from .inside.doctests import text_tests
from .inside.path_lines import alike_in_all
from .inside.roots import import_roots, module_names, named_twice
from .needed import needed_files, shared_file

_FIXTURES = {
    *("tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory", "monkeypatch", "capfd", "capfdbinary", "caplog"),
    *("recwarn", "mocker"),
}
_MODULES = {
    *("asyncio", "atexit", "builtins", "ctypes", "doctest", "gc", "importlib", "inspect", "logging", "mock"),
    *("multiprocessing", "os", "pickle", "pkgutil", "random", "runpy", "shutil", "signal", "socket", "sqlite3"),
    *("subprocess", "sys", "tempfile", "threading", "tracemalloc"),
    *("unittest.mock", "warnings", "weakref"),
}
"""Modules whose state belongs to one process: a test that uses one means the process that the program runs in."""
_BUILTINS = {"open", "exec", "eval", "compile", "globals", "__import__", "id"}
_OF_THE_PROCESS = {"assertLogs", "assertNoLogs", "read_text", "read_bytes", "write_text", "write_bytes"}
"""Methods that look at what the program's process logs or writes, or that write for it."""
_READING = {"open", "FileIO", "getline", "getlines", "ZipFile", "fromfile", "loadtxt", "genfromtxt", "read_csv"}
"""Methods by which a test may read a file itself."""
_ASKS = re.compile(r"\bPYTEST_|\bmodules\b.*(?:pytest|unittest)|(?:pytest|unittest).*\bmodules\b")
_COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".pth")
"""Files that Python would run as it runs modules: nobody's data."""
_SLACK = 2
"""Every call crosses between two processes: a case may take this many times as long."""


class _Uses(NamedTuple):
    """What a test file uses."""

    bound: str
    """What only means something in one process, in words."""
    modules: frozenset[str]
    reads: str
    """A method that reads files."""


_BROKEN = _Uses("", frozenset(), "")
"""Of a file that does not parse nothing is known."""


def obstacle(suite: Suite) -> str:
    """Say why a suite cannot be judged from another process, in one sentence; empty when it can be tried."""
    roots = roots_of(suite)
    modules = module_names(suite.program, roots)
    if not modules:
        return "There is no Python file of the program to run apart from the tests."
    for path in (test.partition("::")[0] for test in suite.tests):
        if path in suite.program and path.endswith(".py"):
            return f"{path} holds the program and its tests. A pass rests on the program's own process."
    for path in suite.program:
        if _ASKS.search(suite.files.get(path, "")):
            return f"{path} asks whether pytest runs, and may do something else where it does not."
    for path, text in suite.files.items():
        if path in suite.program or not path.endswith(".py") or _is_set_aside(path, suite):
            continue
        uses = _uses_in(path, text)
        if uses is _BROKEN:
            return f"{path} does not parse. A pass rests on the program's own process."
        if uses.bound:
            name = uses.bound if " " in uses.bound else f"`{uses.bound}`"
            return f"{path} uses {name}. A pass rests on the program's own process; nothing is wrong."
        if shadowed := sorted(uses.modules & _named_like_pythons(modules)):
            return f"{path} imports {shadowed[0]}, which may be Python's own or the program's file of that name."
        if uses.reads and any(not name.endswith(".py") for name in suite.files):
            return f"{path} calls {uses.reads}(), which may read files, and the program could read the same ones."
    for path in _text_tests(suite):
        if (words := _obstacle_of_text(path, suite)) != "":
            return words
    for name, paths in named_twice(suite.program, roots).items():
        if importer := _importer_of(name, suite.files):
            return f"{importer} imports {name}, which may be {paths[0]} or {paths[1]}."
    return ""


def _importer_of(name: str, files: Mapping[str, str]) -> str:
    """Return a file that imports a module by this name; empty when none does."""
    line = re.compile(rf"^\s*(?:from\s+{re.escape(name)}\b|import\s+(?:.*,\s*)?{re.escape(name)}\b)", re.MULTILINE)
    return next((path for path, text in files.items() if path.endswith(".py") and line.search(text)), "")


def _text_tests(suite: Suite) -> list[str]:
    """Return the text files whose examples are cases."""
    config = settings_file(suite.files)
    kept = kept_addopts(config, suite.files[config], ()) if config else []
    return text_tests(suite.files, suite.tests, [*kept, *suite.pytest_args])


def _obstacle_of_text(path: str, suite: Suite) -> str:
    """Say why examples of a text cannot be judged from another process; the program's process does not get the text."""
    from doctest import DocTestParser  # it brings pdb

    if reader := next((one for one in suite.program if PurePosixPath(path).name in suite.files.get(one, "")), ""):
        return f"{reader} names {path}, which holds the examples that are the tests."
    try:
        source = "".join(example.source for example in DocTestParser().get_examples(suite.files[path]))
    except ValueError:
        return f"The examples of {path} cannot be read."
    uses = _uses_in(path, source)
    if uses is _BROKEN:
        return f"The examples of {path} do not parse."
    if uses.bound or uses.reads:
        return f"{path} uses `{uses.bound or uses.reads}`. A pass rests on the program's own process; nothing is wrong."
    return ""


def _is_set_aside(path: str, suite: Suite) -> bool:
    """Tell whether a file is neither run nor named by another, as one that cannot be collected or does not parse."""
    name = PurePosixPath(path)
    run = any(path == top or path.startswith(f"{top}/") for top in (test.partition("::")[0] for test in suite.tests))
    if run or not suite.tests or not (name.match("test_*.py") or parse_or_none(suite.files[path]) is None):
        return False
    word = re.compile(rf"\b{re.escape(name.stem)}\b")
    return not any(word.search(text) for other, text in suite.files.items() if other.endswith(".py") and other != path)


def _named_like_pythons(modules: Iterable[str]) -> set[str]:
    """Return top-level modules of Python that Python takes from the folder if there is a file of that name."""
    first = {name.partition(".")[0] for name in modules}
    return (first & sys.stdlib_module_names) - set(sys.builtin_module_names)


def roots_of(suite: Suite) -> list[str]:
    """Return the folders from which both processes import the program."""
    return import_roots(suite.files, suite.tests, suite.program, suite.pytest_args)


def halves(suite: Suite) -> tuple[Suite, Suite]:
    """Return what the program's process gets and what the judge's gets: neither sees the other's code.

    Files beside the program that it imports are on both sides.
    """
    texts = _text_tests(suite)
    given = needed_files(suite.program, suite.files, roots_of(suite)).union(suite.program)
    own = {path: text for path, text in suite.files.items() if path in given or not path.endswith(".py")}
    own = {path: text for path, text in own.items() if path not in texts}
    tests = {p: text for p, text in suite.files.items() if p not in suite.program and not p.endswith(_COMPILED)}
    limits = suite.limits
    slack = Limits(limits.time_s * _SLACK, limits.case_time_s * _SLACK, limits.memory_bytes, limits.output_bytes)
    plain = replace(suite, limits=slack, coverage=False, watch={}, stop_on_failure=False, verify=False)
    return replace(plain, files=own), replace(plain, files=tests)


def in_both(suite: Suite) -> str:
    """Return a file of which both halves have a copy; empty for none."""
    return shared_file(suite.program, suite.files, roots_of(suite))


def second_opinion(
    report: SuiteReport, split: SuiteReport, remarks: Mapping[str, Remarks], shared: Callable[[], str]
) -> SuiteReport:
    """Return the passing `report` as it stands after the split judge's: verified, not verified and why, or failed.

    `shared` tells a file of which the tests and the program had a copy each (`in_both`); asked where a case differs.
    """
    outcomes = {case["id"]: case for case in split["cases"]}
    cases: list[CaseResult] = []
    not_carried: list[str] = []
    doubts: list[str] = []
    for case in report["cases"]:
        file = case["id"].partition("::")[0]
        apart = outcomes.get(case["id"]) or outcomes.get(file)
        noted = remarks.get(case["id"]) or remarks.get(file) or Remarks([], [], [])
        if noted.lies:
            cases.append(_caught(case, noted.lies[0]))
        elif noted.limits and apart is not None and apart["outcome"] in ("passed", "skipped"):
            not_carried.append(noted.limits[0])
            cases.append(case)
        elif apart is None and split["error"] is None:
            not_carried.append(f"{case['id']} was not found apart from it")
            cases.append(case)
        elif apart is not None and apart["outcome"] == "skipped" and case["outcome"] != "skipped":
            not_carried.append(f"{case['id']} was skipped apart from it")
            cases.append(case)
        elif apart is not None and apart["outcome"] in ("passed", "skipped"):
            doubts += noted.doubts
            cases.append(case)
        elif noted.limits:
            not_carried.append(noted.limits[0])
            cases.append(case)
        elif both := shared():
            not_carried.append(f"the tests use {both} too, and the program had a copy of its own")
            cases.append(case)
        else:
            cases.append(_caught(case, apart["message"] if apart else split["error"] or "it did not run"))
    reported_ids = {case["id"] for case in report["cases"]}
    cases += [
        _caught(case, "the program left this case out") for case in split["cases"] if _left_out(case, reported_ids)
    ]
    if any(case["outcome"] not in ("passed", "skipped") for case in cases):
        return _failed(report, cases)
    if split["verdict"] == "error" and not not_carried:
        return {
            **report,
            "verdict": "error",
            "error": f"Apart from the program, {split['error']}",
            "not_verified": None,
        }
    if not_carried:
        count = plural(len(not_carried), "case")
        return {**report, "not_verified": f"{count} could run only in one process with the program: {not_carried[0]}"}
    if doubts:
        return {**report, "not_verified": f"A pass rests on the program's word: {doubts[0]}"}
    return {**report, "trust": "verified", "not_verified": None}


def _left_out(case: CaseResult, reported_ids: set[str]) -> bool:
    """Tell whether the judge, who collects by itself, found a case that the program's own run did not report."""
    return case["id"] not in reported_ids and "::" in case["id"]


def _caught(case: CaseResult, why: str) -> CaseResult:
    return {
        **case,
        "outcome": "failed",
        "message": f"passes only where the program can reach the tests; apart from them: {why}",
    }


def _failed(report: SuiteReport, cases: list[CaseResult]) -> SuiteReport:
    outcomes = [case["outcome"] for case in cases]
    return {
        **report,
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "cases": cases,
        "verdict": "failed",
    }


@functools.lru_cache(maxsize=256)
def _uses_in(path: str, text: str) -> _Uses:
    """Return what matters of a test file; kept, because the same tests judge one program after the other."""
    try:
        tree = parse_python(text)
        alike = alike_in_all(path, text) if path.endswith(".py") else frozenset()
        return _Uses(_process_bound(tree, alike), _modules_in(tree), _reads_in(tree))
    except SyntaxError:
        return _BROKEN


def _modules_in(tree: ast.AST) -> frozenset[str]:
    """Return the top-level modules that a test file imports."""
    modules = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    return frozenset(name.partition(".")[0] for name in modules)


def _reads_in(tree: ast.AST) -> str:
    """Return the name of a method by which a test file may read a file; empty when there is none."""
    names = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return next((name for name in names if name in _READING), "")


def _process_bound(tree: ast.AST, alike: frozenset[str]) -> str:
    """Return the first thing a test file uses that two processes cannot share, in words; empty when there is none.

    `alike`: modules of which it uses nothing but what is the same in both.
    """
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) if name in _FIXTURES:
                return name
            case ast.Import(names=names) if bound := [a.name for a in names if _is_bound(a.name, alike)]:
                return bound[0]
            case ast.ImportFrom(module=str(module)) if _is_bound(module, alike - {"os", "sys"}):
                return module
            case ast.Call(func=ast.Name(id=name)) if name in _BUILTINS:
                return f"{name}()"
            case ast.Attribute(attr=name) if name in _OF_THE_PROCESS:
                return f"{name}()"
            case ast.Constant(value=str(name)) if name in _FIXTURES:
                return name
    return ""


def _is_bound(module: str, alike: frozenset[str]) -> bool:
    return module not in alike and (module in _MODULES or module.partition(".")[0] in _MODULES - {"unittest.mock"})
