"""Why a file of the project is not in the copy that tests run in, found out from the file itself."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from selfheal_tui.git import ignored_paths
from selfheal_tui.text import one_line

from .source_files import MAX_DATA_BYTES, is_skipped
from .walls import MAX_FOUND_BYTES, repository_of, walls_around

_LATER = "it was not there when the files were copied"


def why_not_copied(path: str, files: Collection[str], root: Path) -> str:
    """Say why `path` below `root` is none of the `files` that were copied, in a few words; the path is there."""
    parts = PurePosixPath(path).parts
    above = [PurePosixPath(*parts[: at + 1]) for at in range(len(parts))]
    if any(part.startswith(".") for part in parts):
        return "it is hidden"
    if not Path(os.path.realpath(root / path)).is_relative_to(os.path.realpath(root)):
        return "it leads out of the folder"
    folders = above if (root / path).is_dir() else above[:-1]
    if skipped := next((folder for folder in folders if is_skipped(root / folder)), None):
        return f"{one_line(str(skipped), 120)}/ is left out, as generated and installed folders are"
    repository = repository_of(root)
    if repository and not {str(one) for one in above}.isdisjoint(ignored_paths(root, repository)):
        return "git ignores it"
    if all(copied.endswith(".py") for copied in files) and (why := _only_imported(root / path, root)):
        return why
    return _of_its_size(root / path)


def _only_imported(path: Path, root: Path) -> str:
    """Say that the folder was not copied; empty where that may have been, and the file was too large for it.

    Of a folder its texts and smallest data are copied, and there is none of them.
    """
    if path.is_file() and path.stat().st_size > MAX_DATA_BYTES:
        return ""
    folder = shlex.quote(one_line(os.path.relpath(root), 200))
    return f"only the program, its tests and what they import are; selfheal fix {folder} copies the whole folder"


def _of_its_size(path: Path) -> str:
    if path.is_dir():
        return "a folder without a file that is copied is not made"
    if not os.access(path, os.R_OK):
        return "it cannot be read"
    size_bytes = path.stat().st_size
    if size_bytes > MAX_DATA_BYTES:
        return f"it is over {MAX_DATA_BYTES // 1_000_000} MB"
    if size_bytes <= MAX_FOUND_BYTES and walls_around([path.parent]).text(path) is not None:
        return _LATER
    return f"it is data, and with the smaller ones that is over {MAX_DATA_BYTES // 1_000_000} MB"
