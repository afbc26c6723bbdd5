"""What a suite's data holds, entry by entry: a row, or a sentence about why there is none. A bad one spoils no other.

A file is JSONL, a JSON list (both plain or gzipped), Parquet or Arrow; a folder holds Parquet or Arrow files.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .columnar import COLUMNAR, read_columnar

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a suite's data."""

    where: str
    """File and line, row or folder, as a person looks for it."""
    row: Row | None
    """None where it cannot be read."""
    problem: str = ""
    """A sentence that names the place, where there is no row."""


@dataclass(frozen=True, slots=True)
class Entries:
    """All entries of a suite's data."""

    path: Path
    sha256: str
    """Of a file's bytes, or of a folder's rows: says which data was measured."""
    entries: tuple[Entry, ...]


def read_file(path: Path) -> Entries:
    """Read a file by its ending. Raises: InputError with one sentence when there is nothing to be read at all."""
    if path.suffix in COLUMNAR:
        rows = tuple(Entry(where, row) for where, row in read_columnar(path))
        return Entries(path, hashlib.sha256(_bytes(path)).hexdigest(), rows)
    content = _bytes(path)
    try:
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no JSONL file in UTF-8: {one_line(str(error))}.") from error
    is_list = path.name.removesuffix(".gz").endswith(".json")
    entries = _list_entries(path, text) if is_list else _line_entries(path, text)
    return Entries(path, hashlib.sha256(content).hexdigest(), tuple(entries))


def of_folder(path: Path, entries: Iterator[Entry]) -> Entries:
    """Return the entries of a folder."""
    found = tuple(entries)
    rows = json.dumps([entry.row for entry in found], sort_keys=True, default=str)
    return Entries(path, hashlib.sha256(rows.encode("utf-8", "backslashreplace")).hexdigest(), found)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.", "Check --data.") from error


def _line_entries(path: Path, text: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield _checked(where, json.loads(line))
            except (ValueError, RecursionError) as error:
                yield Entry(where, None, f"{where}, is no JSON: {one_line(str(error))}.")


def _list_entries(path: Path, text: str) -> Iterator[Entry]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {one_line(str(error))}.") from error
    if not isinstance(rows, list):
        raise InputError(f"{path} holds no list of records.")
    for number, row in enumerate(rows, 1):
        yield _checked(f"{path}, record {number}", row)


def _checked(where: str, row: Any) -> Entry:
    return Entry(where, row) if isinstance(row, dict) else Entry(where, None, f"{where}, holds no JSON object.")
