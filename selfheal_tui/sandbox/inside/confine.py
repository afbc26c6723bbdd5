"""What a forked child gives up, for good, before it has seen one byte of the run: the layers of the sandbox.

One of four tiers is in force for a server: `namespaces` (launch.py or bubblewrap made the outer ones; each run gets
its own pid and mount namespace), `landlock` (neither is allowed here, as in a default container), `seatbelt` (macOS)
and `none` (the user insisted). Linux tiers add Landlock, seccomp, no_new_privs and rlimits.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import landlock, libc, seatbelt, seccomp

DISK_BYTES = 64 << 20
INODES = 16_384
"""Files and folders of a run: those of a large project, and room for what its tests write."""
_FILE_BYTES = 32 << 20
_OPEN_FILES = 256
_FILE_BYTES_WATCHED, _OPEN_FILES_WATCHED = 8 << 20, 64
"""Where no file system of its own caps a run: files that were removed while open are not seen by the watch."""
_PROCESSES = 256
_STACK_BYTES = 8 << 20
_NOBODY = 65534
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")


@dataclass(slots=True)
class Confinement:
    """The layers of one server; `prepare` once in it, `enter` in every child."""

    tier: str
    readable: Sequence[str] = ()
    """Paths a run may read, beside the system's own."""
    opened: Sequence[str] = ()
    """Paths that the user lets runs read."""
    network: bool = False
    """The user lets runs use the machine's network."""
    layers: dict[str, str] = field(default_factory=dict)
    """layer -> empty when in force, else why it is not."""
    _filter: bytes = b""
    _rules: int = -1
    _nobody: bool = False

    @property
    def namespaces_per_run(self) -> int:
        """Flags of the namespaces a child is forked into."""
        return libc.NEW_PID | libc.NEW_MOUNT if self.tier == "namespaces" else 0

    def prepare(self, base: Path) -> None:
        """Build what all children share, whose folders are made in `base`.

        Raises: OSError when a layer that the tier needs cannot be had.
        """
        outer = "" if self.tier == "namespaces" else "not in this tier"
        for kind in ("user", "mount", "pid", "net", "ipc", "uts"):
            self.layers[f"{kind} namespace"] = outer
        if self.network:
            self.layers["net namespace"] = "the network is allowed"
        if self.tier in ("namespaces", "landlock"):
            self._prepare_linux(base)
        if self.tier == "seatbelt":
            self.layers["seatbelt"] = ""
        self.layers["rlimits"] = ""
        self.layers["memory watchdog"] = "" if Path("/proc/self/statm").exists() else "/proc is not to be had"

    def _prepare_linux(self, base: Path) -> None:
        version = landlock.abi()
        self.layers["landlock"] = "" if version else "the kernel has none (5.13 and newer, unless switched off)"
        self.layers["seccomp"] = "" if seccomp.available() else "the kernel takes no filter"
        self.layers["no_new_privs"] = ""
        if self.tier == "landlock" and (not version or self.layers["seccomp"]):
            raise OSError(95, self.layers["landlock"] or self.layers["seccomp"])
        if not self.layers["seccomp"]:
            own = self.tier == "namespaces"
            # An opened folder may hold sockets of other programs, which may be written to wherever they can be read.
            self._filter = seccomp.build(
                own_pids=own,
                unix_sockets=own and version >= 6 and not self.opened,
                truncate_guarded=version >= 3,
                network=self.network,
            )
        if self.tier == "namespaces":
            libc.empty_bounding_set()
            libc.forbid_new_privileges()
            if version:
                # /box/run is a mount: Landlock asks the folders above it, so one ruleset serves every run's mount.
                rights = [("/", landlock.READ), ("/box", landlock.WRITE)]
                self._rules = landlock.ruleset(rights + [(path, landlock.DEVICE) for path in _DEVICES], self.network)
        elif os.getuid() == 0:
            paths = [*self.readable, *self.opened, sys.executable, os.__file__]
            self._nobody = _open_to_nobody(paths, base)
            closed = "the interpreter, or what a run needs beside it, lies in a folder of root's own"
            self.layers["unprivileged user"] = "" if self._nobody else closed

    def move_rules(self, fd: int) -> int:
        """Move what a child still needs to descriptor `fd`; return the first that it does not need."""
        if self._rules < 0:
            return fd
        self._rules = os.dup2(self._rules, fd)
        return fd + 1

    def make_folder(self, folder: Path) -> None:
        """Make a run's folder, where it lies on the host's disk."""
        if self.tier != "namespaces":
            folder.mkdir()
            if self._nobody:
                os.chown(folder, _NOBODY, _NOBODY)

    def enter(self, folder: Path) -> None:
        """Confine this child; `folder` is what it may write. Raises: OSError, after which it must not go on."""
        os.setsid()
        if self.tier == "namespaces":
            options = f"size={DISK_BYTES},nr_inodes={INODES},mode=755"
            libc.mount("tmpfs", str(folder), "tmpfs", libc.NO_SUID | libc.NO_DEV, options)
            if not self.layers["memory watchdog"]:
                libc.mount("proc", "/proc", "proc", libc.NO_SUID | libc.NO_DEV | libc.NO_EXEC, "subset=pid,hidepid=2")
        if self._nobody:
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        for name in ("work", "tmp"):
            (folder / name).mkdir()
        if self.tier in ("namespaces", "landlock"):
            self._enter_linux(folder)
        elif self.tier == "seatbelt":
            seatbelt.enter(str(folder), [*self.readable, *self.opened], self.network)
        os.chdir(folder / "work")

    def _enter_linux(self, folder: Path) -> None:
        libc.drop_capabilities()
        if self.tier == "landlock":
            libc.forbid_new_privileges()
            libc.hide_from_tracers()
            rights = [(path, landlock.READ) for path in (*_SYSTEM, *self.readable, *self.opened)]
            rights += [(path, landlock.DEVICE) for path in _DEVICES]
            self._rules = landlock.ruleset([*rights, (str(folder), landlock.WRITE)], self.network)
        if self._rules >= 0:
            landlock.restrict(self._rules)
            os.close(self._rules)
        if self._filter:
            seccomp.load(self._filter, os.getpid())


def limit(order: Mapping[str, Any], tier: str) -> None:
    """Set this process's limits from the run's order: `time_s` and `memory_bytes` above what it holds already."""
    capped = tier in ("namespaces", "container")
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(order["time_s"]) + 2,
        resource.RLIMIT_FSIZE: _FILE_BYTES if capped else _FILE_BYTES_WATCHED,
        resource.RLIMIT_NOFILE: _OPEN_FILES if capped else _OPEN_FILES_WATCHED,
        resource.RLIMIT_STACK: _STACK_BYTES,
        resource.RLIMIT_AS: _own_memory() + int(order["memory_bytes"]),
        resource.RLIMIT_MEMLOCK: 0,
    }
    if tier == "namespaces":
        # Counted per user namespace since Linux 5.14; before that, and elsewhere, over all of the user's processes.
        limits[resource.RLIMIT_NPROC] = _PROCESSES
    for resource_number, most in limits.items():
        _, hard = resource.getrlimit(resource_number)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource_number, (value, value))


def _own_memory() -> int:
    """Address space of the interpreter before any code of the program ran, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 256 << 20
    return pages * resource.getpagesize()


def _open_to_nobody(paths: Sequence[str], base: Path) -> bool:
    """Tell whether nobody could read these paths and work below `base`: a child becomes nobody and looks."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
            code = 0 if all(os.access(path, os.R_OK) for path in paths) and os.access(base, os.X_OK) else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0
