"""From a red run to the app, in a real terminal: `pytest --heal`, a piped run, `selfheal watch`."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import ROOT, SELFHEAL, open_terminal

WRONG = "def last(items):\n    return items[len(items)]\n"
RIGHT = "def last(items):\n    return items[-1]\n"
TEST = "from prog import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n\n\ndef test_none():\n    assert 1\n"
PYTEST = (sys.executable, "-m", "pytest", "-p", "selfheal_tui.pytest_plugin")
QUESTION = "is this the cause"

pytestmark = pytest.mark.terminal


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "prog.py").write_text(WRONG)
    (folder / "test_prog.py").write_text(TEST)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return folder


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def sessions(folder: Path) -> list[str]:
    home = folder.parent / "sessions"
    return sorted(path.name for path in home.iterdir()) if home.exists() else []


def test_pytest_opens_the_app_on_what_failed_and_exits_as_ever(project: Path) -> None:
    with open_terminal(["--heal"], project, PYTEST) as terminal:
        terminal.wait_for(QUESTION)
        terminal.press("q")
        assert terminal.end() == 1
    assert terminal.painted.index("1 failed") < terminal.painted.index(QUESTION)


def test_without_a_terminal_pytest_names_the_command(project: Path) -> None:
    ran = run(project, *PYTEST, "--heal")
    assert ran.returncode == 1 and sessions(project) == []
    assert ran.stderr.strip().endswith("selfheal fix test_prog.py::test_last")


@pytest.mark.parametrize("how", [[], ["-p", "xdist", "-n", "2"]])
def test_pytest_writes_one_session_and_prints_what_opens_it(how: list[str], project: Path) -> None:
    ran = run(project, *PYTEST, *how, "--heal=session")
    assert ran.returncode == 1
    (session_id,) = sessions(project)
    assert ran.stdout.splitlines()[-1] == f"open     selfheal resume {session_id}"


def test_a_green_run_of_pytest_and_one_without_the_flag_do_nothing(project: Path) -> None:
    assert "selfheal" not in run(project, *PYTEST).stderr
    (project / "prog.py").write_text(RIGHT)
    ran = run(project, *PYTEST, "--heal=session")
    assert ran.returncode == 0 and "selfheal" not in ran.stdout + ran.stderr and sessions(project) == []


def test_a_run_of_pytest_that_was_interrupted_is_left_alone(project: Path) -> None:
    (project / "test_prog.py").write_text(TEST.replace("assert 1", "raise KeyboardInterrupt"))
    ran = run(project, *PYTEST, "--heal=session")
    assert ran.returncode == 2 and "1 failed" in ran.stdout and sessions(project) == []


def test_a_file_that_pytest_cannot_collect_is_healed_too(project: Path) -> None:
    (project / "prog.py").write_text("def first(items):\n    return items[0]\n")
    ran = run(project, *PYTEST, "--heal=session")
    assert ran.returncode == 2 and len(sessions(project)) == 1, ran.stderr


def test_files_that_only_the_users_pytest_cannot_collect_are_told(project: Path) -> None:
    (project / "tests").mkdir()
    (project / "test_prog.py").rename(project / "tests/test_prog.py")
    (project / "prog.py").write_text(RIGHT)
    ran = run(project, str(Path(sys.executable).with_name("pytest")), *PYTEST[3:], "--heal=session")
    assert ran.returncode == 2 and sessions(project) == []
    words = "Your pytest could not collect 1 test file that can be collected here (tests/test_prog.py)"
    assert ran.stdout.splitlines()[-1].startswith(
        f"Nothing to heal: The failing cases of your pytest run pass here. {words}"
    )


def test_after_a_piped_run_the_keys_come_from_the_terminal(project: Path) -> None:
    piped = f"{shlex.join(PYTEST)} 2>&1 | {shlex.join(SELFHEAL)} fix -"
    with open_terminal([piped], project, ("/bin/sh", "-c")) as terminal:
        terminal.wait_for(QUESTION)
        terminal.press("q")
        assert terminal.end() == 0
    assert "FAILED test_prog.py::test_last" in terminal.painted


def test_watch_waits_for_red_heals_it_and_goes_on(project: Path) -> None:
    (project / "prog.py").write_text(RIGHT)
    with open_terminal(["watch"], project) as terminal:
        terminal.wait_for("2 passed")
        terminal.press("h")  # nothing to heal
        (project / "prog.py").write_text(WRONG)
        terminal.wait_for("h heal   q quit")
        assert QUESTION not in terminal.painted
        terminal.press("h")
        terminal.wait_for(QUESTION)
        terminal.press("q")
        terminal.wait_for("watching again")
        (project / "prog.py").write_text(RIGHT)
        seen = len(terminal.painted)
        terminal.wait(lambda: "2 passed" in terminal.painted[seen:])
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.is_cooked()


def test_watch_without_a_terminal_prints_lines_and_ends_with_130(project: Path) -> None:
    (project / "other.py").write_text("x = 1\n")
    command = [*SELFHEAL, "watch"]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    (project / "prog.py").unlink()
    while "No module named 'prog'" not in (gone := process.stdout.readline()):
        assert gone, "it has ended"
    process.send_signal(signal.SIGINT)
    out, err = process.stdout.read(), process.communicate(timeout=60)[1]
    assert "--python" not in out, "it is the project's own and no package"
    assert "1 passed, 1 failed" in lines[0] and "test_prog.py::test_last" in lines[1]
    assert process.returncode == 130 and "q quit" not in out + err


def test_watch_needs_a_suite(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(RIGHT)
    for words, sentence in (([], "No tests were found"), (["prog.py"], "is no folder"), (["gone"], "does not exist")):
        ran = run(tmp_path, *SELFHEAL, "watch", *words)
        assert ran.returncode == 2 and sentence in ran.stderr
