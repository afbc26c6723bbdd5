"""A run's folder: what was run (run.json) and each finished task, on disk before the next one counts (results.jsonl).

A run that was killed goes on from here: a line that was cut off is no result, everything before it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.text import one_line
from selfheal_tui.walled import read_below
from selfheal_tui.whole_file import write_whole

from ..figures.metrics import TaskResult
from ..html.page import page
from .own_runs import check_own_run, check_run_folder, note_run

FORMAT = 1
HEADER, RESULTS, SUMMARY, REPORT, SESSIONS = "run.json", "results.jsonl", "results.json", "results.md", "sessions"
PAGE = "results.html"
DEFAULT_PARENT = "bench-results"
MOST_HEADER_BYTES = 1_000_000


class Journal:
    """An open run folder."""

    def __init__(self, folder: Path, header: Mapping[str, Any], results: Mapping[str, TaskResult]) -> None:
        self.folder = folder
        self.header = header
        self.results = dict(results)
        """Task id -> result, of this run and of what it goes on from."""

    @property
    def sessions(self) -> Path:
        """Folder with a session for each task that is not finished, or that is kept."""
        return self.folder / SESSIONS

    def append(self, result: TaskResult) -> None:
        """Write a finished task down; it is on disk when this returns. Raises: SessionError."""
        line = (json.dumps(result, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
        try:
            with open(self.folder / RESULTS, "ab", buffering=0, opener=_no_link) as file:
                file.write(line)
                os.fsync(file.fileno())
        except OSError as error:
            raise SessionError(f"{self.folder / RESULTS} cannot be written ({error.strerror}).") from error
        self.results[result["id"]] = result

    def write_results(self, results: Sequence[TaskResult]) -> None:
        """Write all finished tasks, whole or not at all, in the place of those there. Raises: SessionError."""
        _write(self.folder / RESULTS, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in results))
        self.results = {row["id"]: row for row in results}

    def write_report(self, summary: Mapping[str, Any], markdown: str) -> None:
        """Write the figures, whole or not at all. Raises: SessionError."""
        figures = json.dumps(summary, indent=1, ensure_ascii=False) + "\n"
        for name, text in ((SUMMARY, figures), (REPORT, markdown), (PAGE, page(summary))):
            _write(self.folder / name, text)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextmanager
def open_journal(folder: Path, header: Mapping[str, Any], *, resume: bool, own: bool = True) -> Iterator[Journal]:
    """Begin a run in a folder, or go on with the one there, as its only writer.

    `own` is False where the header was taken from elsewhere: to go on from it needs the user's word.
    Raises: InputError when the folder holds a run and is not to be resumed, SessionError when it is in use.
    """
    check_run_folder(folder, (HEADER, RESULTS, SUMMARY, REPORT, PAGE), (SESSIONS,))
    if not resume and (folder / HEADER).exists():
        raise InputError(f"{folder} holds a run already.", "Go on with it by --resume, or choose another --out DIR.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written ({error.strerror}).", "Choose another --out DIR.") from error
    with open_driver_lock(folder):
        if not resume:
            text = json.dumps(header, indent=1) + "\n"
            _write(folder / HEADER, text)
            if own:
                note_run(folder, text.encode("utf-8", "backslashreplace"))
        yield Journal(folder, header, read_results(folder))


def read_header(folder: Path) -> dict[str, Any]:
    """Return what a run was started with. Raises: InputError."""
    try:
        header = json.loads(_header_bytes(folder))
    except OSError as error:
        raise InputError(
            f"{folder} holds no run to resume ({error.strerror}).", "Name its folder with --out."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / HEADER} is damaged: {one_line(str(error))}.") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{folder} holds a run of another version of selfheal.", "Begin a new one.")
    return header


def vouch(folder: Path, trusted: bool) -> None:
    """Check that a run that is to go on is this user's own; `trusted` makes it that. Raises: InputError."""
    content = _header_bytes(folder)
    if trusted:
        note_run(folder, content)
    check_own_run(folder, content)


def is_own(folder: Path) -> bool:
    """Tell whether this user started the run in a folder."""
    try:
        vouch(folder, False)
    except (InputError, OSError):
        return False
    return True


def _header_bytes(folder: Path) -> bytes:
    return read_below(folder, Path(HEADER), MOST_HEADER_BYTES)


def read_results(folder: Path, *, mend: bool = True) -> dict[str, TaskResult]:
    """Return the finished tasks; cuts a line off that was not written to its end, on disk with `mend`.

    Raises: InputError.
    """
    path = folder / RESULTS
    try:
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        rows = [json.loads(line) for line in whole.decode("utf-8").split("\n") if line.strip()]
        results = {row["id"]: cast(TaskResult, row) for row in rows}
        if mend and whole != content:
            os.truncate(path, len(whole))
        return results
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is damaged: {error}.", "Take the damaged line out, or begin a new run.") from error


def new_folder(suite: str) -> Path:
    """Return a folder for a new run below the current one, named by time and suite; it is not made yet."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    wanted = Path(DEFAULT_PARENT) / f"{stamp}-{_plain(suite)}"
    number = 2
    while wanted.exists():
        wanted = Path(DEFAULT_PARENT) / f"{stamp}-{_plain(suite)}-{number}"
        number += 1
    return wanted


def newest_unfinished(suite: str) -> Path:
    """Return the newest run below the current folder that was not finished: of a suite, or any for an empty name.

    Raises: InputError.
    """
    for header in sorted(Path(DEFAULT_PARENT).glob(f"*/{HEADER}"), reverse=True):
        try:
            if suite in ("", read_header(header.parent)["config"]["suite"]) and not _is_complete(header.parent):
                return header.parent
        except (InputError, KeyError, TypeError):
            continue
    raise InputError(
        f"There is no unfinished run{suite and ' of ' + suite} in {DEFAULT_PARENT}/.", "Name its folder with --out DIR."
    )


def _write(path: Path, text: str) -> None:
    """Write a file of the run for all to read. Raises: SessionError."""
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"), 0o644)
    except OSError as error:
        raise SessionError(f"{path} cannot be written ({error.strerror}).") from error


def _is_complete(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / SUMMARY).read_text("utf-8"))["complete"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:40].strip("-.") or "suite"
