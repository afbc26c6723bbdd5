"""The little of HTTP/1.1 that a fake server needs, with the means to break it."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

_ABORT = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    def json(self) -> Any:
        """Return the body as JSON; an empty object when there is none."""
        return json.loads(self.raw) if self.raw else {}


class Gone(Exception):
    """The client closed the connection, or we did."""


class Connection:
    """One client connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def next_request(self) -> HttpRequest | None:
        """Read the next request; None when the client has closed the connection."""
        try:
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        method, path, _ = head[0].split(" ", 2)
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        raw = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return HttpRequest(method, path.partition("?")[0], headers, raw)

    async def respond(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        """Send a whole response."""
        await self._head(status, {**headers, "Content-Type": content_type, "Content-Length": str(len(body))})
        await self._write(body)

    async def begin(self, content_type: str, *, chunked: bool) -> None:
        """Begin a stream; without chunks, its end is the end of the connection."""
        how = {"Transfer-Encoding": "chunked"} if chunked else {"Connection": "close"}
        await self._head(200, {"Content-Type": content_type, **how})

    async def send(self, data: bytes, *, chunked: bool) -> None:
        """Send a part of a stream. Raises: Gone."""
        if self._reader.at_eof():
            raise Gone
        await self._write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)

    async def finish(self, *, chunked: bool) -> None:
        """End a stream."""
        if chunked:
            await self._write(b"0\r\n\r\n")

    async def wait_for_client(self) -> None:
        """Send nothing until the client goes. Raises: Gone."""
        while await self._reader.read(1024):
            pass
        raise Gone

    async def reset(self) -> None:
        """Break the connection off, as a crash would. Raises: Gone."""
        # What the client has not read by now would be lost to it as well.
        await asyncio.sleep(0.05)
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        self._writer.transport.abort()
        raise Gone

    async def close(self) -> None:
        """Close the connection properly."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except (ConnectionError, BrokenPipeError):
            pass

    async def _head(self, status: int, headers: Mapping[str, str]) -> None:
        phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else "Fault"
        lines = [f"HTTP/1.1 {status} {phrase}", f"Date: {formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self._write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def _write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError as error:
            raise Gone from error
