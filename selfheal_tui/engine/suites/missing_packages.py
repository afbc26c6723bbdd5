"""Packages that tests or program import and that the interpreter of the tests does not have: no edit mends that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from selfheal_tui.environments import ProjectEnvironment, holds_package, project_environment, python_words
from selfheal_tui.sandbox.base import CaseResult, SuiteReport

_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def missing_packages(cases: Iterable[CaseResult], files: Iterable[str]) -> list[str]:
    """Return the packages for which all cases that do not pass wait, sorted; none where one fails otherwise.

    Modules that are among the `files`, or would be beside them, are no packages to install.
    """
    failing = [case for case in cases if case["outcome"] not in ("passed", "skipped")]
    matches = [_MISSING.search(case["message"]) for case in failing]
    if not matches or None in matches:
        return []
    own = {part for path in files for part in PurePosixPath(path).with_suffix("").parts}
    names = {match[1] for match in matches if match}
    return [] if names & own else sorted(names)


def rest_words(report: SuiteReport) -> list[str]:
    """Say that all other cases pass; nothing where there are none."""
    if not (passed := report["passed"]):
        return []
    return [
        {1: "The only other case passes.", 2: "Both other cases pass."}.get(passed, f"All {passed} other cases pass.")
    ]


def missing_words(packages: list[str], root: str | None = None) -> str:
    """Say that packages are not installed, and what to do; an environment in the project at `root` is named."""
    named = ", ".join(f"`{name}`" for name in packages)
    are = "is" if len(packages) == 1 else "are"
    it = "it" if len(packages) == 1 else "them"
    if environment := _environment_with(packages, root):
        python = python_words(environment.path, Path(root or "."))
        return (
            f"{named} {are} not installed for the interpreter that runs the tests, but "
            f"{environment.words} has {it}: start again with --python {python}."
        )
    return (
        f"{named} {are} not installed for the interpreter that runs the tests: install {it}, "
        f"or name an interpreter that has {it} with --python PATH."
    )


def python_with(packages: list[str], root: str | None = None) -> str:
    """Return the interpreter of the project's environment that has the packages, as a flag takes it; else `PATH`."""
    environment = _environment_with(packages, root)
    return os.path.relpath(environment.path / "bin" / "python") if environment else "PATH"


def _environment_with(packages: list[str], root: str | None) -> ProjectEnvironment | None:
    environment = project_environment(Path(root), os.environ) if root else None
    has_all = environment and all(holds_package(environment.path, name) for name in packages)
    return environment if has_all else None
