"""Modules of the user's that tests import and that were not named: they lie on disk above the test files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import and_list, one_line

_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_SOURCE_FOLDERS = ("", "src")
"""Where the modules of a project lie, from its top: what the sandbox has on its path of a project that is named."""


class OwnModule(NamedTuple):
    """A file or package of the user's that tests import."""

    name: str
    path: Path
    """Its file, or the folder of its package."""
    top: Path
    """The folder of the project that it belongs to."""
    test: Path
    """The first test file that waits for it."""


def own_modules(names: Collection[str], cases: Iterable[CaseResult], root: str | None) -> list[OwnModule]:
    """Return those of the modules that a case waits for and that lie above its file, in the order of the names.

    Looked through are the folders from which somebody would run the tests: up to the top of the project, else to
    `root`, the folder of the session.
    """
    if root is None:
        return []
    red = [case for case in cases if case["outcome"] not in ("passed", "skipped")]
    tests = dict.fromkeys(Path(root, case["id"].partition("::")[0]) for case in red)
    found = (_nearest(name, tests, Path(root)) for name in names)
    return [module for module in found if module is not None]


def own_words(modules: Collection[OwnModule], root: str | None) -> str:
    """Say which files of the user's the tests wait for, and how to name them."""
    names = and_list([f"`{one_line(one.name, 60)}`" for one in modules])
    paths = and_list([one_line(_from_here(one.path), 200) for one in modules])
    is_one = len(modules) == 1
    what = f"that is {paths}, which was" if is_one else f"those are {paths}, which were"
    it = "it" if is_one else "them"
    way = f"name {it} too" if named_beside(modules, root) else f"heal {it} alone, with the tests that need {it}"
    return f"The tests need {names}: {what} not named; {way}."


def named_beside(modules: Iterable[OwnModule], root: str | None) -> bool:
    """Tell whether the modules can be imported once they are named beside the program in `root`.

    A project that lies in that folder is not on the path there: it is healed for itself.
    """
    return root is not None and all(Path(root).is_relative_to(one.top) for one in modules)


def _nearest(name: str, tests: Iterable[Path], root: Path) -> OwnModule | None:
    if not name.isidentifier():
        return None
    for test in tests:
        for top in _tops(test, root):
            for below in _SOURCE_FOLDERS:
                for path in (top / below / f"{name}.py", top / below / name):
                    if path.is_file() or (path / "__init__.py").is_file():
                        return OwnModule(name, path, top, test)
    return None


def _tops(test: Path, root: Path) -> Iterator[Path]:
    """Yield the folders from a test file up to the top of its project, else to the root; packages are none of them."""
    project = next((top for top in test.parents if any((top / mark).exists() for mark in _PROJECT_MARKS)), root)
    for top in test.parents:
        if not (top / "__init__.py").is_file():
            yield top
        if top == project:
            return


def _from_here(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
