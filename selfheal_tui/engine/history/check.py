"""Whether a session is whole: what is damaged, by what it is and where it is missed, and what can still be read.

Reads only.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

from selfheal_tui.errors import SessionDamaged
from selfheal_tui.store import rows_as_far
from selfheal_tui.store.integrity import UNREADABLE, complaints, open_reading
from selfheal_tui.store.ledger import SEEN
from selfheal_tui.store.lock import driver_of
from selfheal_tui.store.migrations import READABLE, RESTORE
from selfheal_tui.store.schema import SCHEMA_VERSION

from ..moment.state import GRAPH_VERSION
from .refs import Named, state_refs
from .walk import Damage, Walk, new_damage, place, waiting_place, walk_moments, walk_others


class Readable(TypedDict):
    """The newest whole moment of a branch."""

    branch: str
    checkpoint_id: str | None
    """None when no moment of the branch is whole."""
    iteration: int
    is_head: bool


class CheckReport(TypedDict):
    """What `sessions check --json` prints for a session; sizes in bytes."""

    session_id: str
    sound: bool
    other_version: bool
    """Another version of selfheal wrote it: nothing is known to be damaged, and nothing was looked into."""
    size_bytes: int
    files: dict[str, int]
    driver: int | None
    """Process that drives the session now; 0 when it did not say which, None when nobody does."""
    driver_host: str
    """Machine of that process; empty when nobody drives it."""
    checkpoints: int
    whole: int
    """Checkpoints that can be read with all their bodies."""
    bodies: int
    bodies_bytes: int
    """Compressed, as they lie on disk."""
    orphans: int
    """Bodies that nothing names: harmless, left by a crash between a body and the moment that names it."""
    orphans_bytes: int
    damage: list[Damage]
    still_readable: list[Readable]


def check_session(folder: Path) -> CheckReport:
    """Look at everything in a session's folder. Damage is reported, never raised; nothing is written."""
    report = _empty(folder.name)
    report["files"] = {file.name: file.stat().st_size for file in sorted(folder.iterdir()) if file.is_file()}
    report["size_bytes"] = sum(report["files"].values())
    if (holder := driver_of(folder)) is not None:
        report["driver"], report["driver_host"] = holder.pid, holder.host
    try:
        with open_reading(folder) as connection:
            _look(connection, report)
    except (*UNREADABLE, OSError) as error:
        report["damage"].append(new_damage(f"The file cannot be opened: {error}."))
    report["sound"] = not report["damage"]
    return report


def check_whole(folder: Path) -> None:
    """Check that nothing in a session is damaged; whether it is one of this version, its opening says.

    Raises: SessionError, also where the file cannot be read.
    """
    report = _empty(folder.name)
    try:
        with open_reading(folder) as connection:
            if rows_as_far.has_header(connection):
                _look(connection, report)
    except OSError:
        return  # its opening says why
    except UNREADABLE as error:
        raise _damaged(folder.name, f"{error}.", is_lost=not _has_header(folder)) from error
    if report["damage"] and not report["other_version"]:
        raise _damaged(folder.name, report["damage"][0]["what"])


def _has_header(folder: Path) -> bool:
    try:
        with open_reading(folder) as connection:
            return rows_as_far.has_header(connection)
    except (*UNREADABLE, OSError):
        return False


def unnamed_bodies(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """Return the refs of bodies that nothing names. Raises: SessionError when the session is not whole.

    Where a moment cannot be read nobody knows what it names.
    """
    return sorted(_whole(connection, session_id)[1])


def named_bodies(connection: sqlite3.Connection, session_id: str) -> dict[str, str]:
    """Return ref -> words for every body that something names. Raises: SessionError when the session is not whole."""
    return _whole(connection, session_id)[0]


def _whole(connection: sqlite3.Connection, session_id: str) -> tuple[dict[str, str], set[str]]:
    report = _empty(session_id)
    words_and_unnamed = _look(connection, report)
    if report["damage"]:
        raise _damaged(session_id, report["damage"][0]["what"])
    return words_and_unnamed


def _damaged(session_id: str, sentence: str, *, is_lost: bool = False) -> SessionDamaged:
    if is_lost:
        return SessionDamaged(f"Session {session_id} is damaged: {sentence}", RESTORE, is_lost=True)
    hint = f"It can be looked at, but not changed. See: selfheal sessions check {shlex.quote(session_id)}"
    return SessionDamaged(f"Session {session_id} is damaged: {sentence}", hint)


def _look(connection: sqlite3.Connection, report: CheckReport) -> tuple[dict[str, str], set[str]]:
    """Fill the report; return the words for the bodies that something names, and the refs of those that nothing does.

    Both are only good where there is no damage.
    """
    damage = report["damage"]
    damage += [new_damage(f"SQLite says of the file: {' '.join(line.split())}.") for line in complaints(connection)]
    meta, wrong = rows_as_far.header(connection)
    if wrong:
        damage.append(new_damage(f"The session's header cannot be read: {wrong}."))
        meta |= rows_as_far.header_values(connection, ("schema_version", "initial"))
        if "schema_version" not in meta:
            return {}, set()
    if meta.get("schema_version") not in READABLE:
        version = meta.get("schema_version", "none")
        damage.append(new_damage(f"Another version of selfheal wrote it (store {version}, here {SCHEMA_VERSION})."))
        report["other_version"] = True
        return {}, set()
    initial = _initial(meta, report)
    if initial is None:
        return {}, set()
    walk = Walk(connection)
    walk.take("the session's start", state_refs(initial))
    for key, ref in meta.items():
        if key.startswith(SEEN):
            walk.take("", [Named("what a tool of the debugger saw", ref)])
    facts, unreadable = walk_moments(connection, walk, damage)
    walk_others(connection, walk, damage)
    sizes, wrong = rows_as_far.body_sizes(connection)
    if wrong:
        damage.append(new_damage(f"Some bodies cannot be listed: {wrong}."))
    unnamed = sizes.keys() - walk.states.keys()
    report["orphans"], report["orphans_bytes"] = len(unnamed), sum(sizes[ref] for ref in unnamed)
    lacking = set(unreadable)
    for ref, state in walk.states.items():
        if state:
            missed = walk.missed_by(ref)
            lacking |= missed
            places = [place(f) for f in facts if f["checkpoint_id"] in missed]
            damage.append(_lost(walk.words[ref], state, places or [*map(waiting_place, sorted(missed))]))
    report["checkpoints"] = len(facts)
    report["whole"] = sum(f["checkpoint_id"] not in lacking for f in facts)
    report["bodies"], report["bodies_bytes"] = len(sizes), sum(sizes.values())
    report["still_readable"] = list(_still(facts, lacking)) if damage else []
    return walk.words, unnamed


def _empty(session_id: str) -> CheckReport:
    return {
        "session_id": session_id,
        "sound": True,
        "other_version": False,
        "size_bytes": 0,
        "files": {},
        "driver": None,
        "driver_host": "",
        "checkpoints": 0,
        "whole": 0,
        "bodies": 0,
        "bodies_bytes": 0,
        "orphans": 0,
        "orphans_bytes": 0,
        "damage": [],
        "still_readable": [],
    }


def _initial(meta: Mapping[str, str], report: CheckReport) -> dict[str, Any] | None:
    damage = report["damage"]
    try:
        initial = cast(dict[str, Any], json.loads(meta.get("initial", "")))
        version = initial.get("graph_version")
    except (ValueError, AttributeError):
        damage.append(new_damage("The session was never written to its end, or its start is damaged."))
        return None
    if version != GRAPH_VERSION:
        damage.append(new_damage(f"Another version of selfheal wrote it (graph {version}, here {GRAPH_VERSION})."))
        report["other_version"] = True
        return None
    return initial


def _still(facts: list[dict[str, Any]], lacking: set[str]) -> Iterator[Readable]:
    branches: dict[str, list[dict[str, Any]]] = {}
    for fact in facts:
        branches.setdefault(str(fact.get("branch", "main")), []).append(fact)
    for branch, own in branches.items():
        whole = [fact for fact in own if fact["checkpoint_id"] not in lacking]
        newest = whole[-1] if whole else {}
        yield {
            "branch": branch,
            "checkpoint_id": newest.get("checkpoint_id"),
            "iteration": int(newest.get("iteration", 0)),
            "is_head": newest is own[-1],
        }


def _lost(words: str, state: str, places: list[str]) -> Damage:
    return new_damage(f"{words[:1].upper()}{words[1:]} is {state}.", places)
