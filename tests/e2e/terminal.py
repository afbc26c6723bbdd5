"""A real terminal of 80x24 with one command in it, its controlling terminal: keys, signals, and what was painted."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
SELFHEAL = (sys.executable, "-m", "selfheal_tui")


class Terminal:
    """What the user has before them."""

    def __init__(self, ours: int, inner: int, process: subprocess.Popen[bytes]) -> None:
        self._ours, self._inner = ours, inner
        self.process = process
        self.painted = ""

    def read(self, quiet_s: float = 0.05) -> bool:
        """Take in what was painted since; False when nothing was."""
        if not select.select([self._ours], [], [], quiet_s)[0]:
            return False
        try:
            self.painted += os.read(self._ours, 65536).decode(errors="replace")
        except OSError:  # Linux reports the closed terminal so
            return False
        return True

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def wait(self, holds: Callable[[], object]) -> None:
        """Read until something holds."""
        end = time.monotonic() + PATIENCE_S
        while not holds():
            self.read()
            assert time.monotonic() < end, self.painted[-3000:]

    def wait_for(self, text: str) -> None:
        """Read until a text was painted."""
        self.wait(lambda: text in self.painted)

    def end(self) -> int:
        """Read until the command has ended; return its exit code."""
        self.wait(lambda: self.process.poll() is not None)
        while self.read():
            pass
        return self.process.returncode

    def is_cooked(self) -> bool:
        """Tell whether keys are echoed and lines are read whole, as a shell expects it."""
        flags = termios.tcgetattr(self._inner)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    def hang_up(self) -> None:
        """Close the terminal, as a window is closed."""
        os.close(self._inner)
        os.close(self._ours)
        self._ours = self._inner = -1


@contextmanager
def open_terminal(argv: list[str], folder: Path = ROOT, command: tuple[str, ...] = SELFHEAL) -> Iterator[Terminal]:
    """Run selfheal, or another command, in a new terminal; afterwards it is killed if it still runs."""
    ours, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    for name in ("COLUMNS", "LINES"):
        environ.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-c", _OWN_TERMINAL, *command, *argv],
        stdin=inner, stdout=inner, stderr=inner, start_new_session=True, cwd=folder, env=environ,
    )  # fmt: skip
    terminal = Terminal(ours, inner, process)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        if terminal._ours >= 0:
            terminal.hang_up()


_OWN_TERMINAL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGHUP, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the controlling one of its own session, as a shell does, and becomes the command.

A run of the tests under nohup would hand SIGHUP on as ignored."""
