"""The warm fork server: one process that has imported what runs need and keeps confined children ready for them.

It trusts nobody but the control socket: it counts the time, watches memory and disk, kills, reaps and reports the
exit status itself. It ends, and everything it started with it, when the control socket reaches its end. Started by
file path with one argument, the order as JSON; imports nothing of ours.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from . import libc, usage
    from .confine import Confinement

REQUEST = struct.Struct("!cIdQ")
"""Operation (`r` run, `k` kill), run number, seconds of wall clock, bytes of memory for the whole tree."""
_DESCRIPTORS = 5
_SPARES = 2
_BEAT_S = 0.05
_QUIET_MS = 1
"""A fork costs as much as a small run, so it waits until nothing was asked and nobody ended for so long."""
CONFINED = b"ok"
_ENDED = b"ended "


@dataclass(slots=True)
class Child:
    """A confined process that waits for its run."""

    pid: int
    orders: socket.socket
    folder: Path


@dataclass(slots=True)
class Run:
    """A child that has its run."""

    number: int
    child: Child
    status_fd: int
    began: float
    deadline: float
    """Both on the monotonic clock."""
    memory_bytes: int
    killed: str = ""
    """`deadline`, `memory`, `disk` or `asked`."""


class Server:
    """Forks, times, watches, kills and reaps; `control` is the host's end of everything."""

    def __init__(
        self, control: socket.socket, base: Path, confinement: Confinement, main: Callable[[list[int], Path], None]
    ) -> None:
        self._control = control
        self._base = base
        self._confinement = confinement
        self._main = main
        self._spares: list[Child] = []
        self._runs: dict[int, Run] = {}
        self._forks = 0
        self._last_beat = 0.0
        self._wake_r, self._wake_w = os.pipe()
        for fd in (self._wake_r, self._wake_w):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_w, warn_on_full_buffer=False)

    def try_one(self) -> str:
        """Confine a first child; return an empty text when that works, else why not."""
        child = self._spawn()
        answer = child.orders.recv(4096)
        if answer == CONFINED:
            self._spares.append(child)
            return ""
        return answer.decode("utf-8", "replace") or "a confined child ended without a word"

    def serve(self) -> None:
        """Answer requests until the control socket ends, then kill everything."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake_r, select.POLLIN)
        open_ = True
        while open_:
            ready = {fd for fd, _ in poll.poll(self._wait_ms())}
            if not ready and len(self._spares) < _SPARES:
                self._spares.append(self._spawn())
            if self._wake_r in ready:
                _drain(self._wake_r)
            if self._control.fileno() in ready:
                open_ = self._answer()
            self._watch()
            self._reap()
        for pid in list(self._runs):
            self._kill(pid, "asked")
        for child in self._spares:
            child.orders.close()
        while self._runs or self._spares:
            self._reap()
            time.sleep(0.001)
        usage.remove_tree(self._base)

    def _wait_ms(self) -> float | None:
        """Until the next deadline or beat; shorter while a spare is missing, which is forked when nothing is asked."""
        if len(self._spares) < _SPARES:
            return _QUIET_MS
        if not self._runs:
            return None
        soonest = min(min(run.deadline for run in self._runs.values()) - time.monotonic(), _BEAT_S)
        return max(0.0, soonest * 1000) + 1

    def _answer(self) -> bool:
        try:
            request, fds, _, _ = socket.recv_fds(self._control, REQUEST.size, _DESCRIPTORS)
        except ConnectionError:
            return False
        if len(request) < REQUEST.size:
            return False
        operation, number, seconds, memory_bytes = REQUEST.unpack(request)
        if operation == b"r" and len(fds) >= 4:
            self._start(number, seconds, memory_bytes, fds)
        elif operation == b"k":
            for pid, run in self._runs.items():
                if run.number == number:
                    self._kill(pid, "asked")
        return True

    def _start(self, number: int, seconds: float, memory_bytes: int, fds: list[int]) -> None:
        child = self._spares.pop() if self._spares else self._spawn()
        status, *descriptors = fds
        try:
            socket.send_fds(child.orders, [b"r"], descriptors)
        except OSError:
            pass  # it died waiting: its status says so
        for fd in descriptors:
            os.close(fd)
        now = time.monotonic()
        self._runs[child.pid] = Run(number, child, status, now, now + seconds, memory_bytes)

    def _spawn(self) -> Child:
        self._forks += 1
        folder = self._base if self._confinement.namespaces_per_run else self._base / f"run-{self._forks}"
        self._confinement.make_folder(folder)
        ours, theirs = socket.socketpair()
        server_pid = os.getpid()
        pid = libc.fork_into(self._confinement.namespaces_per_run)
        if pid == 0:
            try:
                self._be_child(theirs, folder, server_pid)
            except BaseException:
                traceback.print_exc()  # into the run's own output, once it has its descriptors
            finally:
                os._exit(98)
        theirs.close()
        return Child(pid, ours, folder)

    def _be_child(self, orders: socket.socket, folder: Path, server_pid: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        libc.die_with_parent()
        if not self._confinement.namespaces_per_run and os.getppid() != server_pid:
            return
        high = fcntl.fcntl(orders.detach(), fcntl.F_DUPFD_CLOEXEC, 64)
        free = self._confinement.move_rules(4)
        line = socket.socket(fileno=os.dup2(high, 3))
        os.closerange(free, 4096)
        try:
            if self._confinement.namespaces_per_run:
                _go_on_as_second(line)
            self._confinement.enter(folder)
            os.nice(5)
        except OSError as error:
            line.sendall(f"{error.strerror or error}".encode())
            return
        line.sendall(CONFINED)
        request, fds, _, _ = socket.recv_fds(line, 1, _DESCRIPTORS)
        if request:
            line.close()
            self._main(fds, folder)

    def _watch(self) -> None:
        """Kill what is over its time, memory or disk; memory and disk are looked at every beat."""
        now = time.monotonic()
        for pid, run in self._runs.items():
            if now >= run.deadline:
                self._kill(pid, "deadline")
        old = {pid: run for pid, run in self._runs.items() if now - run.began > _BEAT_S}
        if not old or now - self._last_beat < _BEAT_S:
            return
        self._last_beat = now
        if not self._confinement.layers["memory watchdog"]:
            held = usage.memory_of_trees(set(old))
            for pid, run in old.items():
                if held.get(pid, 0) > run.memory_bytes:
                    self._kill(pid, "memory")
        if not self._confinement.namespaces_per_run:
            for pid, run in old.items():
                if usage.is_too_large(run.child.folder):
                    self._kill(pid, "disk")

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
            code = os.waitstatus_to_exitcode(os.waitpid(ended.si_pid, 0)[1])
            for spare in [spare for spare in self._spares if spare.pid == ended.si_pid]:
                self._spares.remove(spare)
                self._forget(spare)
            if run is not None:
                if not self._confinement.namespaces_per_run:
                    self._sweep()
                self._report(run, _told_code(run.child.orders, code))

    def _sweep(self) -> None:
        """Kill what left its group: as subreaper we inherit every orphan."""
        ours = {*self._runs, *(spare.pid for spare in self._spares)}
        for _ in range(100):
            try:
                children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
            except OSError:
                return
            orphans = [pid for pid in map(int, children.split()) if pid not in ours]
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
        self._forget(run.child)

    def _forget(self, child: Child) -> None:
        child.orders.close()
        if not self._confinement.namespaces_per_run:
            usage.remove_tree(child.folder)


def _go_on_as_second(line: socket.socket) -> None:
    """Return in a child; process 1 of the namespace stays behind and tells the server by which code the child ended.

    Process 1 ignores the signals that it sends itself (`abort`, `kill`).
    """
    second = os.fork()
    if second == 0:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.drop_capabilities()
    libc.hide_from_tracers()
    os.closerange(line.fileno() + 1, 4096)
    ended = status = 0
    while ended != second:
        ended, status = os.wait()  # orphans too
    with suppress(BrokenPipeError):  # of a spare that nobody waits for any more
        line.sendall(b"%s%d" % (_ENDED, os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _told_code(orders: socket.socket, code: int) -> int:
    """Return the exit code that process 1 of a namespace told for its child; `code`, its own, where it told none."""
    try:
        told = orders.recv(4096, socket.MSG_DONTWAIT).rpartition(_ENDED)
    except OSError:
        return code
    return int(told[2]) if told[1] else code


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


def _load(name: str) -> ModuleType:
    """Import `libc.py` as `_sandbox.libc` and so on, so that no module of the program hides it."""
    if "_sandbox" not in sys.modules:
        package = ModuleType("_sandbox")
        package.__path__ = [str(Path(__file__).parent)]
        sys.modules["_sandbox"] = package
    return importlib.import_module(f"_sandbox.{name}")


if not TYPE_CHECKING:
    libc, usage = _load("libc"), _load("usage")


def main() -> NoReturn:
    """Import what runs need, report the layers, and serve requests until the host goes."""
    order = json.loads(sys.argv[1])
    control = socket.socket(fileno=int(order["control"]))
    control.set_inheritable(False)
    try:
        server, layers = _prepare(order, control)
        failed = server.try_one()
    except (OSError, ImportError) as error:
        failed, layers = f"{error}", {}
    answer = {"failed": failed} if failed else {"layers": layers}
    control.sendall(json.dumps(answer).encode() + b"\n")
    if not failed:
        server.serve()
    os._exit(1 if failed else 0)


def _prepare(order: Mapping[str, Any], control: socket.socket) -> tuple[Server, dict[str, str]]:
    libc.die_with_parent()
    base = Path(order["base"])
    confinement = _load("confine").Confinement(
        order["tier"], tuple(order["readable"]), tuple(order["opened"]), order["network"]
    )
    if confinement.namespaces_per_run:
        libc.mount("tmpfs", str(base), "tmpfs", libc.NO_SUID | libc.NO_DEV, "size=1m,mode=755")
    long_way = _load_pytest(order["pytest_path"], order["plugins"], base / "warm") if order["pytest"] else None
    child, preload = _load("child"), _load("preload")
    preload.preload(order["preload"] if long_way else [*order["preload"], *preload.COMMON])
    confinement.prepare(base)
    libc.become_subreaper()
    gc.collect()
    gc.freeze()
    main = child.Main(confinement.tier, long_way)
    return Server(control, base, confinement, main), confinement.layers


def _load_pytest(paths: Sequence[str], plugins: bool, folder: Path) -> ModuleType:
    sys.path.extend(paths)
    long_way = _load("long_way")
    long_way.warm_up(folder, plugins)
    usage.remove_tree(folder)
    for path in paths:
        sys.path.remove(path)
    return long_way


if __name__ == "__main__":
    main()
