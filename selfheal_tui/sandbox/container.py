"""The sandbox in containers: one `docker run` (or podman) without network for each run.

For machines whose kernel offers us nothing else, macOS among them. A run takes as long as a container's start,
and there is no second opinion: two containers without network cannot talk.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Collection, Mapping
from pathlib import Path

from selfheal_tui.errors import SandboxError
from selfheal_tui.text import one_line

from .allowance import Allowance
from .base import Suite, SuiteReport
from .local import LocalSandbox

IMAGE = "python:3.13-slim"
"""Any image with Python 3.11 or newer; `SELFHEAL_CONTAINER_IMAGE` names another."""
_FOLDER, _INSIDE, _SITE = "/box/run", "/selfheal/inside", "/selfheal/site"
_NOBODY = "65534:65534"
_START_S = 120.0
_AGAIN_S = 1.0
_KILLED = 137


class ContainerServer:
    """What `host.Server` is to the fork server: takes runs and kills them, one container each."""

    tier = "container"

    def __init__(self, command: str, image: str, allowed: Allowance) -> None:
        self._command = command
        self._image = image
        self._allowed = allowed
        self._numbers = itertools.count(1)
        self._runs: dict[int, subprocess.Popen[bytes]] = {}
        self.layers: Mapping[str, str] = {
            "container": "",
            "no network": "the network is allowed" if allowed.network else "",
            "rlimits": "",
        }
        self.not_used: Mapping[str, str] = {}

    @property
    def alive(self) -> bool:
        """A container's own end is told by its run."""
        return True

    def submit(self, seconds: float, memory_bytes: int, fds: list[int]) -> int:
        """Start a container; `fds` (status, order, output, result) stay the caller's. Raises: OSError."""
        status, order, output, result = fds
        number = next(self._numbers)
        words = [self._command, "run", "--name", self._name(number), *_confined(memory_bytes, self._allowed.network)]
        words += _mounts(self._allowed)
        words += [self._image, "python", "-P", "-s", "-B", f"{_INSIDE}/once.py", _FOLDER, _SITE]
        process = subprocess.Popen(words, stdin=order, stdout=result, stderr=output, start_new_session=True)
        self._runs[number] = process
        threading.Thread(target=self._wait, args=(number, process, os.dup(status), seconds), daemon=True).start()
        return number

    def kill_run(self, number: int) -> None:
        """Kill a container and what runs in it."""
        if number in self._runs:
            threading.Thread(target=self._kill_now, args=(number,), daemon=True).start()

    def kill(self) -> None:
        """Kill all of them."""
        for number in list(self._runs):
            self.kill_run(number)

    async def aclose(self) -> None:
        """Kill all of them and wait for their ends."""
        self.kill()
        for process in list(self._runs.values()):
            await asyncio.to_thread(process.wait)

    def _wait(self, number: int, process: subprocess.Popen[bytes], status: int, seconds: float) -> None:
        killed = ""
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            killed = "deadline"
            while process.poll() is None:
                # A container that is only just being made cannot be killed yet.
                self._kill_now(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_AGAIN_S)
        code = process.returncode
        if code == _KILLED and not killed:
            killed = "memory"
        self._runs.pop(number, None)
        with contextlib.suppress(OSError):
            os.write(status, json.dumps({"code": code, "killed": killed}).encode())
        os.close(status)

    def _kill_now(self, number: int) -> None:
        subprocess.run([self._command, "kill", self._name(number)], check=False, capture_output=True)

    @staticmethod
    def _name(number: int) -> str:
        return f"selfheal-{os.getpid()}-{number}"


class ContainerSandbox(LocalSandbox):
    """Runs suites in containers."""

    name = "container"

    def __init__(
        self,
        python: str = "",
        allow_unsandboxed: bool = False,
        image: str = "",
        allowed: Allowance = Allowance(),  # noqa: B008 - a frozen value
    ) -> None:
        """The interpreter is the image's; what a setting says of one does not count here."""
        super().__init__(allowed=allowed)
        self._image = image or os.environ.get("SELFHEAL_CONTAINER_IMAGE", "") or IMAGE

    async def verify(self, suite: Suite, report: SuiteReport) -> SuiteReport:
        """Say why there is no second opinion."""
        return {
            **report,
            "not_verified": "Two containers without network cannot talk, so nobody judged it from outside.",
        }

    async def _open(self, preload: Collection[str], pytest: bool) -> ContainerServer:
        command = shutil.which("docker") or shutil.which("podman")
        if command is None:
            raise SandboxError("Neither docker nor podman is installed.", "Install one, or use --sandbox local.")
        words = [command, "run", "--rm", "--network", "none", self._image, "python", "-P", "-c", "pass"]
        try:
            tried = await asyncio.to_thread(subprocess.run, words, capture_output=True, timeout=_START_S)
        except subprocess.TimeoutExpired:
            raise SandboxError(f"{Path(command).name} did not start {self._image} in {_START_S:g} s.") from None
        if tried.returncode:
            lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
            why = one_line(lines[-1]) if lines else f"exit status {tried.returncode}"
            raise SandboxError(
                f"{Path(command).name} cannot run {self._image}: {why}.",
                f"Try: {Path(command).name} pull {self._image}, or use --sandbox local.",
            )
        return ContainerServer(command, self._image, self._allowed)


def _confined(memory_bytes: int, network: bool) -> list[str]:
    return [
        *("--rm", "-i", "--network", "host" if network else "none", "--read-only", "--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges", "--pids-limit", "256", "--user", _NOBODY),
        *("--memory", str(memory_bytes), "--memory-swap", str(memory_bytes)),
        *("--tmpfs", f"{_FOLDER}:rw,size=64m,nr_inodes=4096,mode=1777", "--workdir", _FOLDER),
        *("--env", "PYTHONHASHSEED=0", "--env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", "--env", "LANG=C.UTF-8"),
    ]


def _mounts(allowed: Allowance) -> list[str]:
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        raise SandboxError("pytest is not installed beside selfheal.", "Reinstall selfheal in a fresh venv.")
    site, inside = Path(spec.origin).parent.parent, Path(__file__).parent / "inside"
    ours = ["--volume", f"{inside}:{_INSIDE}:ro", "--volume", f"{site}:{_SITE}:ro"]
    return [*ours, *(word for path in allowed.paths() for word in ("--volume", f"{path}:{path}:ro"))]
