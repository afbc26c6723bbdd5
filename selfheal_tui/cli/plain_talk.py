"""Plain lines in and out: nothing is rewritten, and what was typed before a question was read does not answer it."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import threading
from collections.abc import Iterable
from contextlib import suppress

from selfheal_tui.text import strip_controls

from .folding import folded


class Talk:
    """One conversation on stdin and stdout."""

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._rest = b""
        self._ended = False

    def say(self, *lines: str) -> None:
        """Print lines; foreign text in them is made safe."""
        for line in lines:
            print(strip_controls(folded(line, sys.stdout)), flush=True)

    def say_code(self, lines: Iterable[str]) -> None:
        """Print lines that are made safe already, as they are."""
        for line in lines:
            print(line, flush=True)

    async def line(self, prompt: str) -> str | None:
        """Ask for a line; None where there are no more. What was typed ahead at a terminal is thrown away."""
        if self._ended:
            return None
        if os.isatty(self._input):
            with suppress(termios.error):
                termios.tcflush(self._input, termios.TCIFLUSH)
            self._rest = b""
        print(f"{prompt} ", end="", flush=True)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            line = self._read()
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(lambda: None if answered.done() else answered.set_result(line))

        # A thread that nobody waits for: Ctrl-C ends us although it still reads.
        threading.Thread(target=read, name="plain input", daemon=True).start()
        line = await answered
        if line is None:
            self._ended = True
            print(flush=True)
        elif not os.isatty(self._input):
            print(flush=True)
        return line

    def _read(self) -> str | None:
        """Read a line past Python's buffer, which a thread must not hold when the process ends."""
        while b"\n" not in self._rest:
            try:
                part = os.read(self._input, 4096)
            except OSError:
                part = b""
            if not part:
                last, self._rest = self._rest, b""
                return last.decode("utf-8", "replace").strip() if last.strip() else None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").strip()
