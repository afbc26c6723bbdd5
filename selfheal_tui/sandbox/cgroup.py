"""A control group around the fork server and all its runs, where the system lets us make one (cgroup v2, delegated).

A backstop: one run's memory is watched by the server (`inside/usage.py`); this bounds all of them together, and
between two looks. Needs what systemd gives a user session: a parent group we may write, with `memory` switched on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_PROCESSES = 4096
_numbers = iter(range(1 << 62))


def open_group(memory_bytes: int, root: Path = ROOT, own: Path = Path("/proc/self/cgroup")) -> tuple[Path | None, str]:
    """Make a group with this much memory for all its processes; return it, or None and why there is none."""
    try:
        line = next((text for text in own.read_text().splitlines() if text.startswith("0::")), "")
        if not line or not (root / "cgroup.controllers").exists():
            return None, "cgroup v2 is not in use"
        parent = (root / line.removeprefix("0::").strip("/")).parent
        if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
            return None, "the memory controller is not delegated to this session"
        group = parent / f"selfheal-{os.getpid()}-{next(_numbers)}"
        group.mkdir()
    except OSError as error:
        return None, f"not delegated to this session ({error.strerror})"
    try:
        (group / "memory.max").write_text(str(memory_bytes))
        for name, value in (("memory.swap.max", "0"), ("pids.max", str(_PROCESSES))):
            with suppress(OSError):
                (group / name).write_text(value)
    except OSError as error:
        close_group(group)
        return None, f"its limit cannot be set ({error.strerror})"
    return group, ""


def join_group(group: Path, pid: int) -> str:
    """Move a process into the group before it starts others; return why that failed, empty when it did not."""
    try:
        (group / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        return f"the server cannot be moved into it ({error.strerror})"
    return ""


def close_group(group: Path) -> None:
    """Remove an empty group."""
    with suppress(OSError):
        group.rmdir()
