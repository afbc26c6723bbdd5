"""Our side of the sandbox's processes: the fork server, and one attempt of a run inside it.

The server gets an empty environment and no descriptor but the control socket. An attempt hands it four pipes and
reads them without ever waiting for their end: the end of an attempt is what the server says.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from .cgroup import close_group
from .protocol import Frame, FrameReader, OutputLog, ProtocolFault

_REQUEST = struct.Struct("!cIdQ")
"""As `inside/server.py` reads it."""
_GRACE_S = 2.0
_FLOOD_BYTES = 8 << 20
_CHUNK = 1 << 16


class RunServer(Protocol):
    """Whatever takes runs: our fork server, a container command, a service."""

    @property
    def tier(self) -> str:
        """Name of the isolation."""
        ...

    @property
    def layers(self) -> Mapping[str, str]:
        """layer -> empty when in force, else why it is not."""
        ...

    @property
    def not_used(self) -> Mapping[str, str]:
        """Stronger tier -> why it does not work here."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it can still take a run."""
        ...

    def submit(self, seconds: float, memory_bytes: int, fds: list[int]) -> int:
        """Start a run and return its number; `fds` (status, order, output, result) stay the caller's to close.

        Its end is told by JSON on the status descriptor: code and killed. Raises: OSError when it is not taken.
        """
        ...

    def kill_run(self, number: int) -> None:
        """End a run; without effect when it is over."""
        ...

    def kill(self) -> None:
        """End everything at once."""
        ...

    async def aclose(self) -> None:
        """End everything in order."""
        ...


class Server:
    """The fork server process; `base` is the folder it works in, where that is one of the host's."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        base: Path | None,
        tier: str,
        group: Path | None = None,
    ) -> None:
        """`group` is the control group it runs in."""
        self._process = process
        self._group = group
        self._control = control
        self._base = base
        self._numbers = 0
        self.tier = tier
        self.layers: Mapping[str, str] = {}
        """layer -> empty when in force, else why it is not."""
        self.not_used: Mapping[str, str] = {}
        """Stronger tier -> why it does not work here."""

    @property
    def alive(self) -> bool:
        """Whether it can still take a run."""
        return self._process.poll() is None

    def submit(self, seconds: float, memory_bytes: int, fds: list[int]) -> int:
        """Ask for a run and return its number; `fds` (status, order, output, result) stay ours to close.

        Raises: OSError when the server does not take it.
        """
        self._numbers += 1
        socket.send_fds(self._control, [_REQUEST.pack(b"r", self._numbers, seconds, memory_bytes)], fds)
        return self._numbers

    def kill_run(self, number: int) -> None:
        """Ask for the end of a run; without effect when it is over or the server is dead."""
        with contextlib.suppress(OSError):
            self._control.send(_REQUEST.pack(b"k", number, 0.0, 0))

    def kill(self) -> None:
        """End a server that no longer answers; its children die with it."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        if self._base is not None:
            shutil.rmtree(self._base, ignore_errors=True)
        if self._group is not None:
            close_group(self._group)

    async def aclose(self) -> None:
        """Let the server kill its runs and end; end it the hard way after a moment."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        waited_s = 0.0
        while self.alive and waited_s < _GRACE_S:
            await asyncio.sleep(0.005)
            waited_s += 0.005
        self.kill()


def _order_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("order", os.MFD_CLOEXEC), "w+b")
    return tempfile.TemporaryFile()


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How a child ended, as the server tells it."""

    code: int | None
    """Exit status, negative a signal's number; None when the server itself died."""
    killed: str
    """`deadline`, `memory`, `disk`, `asked`, or empty when it ended by itself."""
    fault: str
    """Why what it reported cannot be believed; empty when it can."""


class Attempt:
    """One child, from the order to its end."""

    def __init__(
        self, server: RunServer, job: Mapping[str, Any], seconds: float, output_bytes: int, peer: Sequence[int] = ()
    ) -> None:
        """`peer` is a further descriptor for the child. Raises: OSError when the server does not take it."""
        nonce = secrets.token_hex(8)
        self._server = server
        self._frames: deque[Frame] = deque()
        self._reader = FrameReader(nonce)
        self.output = OutputLog(nonce, output_bytes)
        self.flooded = False
        """The program printed so much that it was killed."""
        self.end: AttemptEnd | None = None
        self._fault = ""
        self._status = b""
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.deadline = self._loop.time() + seconds + _GRACE_S
        self._fds: dict[str, int] = {}
        theirs = []
        with _order_file() as order:
            try:
                for name in ("status", "output", "result"):
                    self._fds[name], write = os.pipe()
                    theirs.append(write)
                    os.set_blocking(self._fds[name], False)
                order.write(json.dumps({**job, "nonce": nonce}).encode("ascii"))
                order.seek(0)
                self._number = server.submit(
                    seconds, job["memory_bytes"], [theirs[0], order.fileno(), *theirs[1:], *peer]
                )
            except BaseException:
                self._close()
                raise
            finally:
                for fd in theirs:
                    os.close(fd)
        for name, read in (("output", self._on_output), ("result", self._on_result), ("status", self._on_status)):
            self._loop.add_reader(self._fds[name], read)

    async def frames(self, until: Any) -> AsyncGenerator[Frame, None]:
        """Yield frames until the child has ended; `until()` is the loop time at which to kill it, re-read each time."""
        while True:
            while self._frames:
                yield self._frames.popleft()
            if self.end is not None:
                return
            self._wake.clear()
            try:
                async with asyncio.timeout_at(min(until(), self.deadline)):
                    await self._wake.wait()
            except TimeoutError:
                if self._loop.time() >= self.deadline:
                    self._server.kill()
                    self._conclude({})
                else:
                    self.kill()
                    self.deadline = min(self.deadline, self._loop.time() + _GRACE_S)

    def kill(self) -> None:
        """Kill the child and everything it started."""
        self._server.kill_run(self._number)

    async def aclose(self) -> None:
        """Kill what still runs and wait until it is gone."""
        if self.end is None:
            self.kill()
            self.deadline = self._loop.time() + _GRACE_S
            async for _ in self.frames(lambda: self.deadline):
                pass
        self._close()

    def _close(self) -> None:
        for fd in self._fds.values():
            self._loop.remove_reader(fd)
            os.close(fd)
        self._fds.clear()

    def _read(self, name: str) -> bytes | None:
        """Return what is there, empty at the end, None when nothing is."""
        try:
            return os.read(self._fds[name], _CHUNK)
        except BlockingIOError:
            return None

    def _on_output(self) -> None:
        data = self._read("output")
        if data == b"":
            self._loop.remove_reader(self._fds["output"])
        elif data:
            self.output.feed(data)
            if self.output.total_bytes > _FLOOD_BYTES and not self.flooded:
                self.flooded = self.output.truncated = True
                self.kill()

    def _on_result(self) -> None:
        data = self._read("result")
        if data == b"":
            self._loop.remove_reader(self._fds["result"])
        elif data and not self._fault:
            self._drain_output()
            try:
                self._frames.extend(self._reader.feed(data))
            except ProtocolFault as fault:
                self._fault = str(fault)
                self.kill()
        self._wake.set()

    def _on_status(self) -> None:
        data = self._read("status")
        if data:
            self._status += data
        elif data == b"":
            self._loop.remove_reader(self._fds["status"])
            self._conclude(json.loads(self._status) if self._status else {})

    def _drain_output(self) -> None:
        for _ in range(_FLOOD_BYTES // _CHUNK):
            data = self._read("output")
            if not data:
                return
            self.output.feed(data)

    def _conclude(self, status: Mapping[str, Any]) -> None:
        """Take what is left in the pipes; whoever still holds their other end is not waited for."""
        self._drain_output()
        while not self._fault and (data := self._read("result")):
            try:
                self._frames.extend(self._reader.feed(data))
            except ProtocolFault as fault:
                self._fault = str(fault)
        self.end = AttemptEnd(status.get("code"), status.get("killed", ""), self._fault)
        self._wake.set()
