"""Where a worker on another machine works: a folder of its own there, the sandbox there, the keys of there.

Nothing here knows Ray. While the reader of a worker's values has not taken one, the work stands still: what was paid
for leaves the machine before the session goes on.
"""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session
from selfheal_tui.errors import InputError, SelfHealError, SessionError, SettingsError
from selfheal_tui.extensions import enable, enabled_record
from selfheal_tui.llm.registry import check_ready
from selfheal_tui.store.own_files import check_folder

from .versions import versions

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.settings import Settings

_PREFIX = "run-"
_TRIES = 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RoomSetup:
    """What is the same for all work of a run. It holds no key: a worker has its own."""

    run_id: str
    settings: Settings
    open_workbench: Callable[[Settings], Workbench]
    versions: Mapping[str, str]
    """Of the driver's machine; results of others do not go into one run."""
    prompts: Mapping[str, str] | None
    """File name -> text of the user's own prompts; None for the bundled ones."""
    plugins: Mapping[str, str]
    """What the driver has enabled of other packages, as `enabled_record` names it."""


class Room:
    """What this process keeps between pieces of work of a run: a folder, a sandbox that is warm, an event loop."""

    current: ClassVar[Room | None] = None

    def __init__(self, setup: RoomSetup) -> None:
        """Raises: InputError for other versions, SessionError, OSError."""
        if setup.versions != (here := versions()):
            different = next(name for name in setup.versions if setup.versions[name] != here.get(name))
            raise InputError(
                f"it has {different} {here.get(different)}, and the run was begun with {setup.versions[different]}.",
                "Install the same versions on all machines.",
            )
        enable(setup.settings.plugins)
        if (found := enabled_record()) != setup.plugins:
            name = next(n for n in (*setup.plugins, *found) if setup.plugins.get(n) != found.get(n))
            raise InputError(
                f"its plug-in {name} is {found.get(name, 'not there')}, and the run was begun with "
                f"{setup.plugins.get(name, 'none')}.",
                "Install the same plug-ins on all machines.",
            )
        self.setup = setup
        self.folder, self._held = _own_folder()
        settings = replace(setup.settings, sessions=self.folder / "sessions")
        if setup.prompts is not None:
            settings = replace(settings, prompts=self.prompts("prompts", setup.prompts))
        self.workbench = setup.open_workbench(settings)
        self.host = socket.gethostname()
        self._runner = asyncio.Runner()

    @classmethod
    def of(cls, setup: RoomSetup) -> Room:
        """Return the room of this process for a run. Raises: as the constructor."""
        if cls.current is None or cls.current.setup.run_id != setup.run_id:
            if cls.current is not None:
                cls.current.close()
            cls.current = None
            cls.current = cls(setup)
        return cls.current

    def close(self) -> None:
        """Stop the sandbox and remove the folder."""
        self._runner.run(self.workbench.aclose())
        self._runner.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._held)

    def each(self, steps: AsyncGenerator[T, None]) -> Iterator[T]:
        """Yield the steps of some work, which runs only while the next one is waited for; closing this stops it."""
        try:
            while (step := self._runner.run(_next(steps))) is not None:
                yield step
        finally:
            self._runner.run(steps.aclose())

    def prompts(self, name: str, texts: Mapping[str, str]) -> Path:
        """Write prompts into a folder of this name; return it."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for file_name, text in texts.items():
            (folder / Path(file_name).name).write_text(text, "utf-8")
        return folder

    async def take_in(self, session: bytes) -> str:
        """Make a session of a file; return its id. Raises: InputError."""
        path = self.folder / "task.selfheal"
        path.write_bytes(session)
        try:
            return (await read_session(self.workbench.store, path)).session_id
        finally:
            path.unlink()

    def file(self, session_id: str) -> bytes:
        """Return a session as a file. Raises: SessionError."""
        target = io.BytesIO()
        write_session(self.workbench.store.folder(session_id), target, os.environ, "")
        return target.getvalue()

    async def clear(self) -> None:
        """Remove all sessions: the work that made them has ended."""
        for row in self.workbench.list_sessions():
            with suppress(SelfHealError):
                await self.workbench.delete_session(row.session_id)


async def _next(steps: AsyncGenerator[T, None]) -> T | None:
    return await anext(steps, None)


def check_keys(models: Iterable[str]) -> None:
    """Raise SettingsError when this machine lacks the key of a model."""
    try:
        check_ready(models)
    except SettingsError as error:
        raise SettingsError(error.message, "Set it there: keys are never sent to workers.") from error


def prompt_texts(folder: Path | None) -> Mapping[str, str] | None:
    """Return the user's own prompts as they are sent along."""
    if folder is None:
        return None
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.yaml"))}


def _own_folder() -> tuple[Path, int]:
    """Make this process's folder, below one of this user's own; return it with what marks it as in use.

    Those of processes that were killed are removed. Raises: OSError, SessionError where something else stands there.
    """
    above = Path(tempfile.gettempdir()) / f"selfheal-worker-{os.getuid()}"
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
