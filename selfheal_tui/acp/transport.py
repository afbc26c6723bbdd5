"""Messages as lines of JSON over two byte streams; a line that is no message is answered, and nothing ends by it.

The SDK's own transport only logs such a line, and its connection breaks at one that is JSON and no object.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

LONGEST_BYTES = 50 * 1024 * 1024
"""Of one message."""
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
"""JSON-RPC 2.0, section 5.1."""


class Lines:
    """What the SDK calls a transport; `reader` has LONGEST_BYTES as its limit."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, message: Mapping[str, Any]) -> None:
        """Write a message; those of several senders keep the order in which they were sent."""
        # What pydantic says of a bad request may hold an exception, which JSON cannot.
        line = json.dumps(message, separators=(",", ":"), default=str)
        self._writer.write(line.encode("utf-8") + b"\n")
        await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message; None at the end."""
        while (line := await self._line()) is not None:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                await self._refuse(_PARSE_ERROR, f"A line is not JSON: {error}.")
                continue
            if why := _why_no_message(message):
                await self._refuse(_INVALID_REQUEST, f"A line is no message: {why}.")
                continue
            return dict(message)
        return None

    async def close(self) -> None:
        """Write nothing more."""
        self._writer.close()

    async def _line(self) -> bytes | None:
        is_too_long = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as end:
                return end.partial or None
            except asyncio.LimitOverrunError as overrun:
                await self._reader.readexactly(overrun.consumed)
                is_too_long = True
                continue
            if not is_too_long:
                return line
            await self._refuse(_INVALID_REQUEST, f"A message is longer than {LONGEST_BYTES // 1024**2} MB.")
            is_too_long = False

    async def _refuse(self, code: int, sentence: str) -> None:
        await self.send({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": sentence}})


def _why_no_message(message: Any) -> str:
    """Say why a value is no message of JSON-RPC; empty where it is one."""
    if not isinstance(message, dict):
        return "it is no object"
    if not isinstance(message.get("id"), str | int | None):
        return "its id is neither a text nor a number"
    if not isinstance(message.get("method", ""), str):
        return "its method is no text"
    if "method" not in message and "id" not in message:
        return "it has no method"
    return ""
