"""One driver per session: an advisory lock that the kernel frees when its holder dies, and who that is.

What the file says is believed only while the lock is held and the process it names is there: a text that a crash left
behind names nobody.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from selfheal_tui.errors import SessionBusy, SessionError, SessionNotWritable
from selfheal_tui.text import one_line

from .own_files import check_file

_TEXT_BYTES = 512
_TRIES = 1000
"""How often the lock is tried: somebody who only looks holds it for some microseconds."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who drives a session."""

    pid: int = 0
    """0 when it did not say, as in the instant before it has."""
    host: str = ""
    started: str = ""
    """When the process began, as its kernel counts; tells it from a later one with its number. Empty: not known."""

    def words(self) -> str:
        """Name it: `process 123 on HOST`."""
        return f"process {self.pid} on {self.host}" if self.pid else "a process that has not said which it is"


@contextmanager
def open_driver_lock(folder: Path) -> Iterator[None]:
    """Hold the session's driver lock. Raises: SessionBusy naming who holds it, SessionError."""
    try:
        check_file(folder / "lock")
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SessionNotWritable(
            f"The session folder {folder} cannot be written ({error.strerror}).",
            "Check its permissions; its history can be read all the same: selfheal sessions show SESSION",
        ) from error
    try:
        if not _take(descriptor):
            raise SessionBusy(
                f"Session {folder.name} is open in another selfheal ({_read(descriptor).words()}).",
                "Close it there first; to look on: selfheal resume SESSION, in a terminal",
            )
        _write(descriptor, Holder(os.getpid(), socket.gethostname(), _started(os.getpid())))
        try:
            yield
        finally:
            _write(descriptor, None)
    finally:
        os.close(descriptor)


def driver_of(folder: Path) -> Holder | None:
    """Return who drives the session now; None when nobody does."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try(descriptor, fcntl.LOCK_SH) else _read(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    """Take the lock unless a driver has it. Who only looks shares it for an instant; a driver's is exclusive."""
    for _ in range(_TRIES):
        if _try(descriptor, fcntl.LOCK_EX):
            return True
        if not _try(descriptor, fcntl.LOCK_SH):
            return False
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(0)
    return False


def _try(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise SessionError(
            f"The session cannot be locked where it lies ({error.strerror}).",
            "Keep sessions on a file system with locks: --sessions DIR",
        ) from error
    return True


def _write(descriptor: int, holder: Holder | None) -> None:
    try:
        os.ftruncate(descriptor, 0)
        if holder is not None:
            os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)
    except OSError:
        pass  # the lock holds all the same; on a full disk it cannot be told by whom


def _read(descriptor: int) -> Holder:
    try:
        fields = json.loads(os.pread(descriptor, _TEXT_BYTES, 0))
        holder = Holder(int(fields["pid"]), one_line(str(fields["host"]), 60), str(fields["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder()
    stale = holder.host == socket.gethostname() and holder.started != _started(holder.pid)
    return Holder() if stale else holder


def _started(pid: int) -> str:
    """Return when a process of this machine began; empty when there is none, or where the system does not say."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return words.rpartition(")")[2].split()[19]
