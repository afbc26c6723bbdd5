"""Starts the fork server in namespaces of its own: no network, no other processes, and a file tree of read-only parts.

Run by our own interpreter before any foreign file is read; no privilege is needed where user namespaces are allowed.
Called with one argument, the order as JSON: `control` (descriptor of the host), `command` (the program that follows
and its arguments), `readable` (folders and files shown read-only), `network` (whether it stays that of the
machine). What fails is told to the host as one line of
JSON, `{"failed": text}`, on the control socket. Imports nothing of ours but its neighbours.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from . import libc
else:
    _package = ModuleType("_sandbox")
    _package.__path__ = [str(Path(__file__).parent)]
    sys.modules["_sandbox"] = _package
    libc = import_module("_sandbox.libc")

_USER = 1000
"""The user inside, whoever we are outside."""
_NOBODY = 65534
"""Who root's programs are outside."""
_ROOM = "size=1m,nr_inodes=2048,mode=755"
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin")
_FROM_ETC = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_ETC = {
    "/etc/passwd": f"user:x:{_USER}:{_USER}::/box/run/work:/bin/sh\nnobody:x:{_NOBODY}:{_NOBODY}::/:/bin/false\n",
    "/etc/group": f"user:x:{_USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
}
_LINKS = {
    "/tmp": "/box/run/tmp",
    "/dev/shm": "/box/run/tmp",
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}
BOX = "/box"
"""The one place that is written: each run mounts its own on `/box/run`."""


def main() -> NoReturn:
    """Enter the namespaces, start the command as process 1 there, and end when it does."""
    order = json.loads(sys.argv[1])
    control = int(order["control"])
    step = "user namespace"
    try:
        mounts = _enter(order["readable"], order["network"])
        step = "pid namespace"
        first = os.fork()
        if first:
            os.close(control)
            _, status = os.waitpid(first, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        libc.die_with_parent()
        step = "file tree"
        _build_tree(mounts)
        libc.LIBC.sethostname(b"sandbox", 7)
        step = "capabilities"
        libc.pass_capabilities_on()
        os.chdir(BOX)
        os.set_inheritable(control, True)
        step = "interpreter"
        command = order["command"]
        os.execve(os.path.realpath(command[0]), command, dict(os.environ))
    except OSError as error:
        os.write(control, json.dumps({"failed": f"{step}: {error.strerror or error}"}).encode() + b"\n")
    os._exit(1)


def _enter(readable: list[str], network: bool) -> Mapping[str, int]:
    """Unshare and take the inner user; return path -> descriptor of everything that will be shown."""
    uid, gid = os.getuid(), os.getgid()
    map_us = None if uid else _start_mapper()
    kinds = libc.NEW_USER | libc.NEW_MOUNT | libc.NEW_PID | libc.NEW_IPC | libc.NEW_UTS
    kinds |= 0 if network else libc.NEW_NET
    libc.unshare(kinds)
    if map_us is None:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{_USER} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{_USER} {gid} 1")
    else:
        map_us()
    libc.mount(None, "/", None, libc.RECURSIVE | libc.PRIVATE)
    # While we still are who may read them: root's interpreter may lie in a folder that is root's alone.
    mounts = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in _wanted(readable)}
    if map_us is not None:
        libc.keep_capabilities()
        os.setgroups([])
        os.setresgid(_USER, _USER, _USER)
        os.setresuid(_USER, _USER, _USER)
        libc.prctl(4, 1)  # the change of user closed our own /proc/self/fd to us
    return mounts


def _start_mapper() -> Any:
    """Root's namespace must be mapped from outside: a helper waits there. The user inside is nobody outside."""
    read, write = os.pipe()
    who = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(write)
        os.read(read, 1)
        try:
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{who}/{name}").write_text(f"{_USER} {_NOBODY} 1\n")
        except OSError:
            os._exit(1)
        os._exit(0)
    os.close(read)

    def map_us() -> None:
        os.write(write, b"x")
        os.close(write)
        if os.waitpid(helper, 0)[1]:
            raise PermissionError(1, "the users could not be mapped")

    return map_us


def _wanted(readable: list[str]) -> list[str]:
    """Everything shown, outer folders first; what is missing or lies in another is left out."""
    wanted: list[str] = []
    for path in [*_SYSTEM, *_FROM_ETC, *_DEVICES, *sorted(readable)]:
        if not os.path.exists(path) or (os.path.islink(path) and path in _SYSTEM):
            continue
        if not any(path == outer or path.startswith(f"{outer}/") for outer in wanted):
            wanted.append(path)
    return wanted


def _build_tree(mounts: Mapping[str, int]) -> None:
    """Make a new root that holds the given parts and nothing else of the machine."""
    root = "/tmp"
    libc.mount("tmpfs", root, "tmpfs", libc.NO_SUID | libc.NO_DEV, _ROOM)
    links = dict(_LINKS)
    for path in _SYSTEM:
        if os.path.islink(path):
            links[path] = os.readlink(path)
    for folder in ("/etc", "/proc", "/dev", "/box/run", "/old"):
        os.makedirs(root + folder)
    for path, text in _ETC.items():
        Path(root + path).write_text(text)
    for path, fd in mounts.items():
        _show(root + path, fd, writable=path in _DEVICES)
    for path, target in links.items():
        if not os.path.lexists(root + path):
            os.symlink(target, root + path)
    try:
        libc.mount("proc", f"{root}/proc", "proc", libc.NO_SUID | libc.NO_DEV | libc.NO_EXEC)
    except PermissionError:
        pass  # a container that masks parts of its own /proc: the run goes without
    os.chdir(root)
    libc.pivot_root(".", "old")
    os.chdir("/")
    libc.unmount("/old")
    os.rmdir("/old")
    libc.mount(None, "/", None, libc.BIND | libc.REMOUNT | libc.READ_ONLY | libc.NO_SUID | libc.NO_DEV)


def _show(target: str, fd: int, writable: bool) -> None:
    source = f"/proc/self/fd/{fd}"
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    libc.mount(source, target, None, libc.BIND | libc.RECURSIVE)
    os.close(fd)
    if not writable:
        libc.make_read_only(target)


if __name__ == "__main__":
    main()
