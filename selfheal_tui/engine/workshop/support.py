"""The files of a project that came along for the program, and that no search edits."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ..moment.workspace import Workspace
from ..task.source_files import is_test_name
from ..task.walls import TEST_FOLDERS


def support_files(workspace: Workspace) -> tuple[str, ...]:
    """Return the Python files that came along for the program: not its own, and nothing that belongs to tests."""
    own = {*workspace.program, *workspace.test_files}
    return tuple(path for path in workspace.files if path not in own and _is_plain(PurePosixPath(path)))


def _is_plain(path: PurePosixPath) -> bool:
    of_tests = path.name == "conftest.py" or is_test_name(Path(path)) or any(p in TEST_FOLDERS for p in path.parts)
    return path.suffix == ".py" and not of_tests
