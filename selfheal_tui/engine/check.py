"""Whether a session is whole: what is damaged, by what it is and where it is missed, and what can still be read.

Reads only, LangGraph's rows too, and never through LangGraph's saver: that one writes when it opens.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, cast

from selfheal_tui.errors import SessionError
from selfheal_tui.store.history import checkpoint_facts
from selfheal_tui.store.integrity import body_of, complaints, driver_of, open_reading, rows_as_far
from selfheal_tui.store.ledger import SEEN
from selfheal_tui.store.session_db import SCHEMA_VERSION

from .refs import Kind, Named, body_refs, decision_refs, question_refs, state_refs
from .state import GRAPH_VERSION

_SHORT_ID = 13
_PLACES = 5
_WAITING = "at:"
"""Before the id of the checkpoint that a node's result or an answer belongs to: the moment itself can do without."""
_UNDECODABLE = (ValueError, TypeError, LookupError, AttributeError, NotImplementedError, RecursionError, EOFError)
"""What LangGraph's serialiser raises over altered bytes."""


class Damage(TypedDict):
    """One thing that is damaged."""

    what: str
    """What it is and what is wrong with it, one sentence."""
    where: list[str]
    """Moments that lack it, the first few; empty when no moment is concerned."""
    moments: int
    """How many moments lack it."""


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
    size_bytes: int
    files: dict[str, int]
    driver: int | None
    """Process that drives the session now; 0 when it did not say which, None when nobody does."""
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


@dataclass(slots=True)
class _Walk:
    """What names what: found once for each body."""

    connection: sqlite3.Connection
    states: dict[str, str] = field(default_factory=dict)
    """ref -> what is wrong with it; empty when it is whole."""
    words: dict[str, str] = field(default_factory=dict)
    namers: dict[str, set[str]] = field(default_factory=dict)
    """ref -> refs of the bodies and names of the moments that name it."""
    walked: set[tuple[str, Kind]] = field(default_factory=set)

    def take(self, moment: str, named: Iterable[Named]) -> None:
        """Walk all that a moment names."""
        todo = [(moment, one) for one in named]
        while todo:
            namer, one = todo.pop()
            self.namers.setdefault(one.ref, set()).add(namer)
            self.words.setdefault(one.ref, one.words)
            if (one.ref, one.kind) in self.walked:
                continue
            self.walked.add((one.ref, one.kind))
            raw, wrong = body_of(self.connection, one.ref)
            self.states[one.ref] = wrong
            if raw is not None and one.kind != "leaf":
                todo += [(one.ref, below) for below in body_refs(one.kind, json.loads(raw))]

    def missed_by(self, ref: str) -> set[str]:
        """Return the moments that need a body."""
        seen: set[str] = set()
        todo = [ref]
        while todo:
            for namer in self.namers.get(todo.pop(), ()):
                if namer not in seen:
                    seen.add(namer)
                    todo.append(namer)
        return seen - self.namers.keys()


def check_session(folder: Path) -> CheckReport:
    """Look at everything in a session's folder. Damage is reported, never raised; nothing is written."""
    report = _empty(folder.name)
    report["files"] = {file.name: file.stat().st_size for file in sorted(folder.iterdir()) if file.is_file()}
    report["size_bytes"] = sum(report["files"].values())
    report["driver"] = driver_of(folder)
    try:
        with open_reading(folder) as connection:
            _look(connection, report)
    except (sqlite3.Error, OSError) as error:
        report["damage"].append(_damage(f"The file cannot be opened: {error}."))
    report["sound"] = not report["damage"]
    return report


def unnamed_bodies(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """Return the refs of bodies that nothing names. Raises: SessionError when the session is not whole.

    Where a moment cannot be read nobody knows what it names.
    """
    report = _empty(session_id)
    found = _look(connection, report)
    if report["damage"]:
        raise SessionError(
            f"Session {session_id} is damaged: {report['damage'][0]['what']}", "See: selfheal sessions check"
        )
    return found


def _look(connection: sqlite3.Connection, report: CheckReport) -> list[str]:
    """Fill the report; return the refs of bodies that nothing names."""
    damage = report["damage"]
    damage += [_damage(f"SQLite says of the file: {' '.join(line.split())}.") for line in complaints(connection)]
    meta_rows, wrong = rows_as_far(connection, "select key, value from meta")
    if wrong:
        damage.append(_damage(f"The session's header cannot be read: {wrong}."))
        return []
    meta = dict(meta_rows)
    if meta.get("schema_version") != str(SCHEMA_VERSION):
        version = meta.get("schema_version", "none")
        damage.append(_damage(f"Another version of selfheal wrote it (store {version}, here {SCHEMA_VERSION})."))
        return []
    initial = _initial(meta, damage)
    if initial is None:
        return []
    walk = _Walk(connection)
    walk.take("the session's start", state_refs(initial))
    for key, ref in meta.items():
        if key.startswith(SEEN):
            walk.take("", [Named("what a tool of the debugger saw", ref)])
    facts, unreadable = _moments(connection, walk, damage)
    _others(connection, walk, damage)
    sizes, wrong = rows_as_far(connection, "select ref, length(body) from blob")
    if wrong:
        damage.append(_damage(f"Some bodies cannot be listed: {wrong}."))
    known = dict(sizes)
    unnamed = sorted(known.keys() - walk.states.keys())
    report["orphans"], report["orphans_bytes"] = len(unnamed), sum(known[ref] for ref in unnamed)
    lacking = set(unreadable)
    for ref, state in walk.states.items():
        if state:
            missed = walk.missed_by(ref)
            lacking |= missed
            places = [_place(f) for f in facts if f["checkpoint_id"] in missed]
            damage.append(_lost(walk.words[ref], state, places or [*map(_waiting_place, sorted(missed))]))
    report["checkpoints"] = len(facts)
    report["whole"] = sum(f["checkpoint_id"] not in lacking for f in facts)
    report["bodies"], report["bodies_bytes"] = len(known), sum(known.values())
    report["still_readable"] = list(_still(facts, lacking)) if damage else []
    return unnamed


def _empty(session_id: str) -> CheckReport:
    return {
        "session_id": session_id,
        "sound": True,
        "size_bytes": 0,
        "files": {},
        "driver": None,
        "checkpoints": 0,
        "whole": 0,
        "bodies": 0,
        "bodies_bytes": 0,
        "orphans": 0,
        "orphans_bytes": 0,
        "damage": [],
        "still_readable": [],
    }


def _initial(meta: Mapping[str, str], damage: list[Damage]) -> dict[str, Any] | None:
    try:
        initial = cast(dict[str, Any], json.loads(meta.get("initial", "")))
        version = initial.get("graph_version")
    except (ValueError, AttributeError):
        damage.append(_damage("The session was never written to its end, or its start is damaged."))
        return None
    if version != GRAPH_VERSION:
        damage.append(_damage(f"Another version of selfheal wrote it (graph {version}, here {GRAPH_VERSION})."))
        return None
    return initial


def _moments(
    connection: sqlite3.Connection, walk: _Walk, damage: list[Damage]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Walk the checkpoints; return their facts, oldest first, and the ids of those that cannot be read."""
    if not connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone():
        return [], []
    from selfheal_tui.store.serde import StateSerde

    serde = StateSerde()
    sql = "select checkpoint_id, parent_checkpoint_id, metadata, type, checkpoint from checkpoints order by rowid"
    rows, wrong = rows_as_far(connection, sql)
    if wrong:
        damage.append(_damage(f"After {len(rows)} checkpoints the others cannot be read: {wrong}."))
    facts: list[dict[str, Any]] = []
    unreadable: list[str] = []
    ids = {row[0] for row in rows}
    for checkpoint_id, parent_id, metadata, kind, body in rows:
        try:
            fact = checkpoint_facts([(checkpoint_id, parent_id, metadata, False)])[0]
        except (ValueError, TypeError):
            fact = {"checkpoint_id": checkpoint_id, "parent_id": parent_id}
            damage.append(_damage(f"The facts of checkpoint {checkpoint_id} cannot be read.", [_place(fact)]))
        facts.append(fact)
        if parent_id is not None and parent_id not in ids and not wrong:
            damage.append(_damage(f"The moment before checkpoint {checkpoint_id} is missing.", [_place(fact)]))
        try:
            walk.take(checkpoint_id, _values_refs(serde.loads_typed((kind, body))["channel_values"]))
        except _UNDECODABLE as error:
            unreadable.append(checkpoint_id)
            damage.append(_damage(f"The state of a moment cannot be read ({type(error).__name__}).", [_place(fact)]))
    _writes(connection, serde, walk, damage)
    return facts, unreadable


def _writes(connection: sqlite3.Connection, serde: Any, walk: _Walk, damage: list[Damage]) -> None:
    rows, wrong = rows_as_far(connection, "select checkpoint_id, channel, type, value from writes order by rowid")
    if wrong:
        damage.append(_damage(f"Results of nodes cannot be read: {wrong}."))
    for checkpoint_id, channel, kind, value in rows:
        try:
            body = serde.loads_typed((kind, value))
            if channel == "__interrupt__":
                for one in body if isinstance(body, list | tuple) else [body]:
                    walk.take(_WAITING + checkpoint_id, question_refs(getattr(one, "value", {})))
            else:
                walk.take(_WAITING + checkpoint_id, state_refs({channel: body}))
        except _UNDECODABLE as error:
            what = f"A node's result ({channel}) at checkpoint {checkpoint_id[:_SHORT_ID]} cannot be read"
            damage.append(_damage(f"{what} ({type(error).__name__})."))


def _others(connection: sqlite3.Connection, walk: _Walk, damage: list[Damage]) -> None:
    """Walk the journal of decisions and the programs that were run; read the calls and the bills."""
    rows, wrong = rows_as_far(connection, "select asked_at, value from decision")
    programs, also = rows_as_far(connection, "select report_ref, iteration, branch from program")
    for asked_at, value in rows:
        try:
            walk.take(_WAITING + asked_at, decision_refs(json.loads(value)))
        except (ValueError, AttributeError):
            damage.append(_damage(f"A decision at checkpoint {asked_at[:_SHORT_ID]} cannot be read."))
    for ref, iteration, branch in programs:
        walk.take("", [Named(f"the report of a program run at iteration {iteration} on {branch}", ref)])
    calls, third = rows_as_far(connection, "select role, model, reply, usage from call")
    for role, model, reply, usage in calls:
        try:
            json.loads(reply), json.loads(usage)
        except ValueError:
            damage.append(_damage(f"A reply of {model} to the {role} cannot be read."))
    for name, why in (("decisions", wrong), ("programs", also), ("replies", third)):
        if why:
            damage.append(_damage(f"Some {name} cannot be read: {why}."))


def _values_refs(values: Mapping[str, Any]) -> Iterator[Named]:
    yield from state_refs(values)
    if start := values.get("__start__"):
        yield from state_refs(start)
    for send in values.get("__pregel_tasks") or []:
        yield from state_refs(send.arg)


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


def _place(fact: Mapping[str, Any]) -> str:
    where = f"iteration {fact.get('iteration', '?')} on {fact.get('branch', 'main')}, after {fact.get('node', '?')}"
    return f"{where} (checkpoint {str(fact['checkpoint_id'])[:_SHORT_ID]})"


def _waiting_place(moment: str) -> str:
    if not moment.startswith(_WAITING):
        return moment or "what was run or looked at before"
    return f"a result or answer to checkpoint {moment.removeprefix(_WAITING)[:_SHORT_ID]} that no moment shows"


def _lost(words: str, state: str, places: list[str]) -> Damage:
    return _damage(f"{words[:1].upper()}{words[1:]} is {state}.", places)


def _damage(what: str, places: Iterable[str] = ()) -> Damage:
    where = list(places)
    return {"what": what, "where": where[:_PLACES], "moments": len(where)}
