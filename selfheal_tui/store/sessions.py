"""All sessions of a home folder: create, list, find, delete. Never imports LangGraph."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from selfheal_tui.errors import InputError, SessionError

from .history import ROWS_SQL, checkpoint_facts
from .lock import open_driver_lock

DB_NAME = "session.db"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One line of the sessions list."""

    session_id: str
    title: str
    created_at: str
    updated_at: str
    outcome: str
    """healed waiting gave_up stalled budget stopped failed running damaged."""
    reason: str
    iteration: int
    branches: int
    size_bytes: int
    waiting_for: str
    """diagnosis, repair or code when a question waits; else empty."""


class SessionStore:
    """The home folder."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def create_folder(self, title: str) -> tuple[str, Path]:
        """Make a new session's folder; return its id and path. Raises: InputError when it cannot be written."""
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:24].strip("-") or "session"
        session_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(2)}"
        folder = self.home / session_id
        try:
            folder.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise InputError(
                f"The sessions folder {self.home} cannot be written ({error.strerror}).",
                "Give another one with --sessions DIR.",
            ) from error
        return session_id, folder

    def folder(self, session_id: str) -> Path:
        """Return a session's folder. Raises: InputError when there is none."""
        folder = self.home / session_id
        if not session_id or "/" in session_id or not (folder / DB_NAME).is_file():
            raise InputError(f"There is no session {session_id!r} in {self.home}.", "See: selfheal sessions list")
        return folder

    def find(self, prefix: str | None) -> str:
        """Return the one session id that starts with `prefix`; the newest for None. Raises: InputError."""
        ids = self._ids()
        if prefix is None:
            if not ids:
                raise InputError(f"There is no session in {self.home} yet.", "Start one: selfheal demo")
            return max(ids, key=lambda i: (self.home / i / DB_NAME).stat().st_mtime)
        if prefix in ids:
            return prefix
        found = [i for i in ids if prefix and (i.startswith(prefix) or i.endswith("-" + prefix))]
        if len(found) == 1:
            return found[0]
        what = f"{len(found)} sessions match" if found else "There is no session"
        raise InputError(f"{what} {prefix!r} in {self.home}.", "See: selfheal sessions list")

    def rows(self) -> list[SessionRow]:
        """Return all sessions, newest first. Raises: InputError when the home cannot be read."""
        return sorted((self.row(i) for i in self._ids()), key=lambda row: row.updated_at, reverse=True)

    def row(self, session_id: str) -> SessionRow:
        """Return one session's line; a file that cannot be read is shown as damaged, never hidden."""
        folder = self.home / session_id
        size = sum(f.stat().st_size for f in folder.iterdir() if f.is_file())
        touched = datetime.fromtimestamp((folder / DB_NAME).stat().st_mtime, UTC).isoformat(timespec="milliseconds")
        try:
            with closing(sqlite3.connect(f"file:{folder / DB_NAME}?mode=ro", uri=True, timeout=2)) as connection:
                meta = dict(connection.execute("select key, value from meta").fetchall())
                has_history = connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone()
                sql = ROWS_SQL.format(where="")
                facts = checkpoint_facts(connection.execute(sql).fetchall()) if has_history else []
        except (sqlite3.Error, SessionError) as error:
            return SessionRow(session_id, session_id, touched, touched, "damaged", str(error), 0, 0, size, "")
        last = facts[-1] if facts else {}
        waiting = str(last.get("next", "")).removeprefix("review_") if last.get("asking") else ""
        outcome = "waiting" if waiting else last.get("outcome") or ("failed" if meta.get("error") else "running")
        return SessionRow(
            session_id=session_id,
            title=meta.get("title", session_id),
            created_at=meta.get("created_at", touched),
            updated_at=str(last.get("created_at") or meta.get("created_at", touched)),
            outcome=outcome,
            reason=meta.get("error", "") if outcome == "failed" else meta.get("reason", ""),
            iteration=int(last.get("iteration", 0)),
            branches=len({f.get("branch", "main") for f in facts}) or 1,
            size_bytes=size,
            waiting_for=waiting,
        )

    def delete(self, session_id: str) -> None:
        """Remove a session from disk. Raises: SessionError when it is open elsewhere."""
        folder = self.folder(session_id)
        with open_driver_lock(folder):
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise SessionError(f"Session {session_id} cannot be deleted ({error.strerror}).") from error

    def _ids(self) -> list[str]:
        try:
            with os.scandir(self.home) as entries:
                return [e.name for e in entries if e.is_dir() and (self.home / e.name / DB_NAME).is_file()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(
                f"The sessions folder {self.home} cannot be read ({error.strerror}).",
                "Give another one with --sessions DIR.",
            ) from error
