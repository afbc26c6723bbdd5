"""What the program says beside its results: text it prints and warnings it gives, taken along with every reply."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Any, TextIO

PRINTED_BYTES = 64 << 10
"""Kept of each stream between two replies; the rest is dropped."""
_WARNINGS = 50


class _Kept(io.RawIOBase):
    """Takes what is written to a stream, up to its limit."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.cut = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        room = PRINTED_BYTES - len(self.data)
        self.data += bytes(memoryview(data)[: max(0, room)])
        self.cut = self.cut or len(data) > room
        return len(data)

    def take(self) -> str:
        text = self.data.decode("utf-8", "replace")
        self.data.clear()
        return text


class Echo:
    """The candidate's ears; `install` once, `take` with every reply."""

    def __init__(self) -> None:
        self._out, self._err = _Kept(), _Kept()
        self._warned: list[object] = []

    def install(self) -> None:
        """Take over the streams and the showing of warnings; which are shown is the judge's business."""
        for name, raw in (("stdout", self._out), ("stderr", self._err)):
            stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)  # type: ignore[type-var]
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        warnings.resetwarnings()
        warnings.simplefilter("always")
        warnings.showwarning = self._show

    def take(self) -> dict[str, Any]:
        """Return fields of a frame, and forget: `out`, `err`, `cut`; those that are empty are left out."""
        fields: dict[str, Any] = {
            "out": self._out.take(),
            "err": self._err.take(),
            "cut": self._out.cut or self._err.cut,
        }
        self._out.cut = self._err.cut = False
        return {name: value for name, value in fields.items() if value}

    def take_warnings(self) -> list[object]:
        """Return category, text, line, category, text, line ... and forget."""
        warned, self._warned = self._warned, []
        return warned

    def _show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if len(self._warned) < 3 * _WARNINGS:
            self._warned += [category, str(message), lineno]
