"""Which lines of the program run while a case does; lines that run on import are nobody's."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


class Coverage:
    """Lines of the program that run between start and stop."""

    def __init__(self, work: str, program: frozenset[str]) -> None:
        self._names = {work + name: name for name in program}
        self._hits: set[tuple[str, int]] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)
        if self._monitoring:
            self._monitoring.use_tool_id(self._monitoring.COVERAGE_ID, "selfheal")
            self._monitoring.register_callback(
                self._monitoring.COVERAGE_ID, self._monitoring.events.LINE, self._on_line
            )

    def start(self) -> None:
        """Forget what ran before and record."""
        self._hits.clear()
        if self._monitoring:
            self._monitoring.restart_events()
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, self._monitoring.events.LINE)
        else:
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)

    def stop(self) -> dict[str, list[int]]:
        """Return program path -> lines."""
        if self._monitoring:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
        else:
            sys.settrace(None)
            threading.settrace(None)
        lines: dict[str, list[int]] = {}
        for filename, line in sorted(self._hits):
            lines.setdefault(self._names[filename], []).append(line)
        return lines

    def _on_line(self, code: CodeType, line: int) -> Any:
        if code.co_filename in self._names:
            self._hits.add((code.co_filename, line))
        return self._monitoring.DISABLE

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        return self._on_step if frame.f_code.co_filename in self._names else None

    def _on_step(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        if event == "line":
            self._hits.add((frame.f_code.co_filename, frame.f_lineno))
        return self._on_step
