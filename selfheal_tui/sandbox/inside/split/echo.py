"""What the program says beside its results: text it prints and warnings it gives, taken along with every reply."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

from .wire import Malformed

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
        if not self.data:
            return ""
        said = self.data.decode("utf-8", "replace")
        self.data.clear()
        return said


class Echo:
    """The candidate's ears; `install` once, `take` with every reply."""

    def __init__(self) -> None:
        self._out, self._err = _Kept(), _Kept()
        self._warned: list[object] = []

    def install(self) -> None:
        """Take over the streams and the showing of warnings; which are shown is the judge's business."""
        for name, kept in (("stdout", self._out), ("stderr", self._err)):
            stream = io.TextIOWrapper(kept, "utf-8", "backslashreplace", "\n", write_through=True)  # type: ignore[type-var]
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        warnings.resetwarnings()
        warnings.simplefilter("always")
        warnings.showwarning = self._show

    def take(self) -> dict[str, Any]:
        """Return fields of a frame, and forget: `out`, `err`, `cut`; those that are empty are left out."""
        said: dict[str, Any] = {"out": self._out.take(), "err": self._err.take(), "cut": self._out.cut or self._err.cut}
        self._out.cut = self._err.cut = False
        return {name: value for name, value in said.items() if value}

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


def repeat_printed(frame: dict[str, Any]) -> bool:
    """Print here what the program printed there; say whether some of it was lost. Raises: Malformed."""
    for name in ("out", "err"):
        said = frame.get(name, "")
        if type(said) is not str:
            raise Malformed("printed what is no text")
        stream = getattr(sys, f"std{name}")
        if said and stream is not None:
            stream.write(said)
    return frame.get("cut") is True


def repeat_warnings(warned: Sequence[object]) -> None:
    """Give the program's warnings here, under the filters of the test.

    Raises: Malformed, and the warning itself where the test's filters say so.
    """
    if len(warned) % 3:
        raise Malformed("a warning that is none")
    for category, said, line in zip(warned[::3], warned[1::3], warned[2::3], strict=True):
        if not (
            isinstance(category, type) and issubclass(category, Warning) and type(said) is str and type(line) is int
        ):
            raise Malformed("a warning that is none")
        warnings.warn_explicit(said, category, "<program>", line)
