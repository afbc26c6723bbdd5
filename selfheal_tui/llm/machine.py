"""The memory of this machine, and whether a model fits into it, as far as files and the kernel tell."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.text import size_words

_NEED = 1.2
"""Memory of a loaded model per byte of its file: the weights, and a context of usual length."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory in bytes; None where it cannot be told."""

    total_bytes: int | None = None
    free_bytes: int | None = None
    """What programs can still take, caches of the kernel included."""


def read_memory(meminfo: Path = Path("/proc/meminfo")) -> Memory:
    """Return this machine's memory: from `/proc/meminfo`, elsewhere the total that the C library knows."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text("ascii").splitlines() if ":" in line)
        total_kb, free_kb = (int(lines[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
        return Memory(total_kb * 1024, free_kb * 1024)
    except (OSError, ValueError, KeyError):
        pass
    try:
        return Memory(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (OSError, ValueError):
        return Memory()


def fit(size_bytes: int, memory: Memory) -> tuple[bool | None, str]:
    """Return whether a model of this size fits, None where nobody can tell, and the same in a few words."""
    need_bytes = int(size_bytes * _NEED)
    if memory.total_bytes is None or not size_bytes:
        return None, ""
    if need_bytes > memory.total_bytes:
        return False, f"too large: needs about {size_words(need_bytes)} of {size_words(memory.total_bytes)}"
    if memory.free_bytes is not None and need_bytes > memory.free_bytes:
        return True, f"tight: needs about {size_words(need_bytes)}, {size_words(memory.free_bytes)} are free"
    return True, "fits"
