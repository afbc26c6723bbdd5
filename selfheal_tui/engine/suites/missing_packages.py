"""Packages that tests or program import and that the interpreter of the tests does not have: no edit mends that."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from selfheal_tui.environments import ProjectEnvironment, holds_package, project_environment, python_words
from selfheal_tui.errors import MissingPackages, UnnamedModules
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line

from .own_modules import named_beside, own_modules, own_words

_MISSING = re.compile(
    r"ModuleNotFoundError: No module named '(\w+)"
    r"|PackageNotFoundError: (?:No package metadata was found for )?([\w.-]*\w)"
    r"|DistributionNotFound: The '([\w.-]+)"
)
"""A module that cannot be imported, or a package that a program asks for its version."""


def missing_packages(cases: Iterable[CaseResult], files: Iterable[str]) -> list[str]:
    """Return the packages for which all cases that do not pass wait, sorted; none where one fails otherwise.

    Modules that are among the `files`, or would be beside them, are no packages to install.
    """
    failing = [case for case in cases if case["outcome"] not in ("passed", "skipped")]
    matches = [_MISSING.search(case["message"]) for case in failing]
    if not matches or None in matches:
        return []
    own = {part for path in files for part in PurePosixPath(path).with_suffix("").parts}
    if any(match and match[1] in own for match in matches):
        return []
    return sorted({match[1] or match[2] or match[3] for match in matches if match})


def missing_in_files(cases: Iterable[CaseResult], files: Collection[str]) -> list[str]:
    """Return the packages that keep test files from being collected, sorted, whatever else fails beside them."""
    alone = [missing_packages([case], files) for case in cases if "::" not in case["id"]]
    return sorted({name for names in alone for name in names})


def rest_words(report: SuiteReport) -> list[str]:
    """Say that all other cases pass; nothing where there are none."""
    if not (passed := report["passed"]):
        return []
    return [
        {1: "The only other case passes.", 2: "Both other cases pass."}.get(passed, f"All {passed} other cases pass.")
    ]


def missing_error(packages: list[str], report: SuiteReport, root: str | None) -> MissingPackages | UnnamedModules:
    """Return the error of a suite that waits for packages, or for modules of the user's, with what to do."""
    sentence = " ".join([*rest_words(report), missing_words(packages, root, report["cases"])])
    if modules := own_modules(packages, report["cases"], root):
        tests = [] if named_beside(modules, root) else list(dict.fromkeys(str(one.test) for one in modules))
        return UnnamedModules(sentence, [str(one.path) for one in modules], tests)
    return MissingPackages(sentence, python_with(packages, root))


def missing_words(packages: list[str], root: str | None = None, cases: Iterable[CaseResult] = ()) -> str:
    """Say that packages are not installed, and what to do; an environment in the project at `root` is named.

    Those that are modules of the user's, as the `cases` that wait for them tell, are said to be such.
    """
    if modules := own_modules(packages, cases, root):
        own = {one.name for one in modules}
        others = [name for name in packages if name not in own]
        return " ".join([own_words(modules, root), *([missing_words(others, root)] if others else [])])
    named = _named(packages)
    it = "it" if len(packages) == 1 else "them"
    if environment := _environment_with(packages, root):
        python = python_words(environment.path, Path(root or "."))
        return (
            f"The tests need {named}, which the interpreter that runs them lacks; "
            f"{environment.words} has {it}: start again with --python {python}."
        )
    return (
        f"The tests need {named}, which the interpreter that runs them lacks: install {it}, "
        f"or name an interpreter that has {it} with --python PATH."
    )


def in_environment(packages: list[str], root: str | None) -> bool:
    """Tell whether an environment in the project at `root` has the packages."""
    return bool(packages) and _environment_with(packages, root) is not None


def _named(packages: list[str]) -> str:
    names = [f"`{one_line(name, 60)}`" for name in packages]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def python_with(packages: list[str], root: str | None = None) -> str:
    """Return the interpreter of the project's environment that has the packages, as a flag takes it; else `PATH`."""
    environment = _environment_with(packages, root)
    return os.path.relpath(environment.path / "bin" / "python") if environment else "PATH"


def _environment_with(packages: list[str], root: str | None) -> ProjectEnvironment | None:
    environment = project_environment(Path(root), os.environ) if root else None
    has_all = environment and all(holds_package(environment.path, name) for name in packages)
    return environment if has_all else None
