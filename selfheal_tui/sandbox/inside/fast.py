"""The short way through a plain suite: functions without arguments, run one after the other without pytest.

For judging many programs by the same tests. Verdicts are the same as pytest's (tests/contract compares them); what
pytest would say beyond them (both sides of a comparison) is left out. A suite that needs any more of pytest than its
exceptions takes the long way.
"""

from __future__ import annotations

import ast
import marshal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from .addopts import CONFIGS
from .report import CaseStopped, Reporter, must_fail

_COLLECTED = ("test", "Test", "pytest_", "pytestmark", "setup_", "teardown_", "setUpModule", "tearDownModule")
"""Names by which pytest takes part; a module that binds one in any other way than a plain function needs it."""


class Compiled(NamedTuple):
    """One test file, ready to run."""

    path: str
    code: CodeType
    cases: list[tuple[str, int]]
    """Function name and line, in order."""


def has_settings(files: Mapping[str, str]) -> bool:
    """Tell whether a suite brings settings for pytest or a conftest."""
    return any(name in CONFIGS or PurePosixPath(name).name == "conftest.py" for name in files)


def plain_tests(files: Mapping[str, str], tests: Sequence[str]) -> dict[str, tuple[ast.Module, list[tuple[str, int]]]]:
    """Return test file -> its tree and the cases in it; nothing when a file needs pytest or does not parse."""
    plain: dict[str, tuple[ast.Module, list[tuple[str, int]]]] = {}
    if has_settings(files):
        return plain
    for path in tests:
        if path not in files or not path.endswith(".py") or "/" in path:
            return {}
        try:
            tree = ast.parse(files[path])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        cases = _plain_cases(tree)
        if cases is None:
            return {}
        plain[path] = (tree, cases)
    return plain


def compile_plain(job: Mapping[str, Any], work: str) -> list[Compiled] | None:
    """Return the test files compiled, None where the suite is not plain or does not parse."""
    if job.get("compiled"):
        return [Compiled(p, marshal.loads(bytes.fromhex(code)), cases) for p, code, cases in job["compiled"]]
    if job.get("pytest_args") or job.get("watch"):
        return None
    try:
        trees = plain_tests(job["files"], job["tests"])
        return [Compiled(p, compile(tree, f"{work}/{p}", "exec"), cases) for p, (tree, cases) in trees.items()] or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def portable(compiled: Sequence[Compiled]) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return compiled files as JSON, for the order of a later run."""
    return [(one.path, marshal.dumps(one.code).hex(), one.cases) for one in compiled]


def run_plain(reporter: Reporter, job: Mapping[str, Any], compiled: Sequence[Compiled]) -> None:
    """Import the test files, run their cases and report them as pytest would."""
    outcomes = _Outcomes()
    modules = {one.path: module for one in compiled if (module := _import(reporter, one)) is not None}
    skip = frozenset(job.get("skip", ()))
    plan = [
        (f"{one.path}::{name}", one.path, name, line)
        for one in compiled
        if one.path in modules
        for name, line in one.cases
        if f"{one.path}::{name}" not in skip
    ]
    reporter.send("plan", ids=[case[0] for case in plan])
    for name, path, function, line in plan:
        with reporter.framed(name, f"{path}:{line}"):
            ended_well = _call(reporter, outcomes, getattr(modules[path], function))
        if not ended_well and job.get("stop_on_failure"):
            reporter.stopped = True
            return
    with reporter.controlled():
        _call(reporter, outcomes, must_fail)


def _import(reporter: Reporter, one: Compiled) -> ModuleType | None:
    reporter.send("collecting", id=one.path)
    name = one.path.removesuffix(".py")
    module = ModuleType(name)
    module.__file__ = one.code.co_filename
    sys.modules[name] = module
    try:
        with reporter.timed():
            exec(one.code, module.__dict__)
    except BaseException as error:
        reporter.uncollectable(one.path, error)
        return None
    return module


class _Outcomes:
    """The exceptions by which a test says more than pass or fail, as far as they are loaded before the program is."""

    def __init__(self) -> None:
        pytest, unittest = sys.modules.get("_pytest.outcomes"), sys.modules.get("unittest.case")
        self.skipped: tuple[type[BaseException], ...] = (
            _those(pytest, "Skipped") + _those(pytest, "XFailed") + _those(unittest, "SkipTest")
        )
        self.stopped: tuple[type[BaseException], ...] = (KeyboardInterrupt, *_those(pytest, "Exit"))


def _those(module: ModuleType | None, name: str) -> tuple[type[BaseException], ...]:
    return (getattr(module, name),) if module is not None else ()


def _call(reporter: Reporter, outcomes: _Outcomes, function: Any) -> bool:
    began = time.perf_counter()
    try:
        function()
    except outcomes.skipped as skipped:
        reporter.skip(str(skipped))
    except outcomes.stopped as stopped:
        reporter.fail(CaseStopped(f"the program raised {type(stopped).__name__}"), called=True)
    except BaseException as error:
        reporter.fail(error, called=True)
    finally:
        reporter.took(time.perf_counter() - began)
    return reporter.undecided or reporter.skipped


def _plain_cases(tree: ast.Module) -> list[tuple[str, int]] | None:
    """Return the test functions of a module that needs nothing of pytest, else None."""
    cases: dict[str, int] = {}
    for node in tree.body:
        match node:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Import() | ast.ImportFrom():
                names = [alias.asname or alias.name for alias in node.names]
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            case ast.FunctionDef() if node.name.startswith("test"):
                if not _is_plain(node):
                    return None
                cases[node.name] = node.lineno
                continue
            case ast.FunctionDef(name=name, decorator_list=[]):
                names = [name]
            case ast.ClassDef(name=name, bases=[], keywords=[], decorator_list=[]):
                names = [name]
            case _:
                return None
        if any(name.startswith(_COLLECTED) or name in ("*", "__test__") for name in names):
            return None
    return list(cases.items())


def _is_plain(node: ast.FunctionDef) -> bool:
    arguments = node.args
    takes = arguments.posonlyargs or arguments.args or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
    yields = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
    return not takes and not yields and not node.decorator_list
