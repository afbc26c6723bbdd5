"""How far reading goes from what the user named: where its project ends, and where a link may lead.

A plain file is read when it lies within the bounds of what was named. A link may lead about inside the folder that was
named, the project or the package that it lies in, and never out of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.python_encoding import as_data, decoded
from selfheal_tui.walled import LeavesFolder, check_below, read_below

from .unread import Unread, binary, denied, not_text, odd_name, too_large

TEST_FOLDERS = ("tests", "test")
MAX_FOUND_BYTES = 256 * 1024
"""A file that was found is left out above this; a named one may be larger."""
_SOURCE_FOLDERS = ("src", "lib")
"""Folders that programs lie in, with their tests beside the folder."""
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Walls:
    """The walls around what was named: absolute paths without links."""

    folders: tuple[Path, ...]
    """Folders that were named."""
    bounds: tuple[Path, ...]
    """Nothing outside of all of them is read, whatever imports it."""
    stopped: set[Path] = field(default_factory=set)
    """What lies out of bounds, and links that lead out, as far as they were met."""
    unread: dict[Path, Unread] = field(default_factory=dict)
    """Python files within the walls that were met and cannot be read, with absolute paths."""

    def text(self, path: Path) -> str | None:
        """Read a file that was found; None when it leads out, is large, binary or cannot be read.

        A Python file of the last three kinds is added to `unread`.
        """
        text = self._text_or_why(path)
        if not isinstance(text, Unread):
            return text
        if path.suffix == ".py":
            self.unread[path] = text
        return None

    def _text_or_why(self, path: Path) -> str | Unread | None:
        """Return a file's text, or why it cannot be read; None when it leads out."""
        try:
            content = self._content(path, MAX_FOUND_BYTES)
        except UnicodeError:
            return odd_name(str(path))
        except OSError as error:
            return denied(str(path), error)
        if content is None:
            return None
        if len(content) > MAX_FOUND_BYTES:
            return too_large(str(path), MAX_FOUND_BYTES)
        if b"\0" in content:
            return binary(str(path))
        try:
            return decoded(str(path), content)
        except UnicodeDecodeError as error:
            return not_text(str(path), content, error)

    def data(self, path: Path, most_bytes: int) -> str | None:
        """Read a file that was found and may be no text; None when it leads out, is larger or cannot be read."""
        try:
            content = self._content(path, most_bytes)
        except (OSError, UnicodeError):
            return None
        return as_data(content) if content is not None and len(content) <= most_bytes else None

    def _content(self, path: Path, most_bytes: int) -> bytes | None:
        """Return a file's first `most_bytes` + 1 bytes; None when it leads out. Raises: OSError, UnicodeError."""
        wall = self.of(path)
        if wall is None:
            self.stopped.add(path)
            return None
        try:
            content = read_below(wall, path, most_bytes)
        except LeavesFolder:
            self.stopped.add(path)
            return None
        str(path).encode()
        return content

    def of(self, path: Path) -> Path | None:
        """Return the folder that reading `path` may not leave; None when it lies out of bounds."""
        if not any(path.is_relative_to(bound) for bound in self.bounds):
            return None
        return _link_wall(path, self.folders)

    def hold(self, path: Path) -> bool:
        """Tell whether a path leads to a file or folder within its wall."""
        wall = self.of(path)
        if wall is None:
            return False
        try:
            check_below(wall, path)
        except LeavesFolder:
            self.stopped.add(path)
            return False
        except OSError:
            return False
        return True


def walls_around(named: Iterable[Path]) -> Walls:
    """Return the walls around named files and folders, as `named_path` returns them."""
    paths = tuple(named)
    bounds = dict.fromkeys(bound for path in paths for bound in _bounds(path))
    return Walls(tuple(path for path in paths if path.is_dir()), tuple(bounds))


def named_path(path: Path) -> Path:
    """Return the absolute path, free of links, of what the user named.

    A link may lead about in the folder one stands in, where the path is relative, else in its own folder; what lies
    beyond is for the user to name. Raises: InputError when it is not there or leads out through a link.
    """
    absolute = Path(os.path.abspath(path))
    try:
        exists = absolute.exists()
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if not exists:
        raise InputError(f"{path} does not exist.", "Check the path; it is taken from the current folder.")
    wall = absolute.parent if path.is_absolute() or ".." in path.parts else Path.cwd()
    target = Path(os.path.realpath(absolute))
    if not target.is_relative_to(os.path.realpath(wall)):
        raise InputError(
            f"{path} is a link that leads out of its folder: nothing was read.", f"If you mean {target}, name that."
        )
    return target


def import_base(path: Path) -> Path:
    """Return the folder from which the file is imported: the first above it that is no package."""
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def repository_of(folder: Path) -> Path | None:
    """Return the top of the git repository that a folder lies in; None for none. A home folder's does not count."""
    project = _project_of(folder)
    return project if project and os.path.lexists(project / ".git") else None


def _bounds(named: Path) -> list[Path]:
    """Return the folders to read from: a path's project; else its package, the current folder, test folders beside."""
    if project := _project_of(named):
        return [project]
    here, package = Path.cwd(), _top_package(named)
    base = import_base(named / "_" if named.is_dir() else named)
    if named.is_relative_to(here):
        # Above where one stands lies what is not the program's: but for its package, and the tests of a `src`.
        beside = [base.parent] if base == here and base.name in _SOURCE_FOLDERS else []
        return [package, here, *_test_folders(beside)]
    if base.name in TEST_FOLDERS:
        return [base.parent]
    return [package, *_test_folders([base, base.parent])]


def _test_folders(folders: Iterable[Path]) -> list[Path]:
    return [folder / name for folder in folders for name in TEST_FOLDERS]


def _top_package(path: Path) -> Path:
    """Return the outermost package that a file or folder lies in, else the folder itself."""
    folder = path if path.is_dir() else path.parent
    base = import_base(folder / "_")
    return base if folder == base else base / folder.relative_to(base).parts[0]


def _project_of(path: Path) -> Path | None:
    """Return the nearest folder, from the path on up, that looks like a project's, or its repository; None for none.

    A home folder is no project, whatever lies in it.
    """
    home = Path(os.path.realpath(Path.home()))
    folders = [folder for folder in (path, *path.parents) if not home.is_relative_to(folder)]
    marked = [folder for folder in folders if any(os.path.lexists(folder / mark) for mark in _PROJECT_MARKS)]
    return next((folder for folder in marked if os.path.lexists(folder / ".git")), marked[0] if marked else None)


def _link_wall(path: Path, folders: Iterable[Path]) -> Path:
    """Return the named folder around a path, else its project, else the top package or folder that it lies in."""
    around = [folder for folder in folders if path.is_relative_to(folder)]
    if around:
        return max(around, key=lambda folder: len(folder.parts))
    if project := _project_of(path.parent):
        return project
    return _top_package(path)
