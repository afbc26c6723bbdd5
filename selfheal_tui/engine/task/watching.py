"""Watching a project: its suite is run again when a file has changed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import SuiteReport

from .source_files import walk_folder
from .task import Task

Stamps = Mapping[str, tuple[int, int]]
"""Path -> time of its last change in nanoseconds, size in bytes."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The suite ran over what is there now."""

    task: Task
    report: SuiteReport


@dataclass(frozen=True, slots=True)
class Unusable:
    """What is there now cannot be run, as when a test file does not parse."""

    why: str


def read_stamps(folder: Path) -> Stamps:
    """Return when each file of a project changed last. Raises: InputError when the folder is gone."""
    stamps = {}
    for path in walk_folder(folder):
        try:
            status = path.stat()
        except OSError:
            continue  # gone meanwhile
        stamps[str(path)] = (status.st_mtime_ns, status.st_size)
    return stamps


async def watched_runs(
    folder: Path,
    load: Callable[[], Task],
    run: Callable[[Task], Awaitable[SuiteReport]],
    wait: Callable[[], Awaitable[None]],
) -> AsyncGenerator[Ran | Unusable, None]:
    """Yield a run of the suite now and after each change; never ends by itself.

    `wait` returns when it is time to look again. A file that was only touched is no change.
    Raises: InputError when the folder is gone, SandboxError.
    """
    stamps: Stamps | None = None
    files: Mapping[str, str] | None = None
    while True:
        stamps_now = read_stamps(folder)
        if stamps_now != stamps:
            stamps = stamps_now
            try:
                task = load()
            except InputError as error:
                files = None
                yield Unusable(str(error))
            else:
                if task.files != files:
                    files = task.files
                    yield Ran(task, await run(task))
        await wait()
