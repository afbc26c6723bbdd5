"""The folder of a matrix: what it was begun with, a run's folder for each cell, the replies they share, the table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.store.clock import now_at
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.walled import read_below
from selfheal_tui.whole_file import write_whole

from ..running.shelf import FOLDER as REPLIES
from ..saved.journal import DEFAULT_PARENT
from ..saved.own_runs import check_own_run, check_run_folder, note_run

FORMAT = 1
HEADER, TABLE, REPORT = "matrix.json", "table.json", "table.md"
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class MatrixFolder:
    """An open folder; this process is its only writer."""

    path: Path
    header: Mapping[str, Any]

    def write_report(self, matrix: Mapping[str, Any], markdown: str) -> None:
        """Write the table, whole or not at all. Raises: SessionError."""
        _write(self.path / TABLE, json.dumps(matrix, indent=1, ensure_ascii=False) + "\n")
        _write(self.path / REPORT, markdown)


@contextmanager
def open_matrix(folder: Path, header: Mapping[str, Any], *, resume: bool, trusted: bool) -> Iterator[MatrixFolder]:
    """Begin a matrix in a folder, or go on with the one there: cells may have come to its file meanwhile.

    `trusted` makes a folder this user's own. Raises: InputError, SessionError.
    """
    check_run_folder(folder, (HEADER, TABLE, REPORT), (REPLIES,))
    begun = (folder / HEADER).exists()
    if begun and not resume:
        raise InputError(f"{folder} holds a matrix already.", "Go on with it by --resume, or choose another --out DIR.")
    if resume and not begun:
        raise InputError(f"{folder} holds no matrix to resume.", "Name its folder with --out.")
    if begun:
        content = read_below(folder, Path(HEADER), _MOST_BYTES)
        if trusted:
            note_run(folder, content)
        check_own_run(folder, content)
        header = {**_read(folder, content), "cells": header["cells"]}
    else:
        header = {"format": FORMAT, "started_at": now_at(), **header}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written ({error.strerror}).", "Choose another --out DIR.") from error
    with open_driver_lock(folder):
        text = json.dumps(header, indent=1) + "\n"
        _write(folder / HEADER, text)
        note_run(folder, text.encode("utf-8", "backslashreplace"))
        yield MatrixFolder(folder, header)


def unfinished_matrix() -> Path:
    """Return the newest matrix below the current folder that was not finished. Raises: InputError."""
    for header in sorted(Path(DEFAULT_PARENT).glob(f"*/{HEADER}"), reverse=True):
        try:
            done = json.loads((header.parent / TABLE).read_bytes())["complete"]
        except (OSError, ValueError, KeyError, TypeError):
            done = False
        if not done:
            return header.parent
    raise InputError(f"There is no unfinished matrix in {DEFAULT_PARENT}/.", "Name its folder with --out DIR.")


def _read(folder: Path, content: bytes) -> dict[str, Any]:
    try:
        header = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / HEADER} is damaged: it is no JSON.") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{folder} holds a matrix of another version of selfheal.", "Begin a new one.")
    return header


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"), 0o644)
    except OSError as error:
        raise SessionError(f"{path} cannot be written ({error.strerror}).") from error
