"""Files that come along with a program and are not searched, and which of them its tests import."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from .local_imports import files_imported_by
from .source_files import is_test_name
from .task import Task
from .walls import TEST_FOLDERS, import_base, walls_around


def support_paths(files: Iterable[str], own: Collection[str]) -> tuple[str, ...]:
    """Return the Python files among these that are not `own` and do not belong to tests."""
    return tuple(path for path in files if path not in own and _is_plain(PurePosixPath(path)))


def _is_plain(path: PurePosixPath) -> bool:
    of_tests = path.name == "conftest.py" or is_test_name(Path(path)) or any(p in TEST_FOLDERS for p in path.parts)
    return path.suffix == ".py" and not of_tests


def imported_by_tests(task: Task) -> tuple[str, ...]:
    """Return the files beside the program that the tests of a task import directly; none for a task from no folder."""
    tests = dict.fromkeys(test.partition("::")[0] for test in task.tests)
    support = support_paths(task.files, {*task.program, *tests})
    if task.root is None or not support:
        return ()
    root = Path(task.root)
    program = [root / path for path in task.program]
    walls = walls_around(program)
    imported: set[Path] = set()
    for test in tests:
        for base in {import_base(path) for path in program} if test in task.files else ():
            imported |= files_imported_by(root / test, base, walls)
    return tuple(path for path in support if root / path in imported)
