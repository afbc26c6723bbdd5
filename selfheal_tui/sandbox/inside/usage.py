"""What a run holds of the machine, seen from the server: memory of its processes, disk of its folder."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from .confine import DISK_BYTES, INODES


def memory_of_trees(roots: Collection[int]) -> dict[int, int]:
    """Return root pid -> bytes held by it and all its descendants.

    Anonymous memory adds up; of shared memory, which each process that maps it counts whole, the largest counts.
    """
    parents: dict[int, int] = {}
    held: dict[int, tuple[int, int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (facts := _facts(name)) is not None:
            parents[int(name)], *memory = facts
            held[int(name)] = (memory[0], memory[1])
    anonymous = dict.fromkeys(roots, 0)
    shared = dict.fromkeys(roots, 0)
    for pid, (own, common) in held.items():
        root: int | None = pid
        while root is not None and root not in anonymous:
            root = parents.get(root)
        if root is not None:
            anonymous[root] += own
            shared[root] = max(shared[root], common)
    return {root: anonymous[root] + shared[root] for root in roots}


def _facts(pid: str) -> tuple[int, int, int] | None:
    """Return parent, anonymous bytes and shared-memory bytes; None for a process that has gone."""
    wanted = {"PPid": 0, "RssAnon": 0, "RssShmem": 0}
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                name, _, value = line.partition(b":")
                key = name.decode("ascii", "replace")
                if key in wanted:
                    wanted[key] = int(value.split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return wanted["PPid"], wanted["RssAnon"] * 1024, wanted["RssShmem"] * 1024


def is_too_large(folder: Path) -> bool:
    """Tell whether a run's folder holds more bytes or more files than a run may have."""
    files = size = 0
    folders = [str(folder)]
    while folders and files <= INODES and size <= DISK_BYTES:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    files += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if files > INODES:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # it is being changed while we look
    return files > INODES or size > DISK_BYTES


def remove_tree(folder: Path) -> None:
    """Remove a folder that hostile code wrote: links are not followed, closed folders are opened first."""

    def open_up(function: Callable[..., Any], path: str, _: object) -> None:
        try:
            os.chmod(os.path.dirname(path), stat.S_IRWXU, follow_symlinks=True)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, stat.S_IRWXU)
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        except OSError:
            pass

    shutil.rmtree(folder, onerror=open_up)
