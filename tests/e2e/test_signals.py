"""The system ends, stops and wakes the app and headless runs: the terminal is given back, and nothing is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.e2e.terminal import PATIENCE_S, ROOT, Terminal, open_terminal
from tests.processes import descendants

IN, OUT, MOUSE_OFF = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?1000l"
"""Xterm's sequences: into the alternate screen, out of it, mouse reports off."""


def outcomes(home: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["sessions", "list", "--json", "--sessions", str(home)]) == 0
    return [row["outcome"] for row in json.loads(capsys.readouterr().out)]


def gone(pids: set[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def wait_until_gone(pids: set[int]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not gone(pids):
        assert time.monotonic() < end, pids


def was_given_back(terminal: Terminal) -> bool:
    after = terminal.painted.rpartition(IN)[2]
    return OUT in after and MOUSE_OFF in after and terminal.is_cooked()


@pytest.mark.terminal
def test_a_signal_that_ends_the_app_gives_the_terminal_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_terminal(["demo", "paging", "--sessions", str(tmp_path)]) as terminal:
        terminal.wait_for("is this the cause")
        below = descendants(terminal.process.pid)
        os.kill(terminal.process.pid, signal.SIGTERM)
        # The system continues what it ends, and with a closed terminal does so twice.
        terminal.wait(lambda: terminal.process.poll() is not None or os.kill(terminal.process.pid, signal.SIGCONT))
        assert terminal.end() == 143, terminal.painted[-2000:]
        assert was_given_back(terminal)
        assert "Traceback" not in terminal.painted
        assert re.search(r"go on with:\s+selfheal resume", terminal.painted), "a long command has a line of its own"
    wait_until_gone(below)
    assert outcomes(tmp_path, capsys) == ["waiting"]


@pytest.mark.terminal
def test_a_terminal_that_is_closed_ends_the_app_and_keeps_the_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_terminal(["demo", "paging", "--sessions", str(tmp_path)]) as terminal:
        terminal.wait_for("is this the cause")
        below = descendants(terminal.process.pid)
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE_S) == 129
    wait_until_gone(below)
    assert outcomes(tmp_path, capsys) == ["waiting"]


@pytest.mark.terminal
def test_after_a_stop_that_nobody_announced_the_app_is_painted_again_and_q_works(tmp_path: Path) -> None:
    with open_terminal(["--sessions", str(tmp_path)]) as terminal:
        terminal.wait_for("No session")
        os.kill(terminal.process.pid, signal.SIGSTOP)
        stat = Path(f"/proc/{terminal.process.pid}/stat")
        terminal.wait(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
        terminal.painted = ""
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait(lambda: IN in terminal.painted and "No session" in terminal.painted.rpartition(IN)[2])
        terminal.press("q")
        assert terminal.end() == 0
        assert was_given_back(terminal)


@pytest.mark.parametrize("as_job", [False, True], ids=["alone", "as a script's job"])
def test_a_signal_ends_a_headless_run_as_ctrl_c_does(tmp_path: Path, as_job: bool) -> None:
    argv = ["demo", "paging", "--headless", "--autonomy", "full_auto", "--json", "--sessions", str(tmp_path)]
    command, pipe = [sys.executable, "-m", "selfheal_tui", *argv], subprocess.PIPE
    if as_job:  # as `command &` in a script: the terminal's Ctrl-C is not meant for it
        command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None and process.stdout is not None
        assert "running the tests" in process.stderr.readline()
        below = descendants(process.pid)
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        told = json.loads(process.stdout.read())
        assert process.wait(PATIENCE_S) == 143
    assert f"cancelled; go on with: {told['next']}" in rest and "Traceback" not in rest
    assert told["error"] == "cancelled" and told["next"].startswith(f"selfheal resume {told['session_id']}")
    wait_until_gone(below)
