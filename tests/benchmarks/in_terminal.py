"""A command in a terminal of its own, 140x45, for measuring what it paints."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from pathlib import Path

ROOT = Path(__file__).parents[2]


def start_in_terminal(command: list[str]) -> tuple[int, int]:
    """Start the command; return its process id and our end of its terminal, to be closed by the caller."""
    terminal, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 140, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    pid = os.posix_spawn(
        command[0],
        command,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, inner, fd) for fd in (0, 1, 2)],
        setsid=True,
    )
    os.close(inner)
    return pid, terminal
