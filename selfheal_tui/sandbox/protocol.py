"""Reading what a child sends: frames from its result pipe and the output pipe. Nothing in them is believed here.

A frame is a big-endian 32-bit length and ASCII JSON; anything else is a `ProtocolFault`, never a crash.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from selfheal_tui.text import truncate_middle

Frame = dict[str, Any]

_FRAME_BYTES = 2 << 20
_RUN_BYTES = 64 << 20
_CASE_OUTPUT_BYTES = 16 * 1024
_NOTE_BYTES = 64


class ProtocolFault(Exception):
    """What came through the result pipe was not written by our plugin, or not whole."""


class FrameReader:
    """Cuts a byte stream into frames, checking nonce and sequence."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._buffer = bytearray()
        self._sequence = 0
        self._total = 0

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now.

        Raises: ProtocolFault.
        """
        self._buffer += data
        self._total += len(data)
        if self._total > _RUN_BYTES:
            raise ProtocolFault("the run reported too much")
        while len(self._buffer) >= 4:
            (size,) = struct.unpack_from("!I", self._buffer)
            if size > _FRAME_BYTES:
                raise ProtocolFault("a report is too large")
            if len(self._buffer) < 4 + size:
                return
            body = bytes(self._buffer[4 : 4 + size])
            del self._buffer[: 4 + size]
            yield self._decode(body)

    def _decode(self, body: bytes) -> Frame:
        try:
            frame = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ProtocolFault("a report is not JSON") from error
        if not isinstance(frame, dict) or frame.get("n") != self._nonce or frame.get("s") != self._sequence:
            raise ProtocolFault("a report has the wrong number")
        self._sequence += 1
        return frame


class OutputLog:
    """What the program prints, parted by the marks between cases; head and tail of each part are kept."""

    def __init__(self, nonce: str, room_bytes: int) -> None:
        self._mark = b"\0%s\0" % nonce.encode()
        self._room = room_bytes
        self._case_bytes = min(_CASE_OUTPUT_BYTES, max(0, room_bytes - _NOTE_BYTES))
        self._head = bytearray()
        self._tail = bytearray()
        self._carry = b""
        self._left_out = 0
        self.marks = 0
        """Marks seen: odd while a case runs."""
        self.total_bytes = 0
        self.truncated = False
        self._parts: dict[int, str] = {}

    def feed(self, data: bytes) -> None:
        """Take what was read from the pipe."""
        self.total_bytes += len(data)
        data = self._carry + data
        while (at := data.find(self._mark)) >= 0:
            self._keep(data[:at])
            self._close_part()
            data = data[at + len(self._mark) :]
        held = len(self._mark) - 1
        start = data.rfind(b"\0", max(0, len(data) - held))
        cut = start if start >= 0 and self._mark.startswith(data[start:]) else len(data)
        self._keep(data[:cut])
        self._carry = data[cut:]

    def part(self, case_number: int) -> str:
        """Return what the case printed, by its position in the run."""
        wanted = 2 * case_number + 1
        return self._text() if wanted == self.marks else self._parts.get(wanted, "")

    def outside(self) -> str:
        """Return what was printed outside of the cases: before the first, between them, after the last."""
        parts = [text for number, text in sorted(self._parts.items()) if number % 2 == 0]
        if self.marks % 2 == 0:
            parts.append(self._text())
        return truncate_middle("".join(parts), _CASE_OUTPUT_BYTES)

    def _keep(self, data: bytes) -> None:
        half = self._case_bytes // 2
        head = data[: max(0, half - len(self._head))]
        self._head += head
        self._tail += data[len(head) :]
        if (extra := len(self._tail) - half) > 0:
            del self._tail[:extra]
            self._left_out += extra
            self.truncated = True

    def _text(self) -> str:
        gap = f"\n... {self._left_out} bytes left out ...\n".encode() if self._left_out else b""
        return (self._head + gap + self._tail).decode("utf-8", "replace")

    def _close_part(self) -> None:
        text = self._text()
        if len(text) > self._room:
            self.truncated = True
            text = truncate_middle(text, self._room) if self._room > 2 * _NOTE_BYTES else ""
        self._room -= len(text)
        self._parts[self.marks] = text
        self.marks += 1
        self._head.clear()
        self._tail.clear()
        self._left_out = 0
