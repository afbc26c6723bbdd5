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
from unittest import SkipTest

import pytest

from .plugin import CaseStopped, must_fail
from .report import Reporter

_COLLECTED = ("test", "Test", "pytest_", "pytestmark", "setup_", "teardown_", "setUpModule", "tearDownModule")
"""Names by which pytest takes part; a module that binds one in any other way than a plain function needs it."""
_CONFIGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


class Compiled(NamedTuple):
    """One test file, ready to run."""

    path: str
    code: CodeType
    cases: list[tuple[str, int]]
    """Function name and line, in order."""


def compile_plain(job: Mapping[str, Any], work: str) -> list[Compiled] | None:
    """Return the test files compiled, None where the suite is not plain or does not parse."""
    files: Mapping[str, str] = job["files"]
    special = any(name in _CONFIGS or PurePosixPath(name).name == "conftest.py" for name in files)
    if special or job.get("pytest_args") or job.get("coverage") or job.get("watch") or not job["tests"]:
        return None
    if job.get("compiled"):
        return [Compiled(p, marshal.loads(bytes.fromhex(code)), cases) for p, code, cases in job["compiled"]]
    done = []
    for path in job["tests"]:
        if path not in files or not path.endswith(".py") or "/" in path:
            return None
        try:
            tree = ast.parse(files[path])
            cases = _plain_cases(tree)
            if cases is None:
                return None
            done.append(Compiled(path, compile(tree, f"{work}/{path}", "exec"), cases))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return done


def portable(compiled: Sequence[Compiled]) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return compiled files as JSON, for the order of a later run."""
    return [(one.path, marshal.dumps(one.code).hex(), one.cases) for one in compiled]


def run_plain(reporter: Reporter, job: Mapping[str, Any], compiled: Sequence[Compiled]) -> None:
    """Import the test files, run their cases and report them as pytest would."""
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
            ended_well = _call(reporter, getattr(modules[path], function))
        if not ended_well and job.get("stop_on_failure"):
            reporter.stopped = True
            return
    with reporter.controlled():
        _call(reporter, must_fail)


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


def _call(reporter: Reporter, function: Any) -> bool:
    began = time.perf_counter()
    try:
        function()
    except (pytest.skip.Exception, SkipTest) as skipped:
        reporter.skip(str(skipped))
    except pytest.xfail.Exception as expected:
        reporter.skip(str(expected))
    except (KeyboardInterrupt, pytest.exit.Exception) as stopped:
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
