"""The lines of a file from elsewhere, one by one: never more in memory than one, never more on disk than announced."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NoReturn

from selfheal_tui.errors import InputError

from .form import FREE_BYTES, LARGEST_BYTES, LARGEST_LINE_BYTES, MOST_TIMES, parsed

_CHUNK = 1 << 16
_GZIP, _SQLITE = b"\x1f\x8b", b"SQLite format 3\0"


def read_lines(path: Path) -> Iterator[Any]:
    """Yield what each line holds, as plain JSON. Raises: InputError when it is no whole exported session."""
    with closing(_opened(path)) as file:
        start = file.read(len(_SQLITE))
        if start == _SQLITE:
            raise InputError(
                f"{path} is a database, and one from elsewhere is never opened.",
                "Where it comes from, run: selfheal sessions export SESSION --format session -o FILE",
            )
        if start[:2] != _GZIP:
            raise InputError(
                f"{path} is no exported session.",
                "One is written by: selfheal sessions export SESSION --format session -o FILE",
            )
        size = os.fstat(file.fileno()).st_size
        file.seek(0)
        try:
            for number, line in enumerate(_unpacked(path, file, max(FREE_BYTES, MOST_TIMES * size)), 1):
                yield _value(path, number, line)
        except zlib.error as error:
            refuse(path, f"is damaged ({error})")


def refuse(path: Path, why: str) -> NoReturn:
    """Raise InputError: nothing of the file is taken."""
    raise InputError(f"{path} {why}.", "Nothing was imported; export it again where it comes from.")


def _opened(path: Path) -> IO[bytes]:
    """Open a regular file; nothing else is waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{path} is no regular file.", "Give a file that `sessions export --format session` wrote.")
    return os.fdopen(descriptor, "rb")


def _unpacked(path: Path, file: IO[bytes], most: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    total, pending = 0, b""
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or file.read(_CHUNK)
        if not packed:
            refuse(path, "ends early")
        piece = unpacker.decompress(packed, _CHUNK)
        total += len(piece)
        if total > min(most, LARGEST_BYTES):
            refuse(path, f"unpacks to more than {min(most, LARGEST_BYTES) / 1e6:.0f} MB")
        *lines, pending = (pending + piece).split(b"\n") if b"\n" in piece else (pending + piece,)
        yield from lines
        if len(pending) > LARGEST_LINE_BYTES:
            refuse(path, f"has a line of more than {LARGEST_LINE_BYTES / 1e6:.0f} MB")
    if pending or unpacker.unused_data or file.read(1):
        refuse(path, "goes on after its end")


def _value(path: Path, number: int, line: bytes) -> Any:
    try:
        return parsed(line)
    except ValueError:
        refuse(path, f"cannot be read at line {number}")
