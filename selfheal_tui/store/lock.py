"""One driver per session: an advisory lock that the kernel frees when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selfheal_tui.errors import SessionError


@contextmanager
def open_driver_lock(folder: Path) -> Iterator[None]:
    """Hold the session's driver lock. Raises: SessionError naming who holds it."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SessionError(
            f"The session folder {folder} cannot be written ({error.strerror}).", "Check its permissions."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            raise SessionError(
                f"Session {folder.name} is open in another selfheal (process {holder}).",
                "Close it there first.",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)
