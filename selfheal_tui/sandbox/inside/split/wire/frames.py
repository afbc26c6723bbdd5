"""Frames between the two processes: a big-endian 32-bit length, then that many bytes of ASCII JSON, one object.

An alarm may interrupt either process anywhere in here; what was read or written before is never lost by that.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from typing import Any, NoReturn

MESSAGE_BYTES = 8 << 20
"""No frame is longer."""
_READ_BYTES = 1 << 16
_WRITE_BYTES = 1 << 12
"""What a socket that is ready takes without making us wait."""
_DIGITS = 20
"""Longer integers travel as text: see `codec.py`."""
_HEADER = struct.Struct("!I")


class WireClosed(Exception):
    """The other process has ended or has closed its end."""


class Malformed(ValueError):
    """The other side sent what no honest side sends."""


class TooLarge(ValueError):
    """A frame of ours would be longer than `MESSAGE_BYTES`; none of it was sent."""


class Wire:
    """One end of the socket; `fd` stays the caller's."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._read_chunks: list[bytes] = []
        self._outgoing: tuple[bytes, list[int]] | None = None

    def send(self, frame: dict[str, Any], patience_s: float | None = None) -> None:
        """Send one frame, after the rest of one whose sending was interrupted; `patience_s` None waits for ever.

        Raises: TooLarge, WireClosed, TimeoutError.
        """
        body = _ENCODER.encode(frame).encode("ascii")
        if len(body) > MESSAGE_BYTES:
            raise TooLarge(f"a message of {len(body)} bytes")
        deadline = None if patience_s is None else time.monotonic() + patience_s
        self._flush(deadline)
        self._outgoing = (_HEADER.pack(len(body)) + body, [])
        self._flush(deadline)

    def receive(self, patience_s: float | None = None) -> dict[str, Any]:
        """Return the next frame; `patience_s` None waits for ever.

        Raises: Malformed, WireClosed, TimeoutError.
        """
        deadline = None if patience_s is None else time.monotonic() + patience_s
        while (body := self._take()) is None:
            if deadline is not None:
                self._wait(select.POLLIN, deadline)
            self._read()
        try:
            frame = _DECODER.decode(body.decode("ascii"))
        except (ValueError, RecursionError, MemoryError) as error:
            raise Malformed(f"a message that cannot be read: {type(error).__name__}") from None
        if type(frame) is not dict:
            raise Malformed("a message that is no object")
        return frame

    def _wait(self, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(self.fd, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError

    def _flush(self, deadline: float | None) -> None:
        while self._outgoing is not None:
            data, written = self._outgoing
            done = sum(written)
            if done == len(data):
                self._outgoing = None
                return
            rest = memoryview(data)[done:]
            if deadline is not None:
                self._wait(select.POLLOUT, deadline)
                rest = rest[:_WRITE_BYTES]
            try:
                # One call from the interpreter's view, as in _read: the count is kept even if an alarm raises here.
                written.extend(map(os.write, (self.fd,), (rest,)))
            except (BrokenPipeError, ConnectionError):
                raise WireClosed("the other process has ended") from None

    def _read(self) -> None:
        try:
            self._read_chunks.extend(map(os.read, (self.fd,), (_READ_BYTES,)))
        except ConnectionError:
            raise WireClosed("the other process has ended") from None
        if not self._read_chunks[-1]:
            raise WireClosed("the other process has ended")

    def _take(self) -> bytes | None:
        """Return the body of a whole frame and forget it; None when more has to be read."""
        chunks = self._read_chunks
        size = sum(map(len, chunks))
        if size < _HEADER.size:
            return None
        if len(chunks[0]) < _HEADER.size:
            chunks[:] = [b"".join(chunks)]
        (length,) = _HEADER.unpack_from(chunks[0])
        if length > MESSAGE_BYTES:
            raise Malformed(f"a message of {length} bytes")
        if size < _HEADER.size + length:
            return None
        whole = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        end = _HEADER.size + length
        chunks[:] = [whole[end:]] if len(whole) > end else []
        return whole[_HEADER.size : end]


def _small_integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("a number of too many digits")
    return int(text)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_int=_small_integer, parse_constant=_no_constant)
