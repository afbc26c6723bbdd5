"""A task at a worker on another machine: in a folder of its own there, in the sandbox there, with the keys of there.

Nothing here knows Ray: `work` is a generator of small values, the last of which is the end. While the reader has not
taken a value, the task stands still: what was paid for leaves the machine before the session goes on.
"""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session
from selfheal_tui.errors import InputError, ProviderError, SandboxError, SelfHealError, SessionError, SettingsError
from selfheal_tui.extensions import enable, enabled_record
from selfheal_tui.llm.registry import check_ready
from selfheal_tui.store.own_files import check_folder

from .cases import GivenTests
from .metrics import TaskResult
from .one_task import Judged, Paid, Stuck, run_task
from .origin import versions
from .own_metrics import load_metrics
from .records import BenchRecord

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.settings import Settings

_PREFIX = "run-"
_TRIES = 10
_KINDS: tuple[type[SelfHealError], ...] = (SettingsError, InputError, ProviderError, SandboxError, SessionError)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is the same for all tasks of a run. It holds no key: a worker has its own."""

    run_id: str
    settings: Settings
    open_workbench: Callable[[Settings], Workbench]
    options: RunOptions
    given_tests: GivenTests
    versions: Mapping[str, str]
    """Of the driver's machine; figures of others do not go into one run."""
    prompts: Mapping[str, str] | None
    """File name -> text of the user's own prompts; None for the bundled ones."""
    keep: bool
    """The session is wanted back at the end too."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The session as a file, with all that was paid so far."""

    session: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """The task's end."""

    result: TaskResult
    session: bytes
    """Empty where nobody keeps it."""
    isolation: tuple[str, ...]
    host: str


@dataclass(frozen=True, slots=True)
class Broke:
    """The task could not go on there."""

    error: str
    """Name of an error of errors.py."""
    message: str
    hint: str
    host: str
    of_task: bool
    """Only this task is concerned, so that others may go on."""

    def as_error(self) -> SelfHealError:
        """Return the error, which says where it happened."""
        kind = next((kind for kind in _KINDS if kind.__name__ == self.error), SelfHealError)
        return kind(f"On the worker {self.host}: {self.message}", self.hint)


Told = Kept | Done | Broke


def work(setup: Setup, record: BenchRecord, session: bytes) -> Iterator[Told]:
    """Run a task, or go on with its session; the last value is a `Done` or a `Broke`. Closing the iterator stops."""
    try:
        room = _Room.of(setup)
    except SelfHealError as error:
        yield _broke(error, of_task=False)
        return
    except OSError as error:
        yield _broke(SessionError(f"its folder cannot be written ({error.strerror})."), of_task=True)
        return
    steps = room.steps(record, session)
    try:
        while (told := room.runner.run(_next(steps))) is not None:
            yield told
    finally:
        room.runner.run(steps.aclose())


async def _next(steps: AsyncGenerator[Told, None]) -> Told | None:
    return await anext(steps, None)


class _Room:
    """What this process keeps between tasks of a run: a folder, a sandbox that is warm, an event loop."""

    _current: _Room | None = None

    def __init__(self, setup: Setup) -> None:
        if setup.versions != (here := versions()):
            different = next(name for name in setup.versions if setup.versions[name] != here.get(name))
            raise InputError(
                f"it has {different} {here.get(different)}, and the run was begun with {setup.versions[different]}.",
                "Install the same versions on all machines.",
            )
        enable(setup.settings.plugins)
        if (wanted := setup.options.policy.get("plugins", {})) != (found := enabled_record()):
            name = next(name for name in (*wanted, *found) if wanted.get(name) != found.get(name))
            raise InputError(
                f"its plug-in {name} is {found.get(name, 'not there')}, and the run was begun with "
                f"{wanted.get(name, 'none')}.",
                "Install the same plug-ins on all machines.",
            )
        try:
            check_ready(setup.options.models.values())
        except SettingsError as error:
            raise SettingsError(error.message, "Set it there: keys are never sent to workers.") from error
        self.setup = setup
        self.folder, self._held = _own_folder()
        settings = replace(setup.settings, sessions=self.folder / "sessions")
        if setup.prompts is not None:
            settings = replace(settings, prompts=self.folder / "prompts")
            (self.folder / "prompts").mkdir()
            for name, text in setup.prompts.items():
                (self.folder / "prompts" / Path(name).name).write_text(text, "utf-8")
        self.workbench = setup.open_workbench(settings)
        self.runner = asyncio.Runner()

    @classmethod
    def of(cls, setup: Setup) -> _Room:
        """Return the room of this process for a run."""
        if cls._current is None or cls._current.setup.run_id != setup.run_id:
            if cls._current is not None:
                cls._current.close()
            cls._current = None
            cls._current = cls(setup)
        return cls._current

    def close(self) -> None:
        """Stop the sandbox and remove the folder."""
        self.runner.run(self.workbench.aclose())
        self.runner.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._held)

    async def steps(self, record: BenchRecord, session: bytes) -> AsyncGenerator[Told, None]:
        """Yield what is to be sent back of one task."""
        setup, session_id = self.setup, None
        try:
            if session:
                session_id = await self._take_in(session)
            metrics = load_metrics()
            steps = run_task(self.workbench, record, setup.options, setup.given_tests, session_id, metrics=metrics)
            async with aclosing(steps) as task:
                async for step in task:
                    match step:
                        case Paid():
                            yield Kept(self._file(step.session_id))
                        case Stuck():
                            yield Kept(self._file(step.session_id))
                            yield _broke(step.error, of_task=True)
                        case Judged():
                            kept = step.session_id if setup.keep else None
                            isolation = self.workbench.sandbox.isolation
                            yield Done(step.result, self._file(kept) if kept else b"", isolation, socket.gethostname())
        except SelfHealError as error:
            yield _broke(error, of_task=not isinstance(error, SandboxError | SettingsError))
        except OSError as error:
            yield _broke(SessionError(f"its folder cannot be written ({error.strerror})."), of_task=True)
        finally:
            for row in self.workbench.list_sessions():
                with suppress(SelfHealError):
                    await self.workbench.delete_session(row.session_id)

    async def _take_in(self, session: bytes) -> str:
        path = self.folder / "task.selfheal"
        path.write_bytes(session)
        try:
            return (await read_session(self.workbench.store, path)).session_id
        finally:
            path.unlink()

    def _file(self, session_id: str) -> bytes:
        target = io.BytesIO()
        write_session(self.workbench.store.folder(session_id), target, os.environ, "")
        return target.getvalue()


def _broke(error: SelfHealError, *, of_task: bool) -> Broke:
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), SelfHealError)
    return Broke(kind.__name__, error.message, error.hint, socket.gethostname(), of_task)


def _own_folder() -> tuple[Path, int]:
    """Make this process's folder, below one of this user's own; return it with what marks it as in use.

    Those of processes that were killed are removed. Raises: OSError, SessionError where something else stands there.
    """
    above = Path(tempfile.gettempdir()) / f"selfheal-bench-{os.getuid()}"
    check_folder(above)
    above.mkdir(mode=0o700, exist_ok=True)
    if above.stat().st_uid != os.getuid():
        raise SessionError(f"{above} belongs to somebody else.", "Set TMPDIR there to another folder.")
    for left in above.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            held = _hold(left)
            try:
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(held)
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=above))
        with suppress(OSError):
            held = _hold(folder)
            # Another process that cleans up may have been faster than the mark.
            if folder.exists():
                return folder, held
            os.close(held)
    raise SessionError(f"{above} has no locks.", "Set TMPDIR there to a folder on a local disk.")


def _hold(folder: Path) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def prompt_texts(folder: Path | None) -> Mapping[str, str] | None:
    """Return the user's own prompts as they are sent along."""
    if folder is None:
        return None
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.yaml"))}
