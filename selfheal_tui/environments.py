"""Virtual environments, read and never run: the one of the user's shell, and the one that a project's folder holds."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from selfheal_tui.text import one_line
from selfheal_tui.tool_environments import tool_environments

_NAMES = (".venv", "venv")
_PYTHON = Path("Scripts", "python.exe") if os.name == "nt" else Path("bin", "python")


def active_python(environ: Mapping[str, str]) -> str:
    """Return the interpreter of the environment that the user's shell is in; empty where it is none to run tests with.

    It needs a pytest, and is another one than selfheal's own.
    """
    environment = _active_environment(environ)
    return str(environment / _PYTHON) if environment and not _unfit(environment) else ""


def unused_words(environ: Mapping[str, str]) -> str:
    """Say why the tests do not run with the environment that the user's shell is in; empty where they do, or could."""
    environment = _active_environment(environ)
    if environment is None or not (why := _unfit(environment)):
        return ""
    return f"{one_line(str(environment))} (VIRTUAL_ENV) is not used: {why}"


def _active_environment(environ: Mapping[str, str]) -> Path | None:
    """Return the environment of the user's shell; None for none, and for selfheal's own."""
    named = environ.get("VIRTUAL_ENV", "")
    is_own = os.path.realpath(named) == os.path.realpath(sys.prefix)
    return Path(named) if named and not is_own else None


def _unfit(environment: Path) -> str:
    """Say why no tests can be run with an environment; empty where they can."""
    if not environment.is_absolute():
        return "it is no full path"
    if not _is_environment(environment):
        return "there is no virtual environment"
    return "" if holds_package(environment, "pytest") else "it has no pytest"


def other_python_words(began: str, now: str) -> str:
    """Say that the tests run with another interpreter than at first; both are paths, empty for selfheal's own."""
    if not began or os.path.abspath(now or sys.executable) == began:
        return ""
    gone = "" if os.path.exists(began) else ", which is not there any more"
    return (
        f"this session began with {one_line(began)}{gone}; its tests run with {one_line(now or sys.executable)} now "
        "(--python names another one)"
    )


class ProjectEnvironment(NamedTuple):
    """An environment that was made for a project."""

    path: Path
    words: str
    """Whose it is: `.venv of this project`, `poetry's environment of this project`."""


def project_environment(folder: Path, environ: Mapping[str, str]) -> ProjectEnvironment | None:
    """Return the environment that a project's folder holds, as `.venv`, or that a tool keeps for it elsewhere.

    None for none, and for selfheal's own.
    """
    made = [(f"{tool}'s environment", path) for tool, path in tool_environments(folder, environ)]
    if not environ.get("UV_PROJECT_ENVIRONMENT"):
        made = [*((name, folder / name) for name in _NAMES), *made]
    for name, path in made:
        if _is_environment(path) and os.path.realpath(path) != os.path.realpath(sys.prefix):
            return ProjectEnvironment(path, f"{name} of this project")
    return None


def python_words(environment: Path, folder: Path) -> str:
    """Return the interpreter as one names it from `folder`."""
    python = environment / _PYTHON
    return str(python.relative_to(folder) if python.is_relative_to(folder) else python)


def holds_package(environment: Path, name: str) -> bool:
    """Tell whether a package or module is installed in an environment; `name` is what is imported, or is installed."""
    folders = [*environment.glob("lib/python3*/site-packages"), environment / "Lib" / "site-packages"]
    stem = re.sub(r"[-_.]+", "_", name).lower()
    return any(
        (folder / name).is_dir()
        or (folder / f"{name}.py").is_file()
        or any(re.sub(r"[-_.]+", "_", info.name.partition("-")[0]).lower() == stem for info in folder.glob("*-info"))
        for folder in folders
    )


def _is_environment(folder: Path) -> bool:
    try:
        return (folder / "pyvenv.cfg").is_file() and os.access(folder / _PYTHON, os.X_OK)
    except (OSError, ValueError):
        return False
