"""Which lines of the program run while a case does; lines that run on import are nobody's.

A line counts when its statement is reached, by any thread. `sys.monitoring` (3.12 on) also names the further lines
of a statement that spans several; probes (3.11) name its first line only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from posixpath import join, normpath
from types import CodeType
from typing import Any

from .probes import Probes

MONITORING: Any = getattr(sys, "monitoring", None)
"""PEP 669, Python 3.12 on; None before."""


class ProgramFiles(dict[str, str | None]):
    """co_filename -> program path, None for any other file; fills itself as it is asked.

    A filename may be relative to the work folder, or hold `..` when a test put such a path on sys.path.
    """

    def __init__(self, work: str, program: Iterable[str]) -> None:
        self._work = work
        self._program = frozenset(program)

    def __missing__(self, filename: str) -> str | None:
        whole = normpath(join(self._work, filename))
        name = whole.removeprefix(self._work)
        self[filename] = name if name != whole and name in self._program else None
        return self[filename]


class Coverage:
    """Lines of the program that run between start and stop; `work` ends with a slash.

    Make it before any file of the program is loaded.
    """

    def __init__(self, work: str, program: Iterable[str]) -> None:
        self._files = ProgramFiles(work, program)
        self._hits: set[tuple[str, int]] = set()
        self._tool: int | None = None
        self._probes = None if MONITORING else Probes(self._files)
        if self._probes:
            self._probes.install()

    def start(self) -> None:
        """Forget what ran before and record."""
        self._hits.clear()
        if self._probes:
            self._probes.take()
        else:
            self._tool = take_tool(MONITORING.COVERAGE_ID)
            if self._tool is not None:
                MONITORING.register_callback(self._tool, MONITORING.events.LINE, self._on_line)
                MONITORING.restart_events()
                MONITORING.set_events(self._tool, MONITORING.events.LINE)

    def stop(self) -> dict[str, list[int]]:
        """Return program path -> lines, ascending."""
        if self._probes:
            self._hits |= self._probes.take()
        else:
            leave_tool(self._tool)
            self._tool = None
        lines: dict[str, list[int]] = {}
        for path, line in sorted(self._hits):
            lines.setdefault(path, []).append(line)
        return lines

    def close(self) -> None:
        """Let files load without probes again; a process that ends anyway need not."""
        if self._probes:
            self._probes.remove()

    def _on_line(self, code: CodeType, line: int) -> Any:
        path = self._files[code.co_filename]
        if path is not None and line:  # an empty file has a line 0
            self._hits.add((path, line))
        return MONITORING.DISABLE


_TOOL = "selfheal"


def take_tool(preferred: int) -> int | None:
    """Return a tool id of `sys.monitoring` that is ours now; None when the program holds all six."""
    tool: int
    for tool in (preferred, *range(6)):
        if MONITORING.get_tool(tool) is None:
            MONITORING.use_tool_id(tool, _TOOL)
            return tool
    return None


def leave_tool(tool: int | None) -> None:
    """End what `take_tool` began; the program may have done so itself, or given the id to another."""
    if tool is not None and MONITORING.get_tool(tool) == _TOOL:
        MONITORING.set_events(tool, 0)
        for event in (MONITORING.events.LINE, MONITORING.events.RAISE):
            MONITORING.register_callback(tool, event, None)
        MONITORING.free_tool_id(tool)
