"""From launch to healed in a real terminal: the command in a pty, and nothing but keys."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from selfheal_tui.cli import main

ROOT = Path(__file__).resolve().parents[2]
QUIET_S, PATIENCE_S = 1.0, 120.0
COPIED = "\x1b]52;c;"
"""How text is handed to a terminal's clipboard."""
STEPS = (("is this the cause", b"a"), ("approve repair", b"a"), ("Healed", b"y"), (COPIED, b"q"))
"""What the screen says, and the key that answers it."""


@pytest.mark.terminal
def test_a_demo_is_healed_by_keys_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen, code = play(["demo", "paging", "--sessions", str(tmp_path)], STEPS)
    assert code == 0, screen[-3000:]
    copied = base64.b64decode(screen.rpartition(COPIED)[2].partition("\a")[0]).decode()
    assert "-    first = page * size" in copied, "what the Diff tab shows"
    assert main(["sessions", "list", "--json", "--sessions", str(tmp_path)]) == 0
    assert [row["outcome"] for row in json.loads(capsys.readouterr().out)] == ["healed"]


def play(argv: list[str], steps: tuple[tuple[str, bytes], ...]) -> tuple[str, int]:
    """Run the command in a terminal of 80x24 and answer each text with its key; return all output and the exit code.

    A key is pressed once the screen is still, and again while nothing comes of it: one that came before its card could
    be read does not count.
    """
    terminal, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES"):
        environ.pop(name, None)
    seen, since, left = "", "", list(steps)
    with subprocess.Popen(
        [sys.executable, "-m", "selfheal_tui", *argv],
        stdin=inner, stdout=inner, stderr=inner, start_new_session=True, cwd=ROOT, env=environ,
    ) as process:  # fmt: skip
        os.close(inner)
        still_s = 0.0
        try:
            while still_s < PATIENCE_S:
                if select.select([terminal], [], [], QUIET_S)[0]:
                    text = os.read(terminal, 65536).decode(errors="replace")
                    seen, since, still_s = seen + text, since + text, 0.0
                    if len(left) > 1 and left[1][0] in since:
                        since = since[since.index(left[1][0]) :]
                        left.pop(0)
                else:
                    still_s += QUIET_S
                    if left[0][0] in since:
                        os.write(terminal, left[0][1])
            process.kill()
        except OSError:  # Linux reports the closed terminal so
            pass
    os.close(terminal)
    return seen, process.returncode
