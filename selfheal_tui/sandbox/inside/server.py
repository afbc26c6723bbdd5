"""The warm fork server: one process that has pytest imported and forks a child for every run.

It trusts nobody but the control socket: it counts the time, kills the whole process group, reaps, removes the
run's folder and reports the exit status itself. It ends, and everything it started with it, when the control
socket reaches its end. Started by file path; imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

REQUEST = struct.Struct("!cId")
"""Operation (`r` run, `k` kill), run number, seconds of wall clock."""
_SUBREAPER = 36
_DEATH_SIGNAL = 1


@dataclass(slots=True)
class Run:
    """One child that lives."""

    number: int
    folder: Path
    status_fd: int
    deadline: float
    """On the monotonic clock."""
    killed: str = ""
    """`deadline` or `asked`."""


class Server:
    """Forks, times, kills and reaps; `control` is the host's end of everything."""

    def __init__(self, control: socket.socket, base: Path, child_main: Callable[..., None]) -> None:
        self._control = control
        self._base = base
        self._child_main = child_main
        self._runs: dict[int, Run] = {}
        self._wake_r, self._wake_w = os.pipe()
        for fd in (self._wake_r, self._wake_w):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_w, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Answer requests until the control socket ends, then kill everything."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake_r, select.POLLIN)
        open_ = True
        while open_:
            ready = {fd for fd, _ in poll.poll(self._wait_ms())}
            if self._wake_r in ready:
                _drain(self._wake_r)
            if self._control.fileno() in ready:
                open_ = self._answer()
            self._kill_late()
            self._reap()
        for pid in list(self._runs):
            self._kill(pid, "asked")
        while self._runs:
            self._reap()
            time.sleep(0.001)
        remove_tree(self._base)

    def _wait_ms(self) -> float | None:
        if not self._runs:
            return None
        soonest = min(run.deadline for run in self._runs.values())
        return max(0.0, (soonest - time.monotonic()) * 1000) + 1

    def _answer(self) -> bool:
        try:
            request, fds, _, _ = socket.recv_fds(self._control, REQUEST.size, 4)
        except ConnectionError:
            return False
        if len(request) < REQUEST.size:
            return False
        operation, number, seconds = REQUEST.unpack(request)
        if operation == b"r" and len(fds) == 4:
            self._fork(number, seconds, *fds)
        elif operation == b"k":
            for pid, run in self._runs.items():
                if run.number == number:
                    self._kill(pid, "asked")
        return True

    def _fork(self, number: int, seconds: float, job: int, out: int, result: int, status: int) -> None:
        folder = self._base / f"run-{number}"
        server_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _prctl(_DEATH_SIGNAL, signal.SIGKILL)
                if os.getppid() == server_pid:
                    self._child_main(job, out, result, folder)
            finally:
                os._exit(98)
        for fd in (job, out, result):
            os.close(fd)
        self._runs[pid] = Run(number, folder, status, time.monotonic() + seconds)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for pid, run in self._runs.items():
            if now >= run.deadline:
                self._kill(pid, "deadline")

    def _kill(self, pid: int, why: str) -> None:
        run = self._runs[pid]
        run.killed = run.killed or why
        if not _signal_group(pid):
            _signal_one(pid)

    def _reap(self) -> None:
        """Collect whoever ended; the group is killed before its leader is collected, so its number is ours."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            run = self._runs.pop(ended.si_pid, None)
            if run is not None:
                _signal_group(ended.si_pid)
            _, wait_status = os.waitpid(ended.si_pid, 0)
            if run is not None:
                self._sweep()
                self._report(run, os.waitstatus_to_exitcode(wait_status))

    def _sweep(self) -> None:
        """Kill what left its group: as subreaper we inherit every orphan."""
        for _ in range(100):
            try:
                children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
            except OSError:
                return
            orphans = [pid for pid in map(int, children.split()) if pid not in self._runs]
            if not orphans:
                return
            for pid in orphans:
                _signal_one(pid)
                try:
                    os.waitpid(pid, 0)
                except ChildProcessError:
                    pass

    def _report(self, run: Run, code: int) -> None:
        try:
            os.write(run.status_fd, json.dumps({"code": code, "killed": run.killed}).encode())
        except OSError:
            pass  # the host has stopped listening to this run
        os.close(run.status_fd)
        remove_tree(run.folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder that hostile code wrote: links are not followed, closed folders are opened first."""

    def open_up(function: Callable[..., Any], path: str, _: object) -> None:
        try:
            os.chmod(os.path.dirname(path), stat.S_IRWXU, follow_symlinks=True)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, stat.S_IRWXU)
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        except OSError:
            pass

    shutil.rmtree(folder, onerror=open_up)


def _drain(fd: int) -> None:
    try:
        while os.read(fd, 4096):
            pass
    except BlockingIOError:
        pass


def _signal_group(pid: int) -> bool:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal_one(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _LIBC.prctl(option, value, 0, 0, 0)


_LIBC = ctypes.CDLL(None, use_errno=True)


def _load(name: str) -> ModuleType:
    """Import a neighbour file from a package of its own name, so that no module of the program hides it."""
    if "_sandbox" not in sys.modules:
        package = ModuleType("_sandbox")
        package.__path__ = [str(Path(__file__).parent)]
        sys.modules["_sandbox"] = package
    return importlib.import_module(f"_sandbox.{name}")


def main() -> None:
    """Warm up, say so, serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    base = Path(sys.argv[2])
    reporter = _load("plugin").Reporter
    child = _load("child")
    child.warm_up(reporter, base / "warm")
    remove_tree(base / "warm")
    _prctl(_SUBREAPER, 1)
    gc.collect()
    gc.freeze()
    server = Server(control, base, partial(child.main, reporter))
    control.sendall(b"ready")
    server.serve()


if __name__ == "__main__":
    main()
