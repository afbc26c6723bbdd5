"""One app in a process of its own. It exchanges packets: a type byte, four bytes of size (big endian), the payload.

`D` holds what a terminal would read or write, `M` holds JSON; the app's first line says that it uses this protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence

DRIVER = "selfheal_tui.web.driver:ServedDriver"
_GREETING = b"__GANGLION__\n"
_PATIENCE_S = 10.0
"""How long an app may take to end before it is killed; everything it has saved stays."""


class Child:
    """A running app. `output` yields what it shows; `close` must always be called."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._input, self._output = process.stdin, process.stdout

    @classmethod
    async def start(cls, command: Sequence[str], width: int, height: int) -> Child:
        """Start the app for a terminal of this size in cells. Raises: OSError."""
        environment = {
            **os.environ,
            "TEXTUAL_DRIVER": DRIVER,
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }
        # A group of its own: Ctrl-C reaches only the server, which then ends its apps in order.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        return cls(process)

    async def output(self) -> AsyncIterator[bytes]:
        """Yield what the app writes to its terminal, until it ends; nothing when it could not start."""
        try:
            if await self._output.readline() != _GREETING:
                return
            while True:
                kind = await self._output.readexactly(1)
                payload = await self._output.readexactly(int.from_bytes(await self._output.readexactly(4), "big"))
                if kind == b"D":
                    yield payload
        except asyncio.IncompleteReadError:
            return

    async def type(self, text: str) -> None:
        """Pass typed text on."""
        await self._send(b"D", text.encode("utf-8", "replace"))

    async def tell(self, kind: str, **facts: int) -> None:
        """Send a `resize` (width, height), `focus`, `blur` or `quit`."""
        await self._send(b"M", json.dumps({"type": kind, **facts}).encode())

    async def close(self) -> None:
        """Ask the app to end and wait; if it does not, kill it with all that it has started."""
        await self.tell("quit")
        try:
            async with asyncio.timeout(_PATIENCE_S):
                # Keep reading: an app that writes into a full pipe never ends.
                while await self._output.read(65536):
                    pass
                await self._process.wait()
        except TimeoutError:
            os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        self._input.close()

    async def _send(self, kind: bytes, payload: bytes) -> None:
        try:
            self._input.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._input.drain()
        except (ConnectionError, RuntimeError):  # it has ended, and `output` ends too
            return
