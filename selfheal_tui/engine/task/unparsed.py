"""Files that do not parse: which of them the tests import, as far as their text tells."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_or_none, parse_python, why_not
from selfheal_tui.sandbox.inside.roots import import_roots, module_names

from .task import Task


def unparsed_files(files: Mapping[str, str]) -> list[str]:
    """Return the Python files that do not parse."""
    return [path for path, text in files.items() if path.endswith(".py") and parse_or_none(text) is None]


def without_unparsed(task: Task) -> Task:
    """Return a task whose program parses: what does not, and no test imports, is no part of it.

    Raises: InputError where the tests import such a file, or nothing else is there.
    """
    broken = unparsed_files({path: task.files[path] for path in task.program})
    program = tuple(path for path in task.program if path not in broken)
    imported = imported_files(task) if broken else set()
    for path in broken:
        if path in imported or not program:
            raise InputError(
                f"{path} does not parse{_why_not(task.files[path])}.",
                "The search healer needs code that parses: mend it, or choose a model.",
            )
    return replace(task, program=program)


def _why_not(text: str) -> str:
    try:
        parse_python(text)
    except SyntaxError as error:
        return why_not(error)
    return ""


def imported_files(task: Task) -> set[str]:
    """Return the files that the tests of a task import, one through the other, with the packages around them."""
    roots = import_roots(task.files, task.tests, task.program, task.pytest_args)
    names = module_names(task.files, roots)
    tops = [test.partition("::")[0].rstrip("/") for test in task.tests]
    begun = [
        path
        for path in task.files
        if any(path == top or path.startswith(f"{top}/") for top in tops) or path.endswith("conftest.py")
    ]
    todo = [path for path in begun if not _is_ignored(path, task.pytest_args)]
    reached: set[str] = set()
    while todo:
        path = todo.pop()
        if path in reached or path not in task.files:
            continue
        reached.add(path)
        package = f"{PurePosixPath(path).parent}/__init__.py".removeprefix("./")
        todo += [package, *(names[name] for name in _imported(path, task.files[path]) if name in names)]
        todo += _beside(path, task.files[path])
    return reached


def _imported(path: str, text: str) -> Iterator[str]:
    """Yield the dotted names that a file may import, with the packages on the way."""
    tree = parse_or_none(text) if path.endswith(".py") else None
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Import(names=aliases):
                yield from (start for alias in aliases for start in _starts(alias.name))
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                yield from _starts(module)
                yield from (f"{module}.{alias.name}" for alias in aliases)


def _beside(path: str, text: str) -> Iterator[str]:
    """Yield the files that a file may import relative to its package."""
    tree = parse_or_none(text) if path.endswith(".py") else None
    for node in ast.walk(tree) if tree else ():
        if (
            isinstance(node, ast.ImportFrom)
            and node.level
            and len(parents := PurePosixPath(path).parents) >= node.level
        ):
            base = parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for place in (base, *(base / alias.name for alias in node.names)):
                yield from (f"{place}.py", f"{place}/__init__.py")


def _starts(name: str) -> Iterable[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _is_ignored(path: str, arguments: Iterable[str]) -> bool:
    """Tell whether `--ignore` of the command line leaves a test file out."""
    words = [*arguments]
    given = [after for word, after in itertools.pairwise(words) if word == "--ignore"]
    given += [word.partition("=")[2] for word in words if word.startswith("--ignore=")]
    tops = [one.rstrip("/").removeprefix("./") for one in given]
    return any(path == top or path.startswith(f"{top}/") for top in tops)
