"""All sessions of a home folder: create, list, find, rename, delete. Never imports LangGraph."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.money import round_usd
from selfheal_tui.text import one_line

from .damage import reading
from .history import ROWS_SQL, asked_kind, checkpoint_facts
from .lock import driver_of, open_driver_lock
from .marks import HIDE, TITLE
from .migrations import READABLE
from .own_files import check_session_folder
from .readable import readable_uri
from .schema import SCHEMA_VERSION
from .trash import Trash

DB_NAME = "session.db"
MOST_TITLE = 120
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One line of the sessions list."""

    session_id: str
    title: str
    created_at: str
    updated_at: str
    outcome: str
    """healed nothing_to_heal waiting gave_up stalled budget stopped failed running damaged other_version."""
    reason: str
    iteration: int
    branches: int
    size_bytes: int
    waiting_for: str
    """diagnosis, repair or code when a question waits, race where one waits for the choice of a lane; else empty."""
    calls: int = 0
    """Model calls over all branches; what was replayed is not counted."""
    tokens: int = 0
    cost_usd: float | None = 0.0
    """None when the price of a call is not known."""
    driver: str = ""
    """Who works on it now, as `process 123 on HOST`; empty for nobody."""
    failure: str = ""
    """What failed, in a word: model, key, sandbox, settings, tests or file; empty where unknown."""
    folder: str = ""
    """The folder that its files were copied from; empty for a demo and for code written from a spec."""
    ran_outcome: str = ""
    """`outcome` of the branch that ran last: another one where the session stands on a fork that never ran."""
    stands: str = ""
    """The branch on which the session goes on; empty before it ran."""
    healed_branches: tuple[str, ...] = ()
    """The shown branches that are healed, in the order in which they were begun."""
    left_for_you: str = ""
    """What full autonomy left for a person to decide, `repair` or another kind of question; empty for nothing."""

    @property
    def healed_beside(self) -> str:
        """The first healed branch, where the session stands on one that is not; empty else."""
        return "" if self.stands in self.healed_branches else next(iter(self.healed_branches), "")


class SessionStore:
    """The home folder."""

    def __init__(self, home: Path, graph_version: int | None = None) -> None:
        """A session of another graph than `graph_version` is listed as of another version; None asks nothing."""
        self.home = home
        self._graph_version = graph_version
        self.trash = Trash(home)
        self._read: dict[str, tuple[object, SessionRow, bool]] = {}
        """Session id -> the file's stamp, its line, and whether another branch than it stands on is on its way: what
        has not changed is not read again."""

    def new_id(self, title: str) -> str:
        """Return an id for a session that is not there yet; nothing is written."""
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:24].strip("-") or "session"
        return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(2)}"

    def create_folder(self, title: str, session_id: str = "") -> tuple[str, Path]:
        """Make a new session's folder; return its id and path. Raises: InputError when it cannot be written.

        `session_id` is what `new_id` returned earlier; empty for a new one.
        """
        session_id = session_id or self.new_id(title)
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
        """Return a session's folder. Raises: InputError when there is none, SessionError where a link stands in it."""
        folder = self.home / session_id
        if not session_id or "/" in session_id or not (folder / DB_NAME).is_file():
            raise InputError(f"There is no session {session_id!r} in {self.home}.", "See: selfheal sessions list")
        check_session_folder(folder, DB_NAME)
        return folder

    def find(self, prefix: str | None) -> str:
        """Return the one session id that starts with `prefix`; the newest for None. Raises: InputError."""
        ids = self._ids()
        if prefix is None:
            if not ids:
                raise InputError(f"There is no session in {self.home} yet.", "Start one: selfheal demo")
            return self.rows()[0].session_id
        if prefix in ids:
            return prefix
        matches = [i for i in ids if prefix and (i.startswith(prefix) or i.endswith("-" + prefix))]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise InputError(
                f"{len(matches)} sessions match {prefix!r} in {self.home}: {_listed(matches)}.",
                "Give more of the one that is meant.",
            )
        raise InputError(f"There is no session {prefix!r} in {self.home}.", "See: selfheal sessions list")

    def ids(self) -> list[str]:
        """Return all ids, the one written last first. Raises: InputError when the home cannot be read."""
        return sorted(self._ids(), key=lambda i: _stamp(self.home / i)[0], reverse=True)

    def rows(self) -> list[SessionRow]:
        """Return all sessions, newest first. Raises: InputError when the home cannot be read."""
        return sorted((self.row(i) for i in self._ids()), key=lambda row: row.updated_at, reverse=True)

    def row(self, session_id: str) -> SessionRow:
        """Return one session's line; a file that cannot be read is shown as damaged, never hidden.

        Raises: OSError when its folder is not there (any more).
        """
        folder = self.home / session_id
        holder = driver_of(folder)
        stamp = _stamp(folder)
        stamped_row = self._read.get(session_id)
        if stamped_row is None or stamped_row[0] != stamp:
            stamped_row = self._read[session_id] = (stamp, *self._read_row(session_id, folder))
        _, row, runs_beside = stamped_row
        if holder is not None and runs_beside and row.waiting_for:
            # A race, or a fork: the question that it was begun at is not what it waits for.
            row = replace(row, outcome="running", ran_outcome="running", reason="", waiting_for="")
        return replace(row, driver=holder.words() if holder else "")

    def _read_row(self, session_id: str, folder: Path) -> tuple[SessionRow, bool]:
        size = sum(f.stat().st_size for f in folder.iterdir() if f.is_file())
        touched = datetime.fromtimestamp((folder / DB_NAME).stat().st_mtime, UTC).isoformat(timespec="milliseconds")
        path = folder / DB_NAME
        unread = SessionRow(session_id, session_id, touched, touched, "damaged", "", 0, 0, size, "")
        try:
            check_session_folder(folder, DB_NAME)
            try:
                told = _told(path, f"{path.absolute().as_uri()}?mode=ro", self._graph_version)
            except sqlite3.OperationalError:
                with readable_uri(path) as uri:
                    told = _told(path, uri, self._graph_version)
        except OtherVersion as error:
            return replace(unread, title=error.title or session_id, outcome="other_version", reason=str(error)), False
        except (sqlite3.Error, SessionError, OSError) as error:
            return replace(unread, reason=str(error)), False
        meta, facts = told.meta, told.facts
        calls, tokens, cost_usd = told.bill
        here = [f for f in facts if f.get("branch", "main") == meta.get("stands")]
        last = (here or facts or [{}])[-1]
        waiting = asked_kind(str(last.get("next", ""))) if last.get("asking") else ""
        if told.lanes:
            waiting = "race" if _are_at_rest(told.lanes, facts) else ""
            last = {**last, "asking": bool(waiting), "outcome": "", "reason": ""}
        outcome = "waiting" if waiting else last.get("outcome") or ("failed" if meta.get("error") else "running")
        # Earlier files tell the reason of the last end only, which may have been undone.
        reason = last.get("reason", "" if waiting else meta.get("reason", ""))
        newest = facts[-1] if facts else {}
        runs_beside = newest.get("branch") != last.get("branch") and not (newest.get("asking") or newest.get("outcome"))
        times = [str(time) for time in (last.get("created_at"), newest.get("created_at"), told.acted_at) if time]
        row = SessionRow(
            session_id=session_id,
            title=meta.get("title", session_id),
            created_at=meta.get("created_at", touched),
            updated_at=max(times, default=meta.get("created_at", touched)),
            outcome=outcome,
            reason=meta.get("error", "") if outcome == "failed" else str(reason),
            iteration=int(last.get("iteration", 0)),
            branches=len({f.get("branch", "main") for f in facts}) or 1,
            size_bytes=size,
            waiting_for=waiting,
            calls=calls,
            tokens=tokens,
            cost_usd=cost_usd,
            failure=meta.get("error_subject", "") if outcome == "failed" else "",
            folder=meta.get("root", ""),
            ran_outcome=outcome if len(here) != 1 else _ran_outcome(facts, meta) or outcome,
            stands=str(last.get("branch", "main")) if facts else "",
            healed_branches=_healed_branches(facts, meta),
            left_for_you=_left_for_you(here or facts) if outcome == "gave_up" else "",
        )
        return row, runs_beside

    def rename(self, session_id: str, title: str) -> None:
        """Give a session another title, which can be undone as all that a user does to a session.

        Raises: InputError for an empty one, SessionError when it is driven.
        """
        from .acts import new_act  # it needs aiosqlite, and a list of sessions does not

        title = one_line(title, MOST_TITLE)
        if not title:
            raise InputError("A title is needed.", "Give a few words.")
        folder = self.folder(session_id)
        with open_driver_lock(folder):
            try:
                with closing(sqlite3.connect(folder / DB_NAME, timeout=2)) as connection, connection:
                    rows = connection.execute("select value from meta where key='title'").fetchone()
                    before = rows[0] if rows else None
                    if before != title:
                        connection.execute("insert or replace into meta values('title', ?)", (title,))
                        words = f"the change of its title to {title!r}"
                        connection.execute(*new_act("title", {"words": words, "meta": {TITLE: [before, title]}}))
            except sqlite3.Error as error:
                raise SessionError(f"Session {session_id} cannot be renamed ({error}).") from error

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


def _ran_outcome(facts: Sequence[Mapping[str, Any]], meta: Mapping[str, str]) -> str:
    """Return the outcome of the branch that ran last, of those that are shown; empty for none."""
    moments = Counter(one.get("branch", "main") for one in facts)
    ran = [one for one in facts if moments[name := one.get("branch", "main")] > 1 and not meta.get(f"{HIDE}{name}")]
    return str(ran[-1].get("outcome", "")) if ran else ""


def _healed_branches(facts: Sequence[Mapping[str, Any]], meta: Mapping[str, str]) -> tuple[str, ...]:
    """Return the shown branches whose newest moment is healed."""
    newest = {str(one.get("branch", "main")): one for one in facts}
    return tuple(
        name for name, one in newest.items() if one.get("outcome") == "healed" and not meta.get(f"{HIDE}{name}")
    )


def _left_for_you(facts: Sequence[Mapping[str, Any]]) -> str:
    """Return the kind of the last question, where full autonomy stopped at it; empty else."""
    decided = [one for one in facts if one.get("decision_verdict")]
    is_left = decided and (decided[-1]["decision_verdict"], decided[-1].get("decision_by")) == ("stop", "policy")
    return str(decided[-1].get("decision_kind", "")) if is_left else ""


def _listed(ids: Sequence[str]) -> str:
    """Name the first ids, and say how many more there are."""
    more = len(ids) - _MOST_NAMED
    return ", ".join(sorted(ids)[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _stamp(folder: Path) -> tuple[int, int, int]:
    """Return what changes with every write: the newest time of the file and its log, and their sizes."""
    stats = []
    for name in (DB_NAME, f"{DB_NAME}-wal"):
        try:
            stats.append((folder / name).stat())
        except FileNotFoundError:
            continue
    sizes = [stat.st_size for stat in stats] + [0, 0]
    return max((stat.st_mtime_ns for stat in stats), default=0), sizes[0], sizes[1]


class _Told(NamedTuple):
    """What a session's file tells of it."""

    meta: dict[str, str]
    facts: list[dict[str, Any]]
    """Checkpoints, oldest first."""
    bill: tuple[int, int, float | None]
    """Calls, tokens and dollars."""
    acted_at: str
    """When the user acted last; empty for never."""
    lanes: tuple[str, ...]
    """The branches of the race that it goes on with; none where it goes on with something else."""


def _told(path: Path, uri: str, graph_version: int | None) -> _Told:
    """Read a session's file. Raises: SessionError."""
    with reading(f"the file {path}"), closing(sqlite3.connect(uri, uri=True, timeout=2)) as connection:
        meta = {str(k): str(v) for k, v in connection.execute("select key, value from meta")}
        _check_version(meta, graph_version)
        has_history = connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone()
        rows = connection.execute(ROWS_SQL).fetchall() if has_history else []
        return _Told(meta, checkpoint_facts(rows), _spent(connection), _acted_at(connection), _lanes(connection))


class OtherVersion(SessionError):
    """Another version of selfheal wrote the session: its rows may mean something else."""

    def __init__(self, title: str, words: str) -> None:
        super().__init__(f"Another version of selfheal wrote it ({words}).", "Open it with that version.")
        self.title = title


def _check_version(meta: Mapping[str, str], graph_version: int | None) -> None:
    title, store = meta.get("title", ""), meta.get("schema_version")
    if store is not None and store not in READABLE:
        raise OtherVersion(title, f"store {one_line(store, 20)}, here {SCHEMA_VERSION}")
    if graph_version is None or "initial" not in meta:
        return
    graph = json.loads(meta["initial"])["graph_version"]
    if graph != graph_version:
        raise OtherVersion(title, f"graph {one_line(str(graph), 20)}, here {graph_version}")


def _acted_at(connection: sqlite3.Connection) -> str:
    """Return when the user acted last on what the session does; empty for never. A new title is no such act."""
    if not connection.execute("select 1 from sqlite_master where name='act'").fetchone():
        return ""
    return str(connection.execute("select coalesce(max(at), '') from act where kind<>'title'").fetchone()[0])


def _lanes(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the branches of the race that a session goes on with."""
    has_acts = connection.execute("select 1 from sqlite_master where name='act'").fetchone()
    if not has_acts or not connection.execute("select 1 from act where kind='race' limit 1").fetchone():
        return ()
    from .acts import ACTS_SQL, RACE, fold, read_act  # it needs aiosqlite, and most lists of sessions do not
    from .races import lanes_of, newest_run

    done = fold(map(read_act, connection.execute(f"{ACTS_SQL} order by id"))).done
    newest = newest_run(done)
    return tuple(lanes_of(newest, done)) if newest is not None and newest.kind == RACE else ()


def _are_at_rest(lanes: Sequence[str], facts: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether every lane of a race has ended or waits for a decision: then the race waits for its own."""
    newest = {str(one.get("branch", "main")): one for one in facts}
    return all(name in newest and (newest[name].get("asking") or newest[name].get("outcome")) for name in lanes)


def _spent(connection: sqlite3.Connection) -> tuple[int, int, float | None]:
    """Return calls, tokens and dollars over all branches; dollars are None when a call has no known price."""
    if not connection.execute("select 1 from sqlite_master where name='usage'").fetchone():
        return 0, 0, 0.0
    row: tuple[Any, ...] = connection.execute(
        "select coalesce(sum(calls), 0), coalesce(sum(input_tokens + output_tokens), 0),"
        " coalesce(sum(cost_usd), 0.0), coalesce(sum(unpriced_calls), 0) from usage where role<>''"
    ).fetchone()
    return int(row[0]), int(row[1]), None if row[3] else round_usd(float(row[2]))
