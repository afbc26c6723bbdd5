"""A run's folder, looked at from outside: also while its tasks still run, and one that came from somebody else.

Nothing is written there, no link is followed out of it, and what the files say is made whole before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.store.lock import driver_of
from selfheal_tui.walled import read_below

from ..figures.metrics import TaskResult
from ..figures.saved_results import whole_result
from .journal import FORMAT, HEADER, MOST_HEADER_BYTES, PAGE, REPORT, RESULTS, SESSIONS, SUMMARY
from .own_runs import check_own_run, check_run_folder

_MOST_BYTES = 200_000_000
"""Of results.jsonl or results.json: more than a hundred thousand tasks."""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """What a run's folder holds now."""

    folder: Path
    header: Mapping[str, Any] = field(default_factory=dict)
    """run.json; every part of it may be missing or of another type."""
    results: tuple[TaskResult, ...] = ()
    """Finished tasks, in the order in which they finished."""
    selected: int | None = None
    """How many tasks were to be run; None where that is not known."""
    complete: bool = False
    driver: str = ""
    """Who runs it now, as `process 123 on HOST`; empty for nobody."""
    is_own: bool = False
    """This user started it here."""
    not_read: int = 0
    """Lines of results.jsonl that are no result."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """results.json, which is there once the run has ended or was stopped."""
    damage: str = ""
    """Why it cannot be shown, in a sentence; empty where it can."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def suite(self) -> str:
        """The suite's name; foreign text."""
        return str(part(self.header, "config", "suite") or "")

    @property
    def models(self) -> str:
        """The models that the run asks; foreign text."""
        models = part(self.header, "config", "models")
        items = models.items() if isinstance(models, Mapping) else ()
        return ", ".join(str(name) if role == "*" else f"{role}={name}" for role, name in items)

    @property
    def started_at(self) -> str:
        """When it began; foreign text."""
        return str(self.header.get("started_at") or "")

    @property
    def sessions(self) -> Path:
        """Where its sessions lie, as far as they were kept."""
        return self.folder / SESSIONS


def part(value: Any, *names: str) -> Any:
    """Return what lies below these names; None where there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def load_run(folder: Path) -> SavedRun:
    """Read a run's folder as it is now; what is wrong with it is said in `damage`."""
    try:
        check_run_folder(folder, (HEADER, RESULTS, SUMMARY, REPORT, PAGE, "lock"), (SESSIONS,))
        content = _bytes(folder, HEADER, MOST_HEADER_BYTES)
        header = _object(content, HEADER)
    except SelfHealError as error:
        return SavedRun(folder, damage=str(error))
    if header.get("format") != FORMAT:
        return SavedRun(folder, damage="It is a run of another version of selfheal.")
    holder = driver_of(folder)
    try:
        results, not_read = _results(folder)
        report = _report(folder)
    except SelfHealError as error:
        return SavedRun(folder, header, damage=str(error))
    selected = _selected(part(header, "chosen", "selected"), report.get("selected"))
    return SavedRun(
        folder,
        header,
        results,
        selected,
        complete=report.get("complete") is True and (selected is None or len(results) >= selected),
        driver=holder.words() if holder is not None else "",
        is_own=_is_own(folder, content),
        not_read=not_read,
        report=report,
    )


def list_runs(parent: Path) -> list[Path]:
    """Return the folders of runs below a folder, the newest first; none where there is no such folder."""
    try:
        folders = [path for path in parent.iterdir() if not path.is_symlink() and (path / HEADER).is_file()]
    except OSError:
        return []
    return sorted(folders, key=lambda path: (_changed_at(path), path.name), reverse=True)


def stamp(folder: Path) -> tuple[object, ...]:
    """Return what differs once the folder holds something else, or is driven or left."""
    marks: list[object] = []
    for name in (HEADER, RESULTS, SUMMARY, "lock"):
        try:
            stat = (folder / name).lstat()
            marks.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
        except OSError:
            marks.append(None)
    return (*marks, driver_of(folder) is not None)


def _changed_at(folder: Path) -> int:
    try:
        return (folder / HEADER).lstat().st_mtime_ns
    except OSError:
        return 0


def _is_own(folder: Path, header: bytes) -> bool:
    try:
        check_own_run(folder, header)
    except InputError:
        return False
    return True


def _selected(*values: Any) -> int | None:
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 10**9), None)


def _results(folder: Path) -> tuple[tuple[TaskResult, ...], int]:
    """Return the finished tasks, and how many lines are none; a line that is still being written does not count."""
    if not (folder / RESULTS).exists():
        return (), 0
    content = _bytes(folder, RESULTS, _MOST_BYTES)
    lines = content[: content.rfind(b"\n") + 1].split(b"\n")
    results: dict[str, TaskResult] = {}
    wrong = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            result = whole_result(json.loads(line))
        except (ValueError, RecursionError):
            result = None
        if result is None:
            wrong += 1
        else:
            results[result["id"]] = result
    return tuple(results.values()), wrong


def _report(folder: Path) -> Mapping[str, Any]:
    """Return results.json without its tasks, which results.jsonl has; empty where there is none that can be read."""
    if not (folder / SUMMARY).exists():
        return {}
    try:
        report = _object(_bytes(folder, SUMMARY, _MOST_BYTES), SUMMARY)
    except InputError:
        return {}
    return {name: value for name, value in report.items() if name != "tasks"}


def _bytes(folder: Path, name: str, most: int) -> bytes:
    try:
        content = read_below(folder, Path(name), most)
    except OSError as error:
        raise InputError(f"{folder / name} cannot be read ({error.strerror}).") from error
    if len(content) > most:
        raise InputError(f"{folder / name} is larger than any run's.")
    return content


def _object(content: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Its {name} is damaged.") from error
    if not isinstance(value, dict):
        raise InputError(f"Its {name} is damaged.")
    return value
