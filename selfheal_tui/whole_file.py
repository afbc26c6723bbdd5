"""Write a file in one step: another program, or a kill in between, leaves the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from errno import EDQUOT, ENOENT, ENOSPC
from pathlib import Path

from selfheal_tui.errors import InputError


def not_written(path: Path, error: OSError) -> InputError:
    """Return the error for a file that could not be written, with what can be done about it."""
    remedy = "Free space, or name another place." if error.errno in (ENOSPC, EDQUOT) else "Name another place."
    if error.errno == ENOENT:
        remedy = f"There is no folder {path.parent}: make it, or name another place."
    return InputError(f"{path} cannot be written: {error.strerror}.", f"Nothing was written. {remedy}")


def write_named(path: Path, content: bytes) -> None:
    """Write a file that the user named, whole or not at all, with the mode that the user's new files have.

    A pipe or a device is written to. Raises: OSError; then what was there is unchanged.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    mask = os.umask(0)
    os.umask(mask)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask
    write_whole(path, content, mode)


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Replace a file in one step, or make it; a link at `path` is replaced and never written through.

    Raises: OSError; then the file is unchanged, and no temporary file is left.
    """
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
        raise
