"""Which run folders this user started: a run that goes on takes model and limits from its folder, which may be foreign.

A line for each in the user's own configuration; a folder that is not known there, or whose header changed, is not
believed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.settings import own_folder
from selfheal_tui.store.own_files import check_file, check_folder

_FOLDER = "bench-runs"


def note_run(folder: Path, header: bytes, environ: Mapping[str, str] | None = None) -> None:
    """Record that this user started the run; without the record, going on with it needs --trust."""
    mark = _mark(folder, environ)
    try:
        mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.write_text(hashlib.sha256(header).hexdigest(), "ascii")
    except OSError:
        return


def check_own_run(folder: Path, header: bytes, environ: Mapping[str, str] | None = None) -> None:
    """Check that this user started the run. Raises: InputError."""
    try:
        recorded = _mark(folder, environ).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        recorded = ""
    if recorded != hashlib.sha256(header).hexdigest():
        raise InputError(
            f"{folder} was not started here by you: its model and limits are not taken.",
            "Look at its run.json; with --trust it goes on.",
        )


def check_run_folder(folder: Path, files: tuple[str, ...], folders: tuple[str, ...]) -> None:
    """Check that nothing in a run folder leads elsewhere, nor the folder itself. Raises: SessionError."""
    # A relative folder lies in the one we stand in, and that may be a stranger's.
    above = [] if folder.is_absolute() else [path for path in folder.parents if path.name]
    for path in (*above, folder, *(folder / name for name in folders)):
        check_folder(path)
    for name in files:
        check_file(folder / name)


def _mark(folder: Path, environ: Mapping[str, str] | None) -> Path:
    place = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32]
    return own_folder(os.environ if environ is None else environ) / _FOLDER / place
