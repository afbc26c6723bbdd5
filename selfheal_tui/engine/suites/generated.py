"""Tests that a model wrote, before they may judge: what is wrong with them by the specification or by pytest goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from selfheal_tui.python_source import parse_python, why_not
from selfheal_tui.sandbox.base import Sandbox, Suite, run_through
from selfheal_tui.text import one_line, plural

from .examples import uncontradicted
from .test_cases import case_functions, unused_path, without_case

_MOST_CASES = 60
"""Cases of a file that cannot be collected are tried one by one up to this many."""


@dataclass(frozen=True, slots=True)
class UsableTests:
    """What is left of a generated test file."""

    text: str
    thrown_out: tuple[str, ...] = ()
    """Why cases were thrown out, one sentence each."""

    @property
    def empty(self) -> bool:
        """No case is left."""
        return not case_functions(self.text)


def problem(text: str) -> str:
    """Return why a text is no pytest file, as the rest of a sentence; empty when it is one."""
    try:
        parse_python(text)
    except SyntaxError as error:
        return f"does not parse{why_not(error)}"
    return "" if case_functions(text) else "holds no test function (def test_...)"


def without_contradictions(text: str, spec: str) -> UsableTests:
    """Throw out what contradicts the specification's own examples."""
    remaining, why = uncontradicted(text, spec)
    return UsableTests(remaining, tuple(f"{name} was thrown out: {reason}." for name, reason in why.items()))


async def collected(sandbox: Sandbox, suite: Suite, path: str, text: str) -> UsableTests:
    """Throw out the cases of the test file `path` that pytest cannot collect over the suite's files.

    Nothing goes when the program itself cannot be imported. Raises: SandboxError.
    """
    errors = await _uncollected(sandbox, suite, path, text)
    if not errors:
        return UsableTests(text)
    if path not in errors:
        return _without(text, errors)
    if not await _imports(sandbox, suite):
        return UsableTests(text)
    cases = list(case_functions(text))
    if len(cases) > _MOST_CASES:
        return UsableTests("", (f"All {plural(len(cases), 'case')} were thrown out: {errors[path]}.",))
    alone: dict[str, str] = {}
    for name in cases:
        only = text
        for other in cases:
            only = without_case(only, other) if other != name else only
        if errors_alone := await _uncollected(sandbox, suite, path, only):
            alone[name] = next(iter(errors_alone.values()))
    return _without(text, alone)


def _without(text: str, errors: Mapping[str, str]) -> UsableTests:
    for name in errors:
        text = without_case(text, name)
    return UsableTests(
        text, tuple(f"{name} was thrown out, pytest cannot run it: {why}." for name, why in errors.items())
    )


async def _uncollected(sandbox: Sandbox, suite: Suite, path: str, text: str) -> dict[str, str]:
    """Return case name -> why it cannot be collected; under the path itself when the whole file cannot."""
    tried = replace(suite, files={**suite.files, path: text}, tests=(path,), pytest_args=())
    report = (await run_through(sandbox, tried)).report
    if not report["cases"]:
        return {path: one_line(report["error"] or "nothing was collected")}
    reasons: dict[str, str] = {}
    for case in report["cases"]:
        name = case["id"].partition("::")[2].partition("[")[0]
        if case["outcome"] == "error" and (not name or _no_fixture(case["message"])):
            reasons.setdefault(name or path, one_line(case["message"]))
    return reasons


def _no_fixture(message: str) -> bool:
    return "fixture" in message and "not found" in message


async def _imports(sandbox: Sandbox, suite: Suite) -> bool:
    modules = [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in suite.program]
    lines = "".join(f"    import {module}\n" for module in modules if module.replace(".", "").isidentifier())
    path = unused_path("test_imports.py", suite.files)
    probe = replace(suite, files={**suite.files, path: f"def test_imports():\n{lines}    pass\n"}, tests=(path,))
    return (await run_through(sandbox, probe)).report["verdict"] == "passed"
