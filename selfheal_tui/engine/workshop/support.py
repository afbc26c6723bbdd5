"""The files of a project that came along for the program, and that no search edits."""

from __future__ import annotations

from ..moment.workspace import Workspace
from ..task.support import support_paths


def support_files(workspace: Workspace) -> tuple[str, ...]:
    """Return the Python files that came along for the program: not its own, and nothing that belongs to tests."""
    return support_paths(workspace.files, {*workspace.program, *workspace.test_files})
