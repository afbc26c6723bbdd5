"""Reading a session: its moments, programs, reports and decisions. Nothing is written, and nothing runs.

Each look opens the file and closes it, so a session can be read beside whoever drives it, and nothing is left open.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import GRAPH_VERSION
from selfheal_tui.engine.moment.timeline import Branch, Checkpoint, Timeline
from selfheal_tui.errors import InputError
from selfheal_tui.store.own_files import check_session_folder
from selfheal_tui.store.sessions import DB_NAME, SessionStore
from selfheal_tui.text import one_line

from .beside import run_to_end
from .run_settings import folder_here, settings_of

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SavedDecision:
    """A question that was answered."""

    checkpoint: str
    """The moment right after the answer."""
    branch: str
    iteration: int
    kind: str
    """What it was about: diagnosis, repair, code, tests, budget, stalled or end."""
    verdict: str
    """approve, edit, reject or stop."""
    note: str
    by: str
    """`human`, `policy` (the autonomy answered), or the name of a rule."""


class Session:
    """A session on disk; get one from `Session.open`."""

    def __init__(self, folder: Path, title: str) -> None:
        self.folder = folder
        self.title = title

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Session:
        """Open a session: its folder, its `session.db`, an exported file, or its id.

        An exported file (`sessions export --format session`) is unpacked into a temporary folder, which goes with the
        object. Raises: InputError when there is no session, SessionError when it is damaged or from another version.
        """
        place = Path(os.path.abspath(folder_here() / path))
        unpacked: Path | None = None
        if place.is_file() and place.name != DB_NAME:
            unpacked = Path(tempfile.mkdtemp(prefix="selfheal-"))
            try:
                place = unpacked / _taken_in(place, unpacked)
            except BaseException:
                shutil.rmtree(unpacked, ignore_errors=True)
                raise
        elif place.is_file():
            place = place.parent
        elif not os.path.lexists(place) and len(Path(path).parts) == 1:
            store = SessionStore(settings_of({}, None, trust=False).sessions, GRAPH_VERSION)
            place = store.home / store.find(os.fspath(path))
        if not (place / DB_NAME).is_file():
            raise InputError(
                f"{one_line(str(path), 200)} is no session.",
                f"Give the folder of one (it holds {DB_NAME}), an exported file, or an id.",
            )
        check_session_folder(place, DB_NAME)

        async def title(saved: SavedSession) -> str:
            return saved.title

        session = cls(place, look_into(place, title))
        if unpacked is not None:
            weakref.finalize(session, shutil.rmtree, unpacked, ignore_errors=True)
        return session

    @property
    def id(self) -> str:
        """The session's id."""
        return self.folder.name

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the facts of every moment on every branch, in the order in which they were saved."""
        return tuple(self._timeline())

    def branches(self) -> tuple[Branch, ...]:
        """Return the branches, the first one first."""
        return tuple(self._timeline().branches.values())

    def snapshot(self, checkpoint: str | Checkpoint = "") -> Snapshot:
        """Return one moment with all it holds: program, tests, report, diagnosis, candidates ...

        Without a checkpoint it is where the session stands. Raises: InputError for an unknown id, SessionError when a
        body is damaged.
        """
        wanted = checkpoint.id if isinstance(checkpoint, Checkpoint) else checkpoint

        async def moment(saved: SavedSession) -> Snapshot:
            at = wanted or await saved.head()
            return await saved.snapshot(at) if at else (await saved.beginning()).snapshot

        return look_into(self.folder, moment)

    def decisions(self) -> tuple[SavedDecision, ...]:
        """Return every answer to a question, also those that nobody was asked for (`by` says who)."""
        return tuple(
            SavedDecision(
                one.id,
                one.branch,
                one.iteration,
                one.decision.get("kind", ""),
                one.decision.get("verdict", ""),
                one.decision.get("note", ""),
                one.decision.get("by", ""),
            )
            for one in self._timeline()
            if one.decision is not None
        )

    def __repr__(self) -> str:
        return f"<Session {self.id}: {one_line(self.title)}>"

    def _timeline(self) -> Timeline:
        async def timeline(saved: SavedSession) -> Timeline:
            return await saved.timeline()

        return look_into(self.folder, timeline)


def look_into(folder: Path, look: Callable[[SavedSession], Awaitable[T]]) -> T:
    """Open a session's file to look at it; return what `look` returns."""
    from selfheal_tui.engine.session.workbench import Workbench

    async def read() -> T:
        workbench = Workbench(folder.parent)
        try:
            async with workbench.watch_session(folder.name) as saved:
                return await look(saved)
        finally:
            await workbench.aclose()

    return run_to_end(lambda _: read())


def _taken_in(path: Path, home: Path) -> str:
    """Unpack an exported session; return its id. Raises: InputError."""
    from selfheal_tui.engine.out.transfer.reading import read_session

    return run_to_end(lambda _: read_session(SessionStore(home, GRAPH_VERSION), path)).session_id
