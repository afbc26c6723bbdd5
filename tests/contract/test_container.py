"""The container sandbox, with a docker command of our own that maps its mounts onto folders: our side, not docker's."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import Limits, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.registry import open_sandbox

DOCKER = f"""#!{sys.executable}
import os, signal, subprocess, sys, tempfile
words = sys.argv[1:]
open(os.environ["CALLS"], "a").write(" ".join(words) + "\\n")
pids = os.environ["CALLS"] + "."
if words[0] == "kill":
    os.killpg(int(open(pids + words[1]).read()), signal.SIGKILL)
    sys.exit()
if "no-such-image" in words:
    sys.exit("Unable to find image 'no-such-image' locally")
at = next(n for n, word in enumerate(words) if word == "python")
name = words[words.index("--name") + 1] if "--name" in words else "none"
with tempfile.TemporaryDirectory() as folder:
    places = {{"/box/run": folder}}
    for flag, value in zip(words, words[1:]):
        if flag == "--volume":
            ours, theirs, _ = value.split(":")
            places[theirs] = ours
    command = words[at:]
    for theirs, ours in places.items():
        command = [word.replace(theirs, ours) for word in command]
    child = subprocess.Popen([sys.executable, *command[1:]], env={{}}, start_new_session=True)
    open(pids + name, "w").write(str(child.pid))
    code = child.wait()
sys.exit(128 - code if code < 0 else code)
"""
ADD = "def add(a, b):\n    return a + b\n"
TESTS = "from prog import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.fixture
async def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    command = tmp_path / "bin" / "docker"
    command.parent.mkdir()
    command.write_text(DOCKER)
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    yield tmp_path / "calls"


async def report_of(program: str, limits: Limits | None = None) -> SuiteReport:
    sandbox = open_sandbox("container")
    try:
        files = {"prog.py": program, "test_prog.py": TESTS}
        suite = Suite(files, ("test_prog.py",), ("prog.py",), limits=limits or Limits(), verify=True)
        return (await run_through(sandbox, suite)).report
    finally:
        await sandbox.aclose()


async def test_a_suite_runs_in_its_container(calls: Path) -> None:
    report = await report_of(ADD)
    assert report["verdict"] == "passed" and report["isolation"][0] == "container"
    assert report["trust"] == "provisional" and "containers" in str(report["not_verified"])
    run = calls.read_text().splitlines()[-1]
    assert all(word in run for word in ("--network none", "--read-only", "--cap-drop ALL", "--user 65534", "--memory"))


async def test_a_failure_and_an_early_exit_are_told_apart(calls: Path) -> None:
    assert (await report_of("def add(a, b):\n    return 4\n"))["failed"] == 1
    report = await report_of("import os\nos._exit(0)\n")
    assert report["verdict"] == "error" and "exit status 0" in str(report["error"])


async def test_an_endless_program_is_killed(calls: Path) -> None:
    endless = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True:\n    pass\n"
    report = await report_of(endless, Limits(time_s=1.0, case_time_s=0.3))
    assert report["verdict"] == "error"
    assert any(line.startswith("kill selfheal-") for line in calls.read_text().splitlines())


async def test_what_docker_says_is_passed_on(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFHEAL_CONTAINER_IMAGE", "no-such-image")
    with pytest.raises(SandboxError, match=r"Unable to find image.*docker pull no-such-image"):
        await report_of(ADD)


async def test_without_a_command_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="Neither docker nor podman"):
        await report_of(ADD)
