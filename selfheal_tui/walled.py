"""Read files below a folder that is a wall: no link, device, pipe or socket leads a read out of it.

Every path is walked part by part from the folder's own descriptor. A link is read and followed by hand: one that stays
inside works, one that leaves is refused. The descriptor that was checked is read, never the name again.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePath

from selfheal_tui.errors import InputError

_MOST_LINKS = 40
"""As Linux allows on one path (path_resolution(7))."""
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)


_REPORTS = frozenset(
    ("", ".md", ".markdown", ".txt", ".html", ".htm", ".json", ".jsonl", ".sarif", ".patch", ".diff", ".selfheal")
)
"""Ends of names that a report may have."""


class LeavesFolder(OSError):
    """A path leads out of the folder, by `..` or through a link."""


class NoRegularFile(OSError):
    """A path leads to a device, a pipe, a socket, or to a folder where a file is wanted."""


def read_below(wall: Path, path: Path, most_bytes: int) -> bytes:
    """Return the content of a regular file below `wall`, or its first `most_bytes` + 1 bytes.

    `path` is `wall` followed by more, or relative to it.
    Raises: LeavesFolder, NoRegularFile, OSError where it is not there or cannot be read.
    """
    with _opened_below(wall, path) as descriptor:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NoRegularFile(0, "no regular file", str(path))
        with closing(os.fdopen(descriptor, "rb", closefd=False)) as file:
            return file.read(most_bytes + 1)


def check_below(wall: Path, path: Path) -> None:
    """Check that a path leads to a regular file or folder below `wall`, links followed. Raises: as `read_below`."""
    with _opened_below(wall, path):
        pass


def named_output(path: Path) -> Path:
    """Return the path to write a named file or folder to; a relative one may not leave the current folder by a link.

    Raises: InputError.
    """
    if path.is_absolute() or ".." in path.parts:
        return path
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(".")):
        raise InputError(
            f"{path} is a link that leads out of this folder: nothing was written.", f"If you mean {real}, name that."
        )
    return real


def named_report(path: Path) -> Path:
    """Return the path to write a report to, as `named_output`; one that is there is replaced if it may be a report.

    A program that is named by accident stays. Raises: InputError.
    """
    if path.suffix.lower() not in _REPORTS and path.is_file():
        raise InputError(
            f"{path} is there already and its name is none of a report: nothing was written.",
            "Give another name, or remove it first.",
        )
    return named_output(path)


@contextmanager
def _opened_below(wall: Path, path: Path) -> Iterator[int]:
    """Yield the descriptor of a regular file or folder. Raises: as `read_below`."""
    parts = deque((path.relative_to(wall) if path.is_absolute() else PurePath(path)).parts)
    # From the wall to where we are; the last one is what was asked for.
    way = [os.open(wall, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
    try:
        links = 0
        while parts:
            part = parts.popleft()
            if part == ".":
                continue
            if part == "..":
                os.close(way.pop())
                if not way:
                    raise LeavesFolder(0, "leads out of its folder", str(path))
                continue
            mode = os.stat(part, dir_fd=way[-1], follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                links += 1
                if links > _MOST_LINKS:
                    raise LeavesFolder(0, "is a chain of links without end", str(path))
                target = PurePath(os.readlink(part, dir_fd=way[-1]))
                if target.is_absolute():
                    target = _inside(wall, target, path)
                    while len(way) > 1:
                        os.close(way.pop())
                parts.extendleft(reversed(target.parts))
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise NoRegularFile(0, "no regular file", str(path))
            way.append(os.open(part, _OPEN, dir_fd=way[-1]))
        if not _is_usual(way[-1]):
            raise NoRegularFile(0, "no regular file", str(path))
        yield way[-1]
    finally:
        for descriptor in way:
            os.close(descriptor)


def _inside(wall: Path, target: PurePath, path: Path) -> PurePath:
    """Return an absolute link's target relative to the wall. Raises: LeavesFolder."""
    for top in (wall, Path(os.path.realpath(wall))):
        if target.is_relative_to(top):
            return target.relative_to(top)
    raise LeavesFolder(0, "leads out of its folder", str(path))


def _is_usual(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
