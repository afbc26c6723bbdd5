"""A damaged session as far as it can be read: its tree, and single moments of it. Reads only."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from selfheal_tui.errors import SessionError
from selfheal_tui.store import rows_as_far
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.damage import UNDECODABLE
from selfheal_tui.store.history import checkpoint_facts
from selfheal_tui.store.integrity import UNREADABLE, body_of, open_reading
from selfheal_tui.store.marks import STANDS
from selfheal_tui.store.migrations import READABLE

from ..moment.snapshot import Snapshot
from ..moment.state import HealState
from ..moment.timeline import Checkpoint, Timeline, build_timeline
from .saved_session import checkpoint_of
from .snapshots import load_snapshot


def timeline_as_far(folder: Path) -> Timeline | None:
    """Return the tree of the moments that can be read; None when there is none, or another version wrote the file.

    Which question waits and what branches are called by marks is left out where it cannot be read.
    """
    try:
        with open_reading(folder) as connection:
            values = rows_as_far.header_values(connection, ("schema_version", STANDS))
            if values.get("schema_version", READABLE[-1]) not in READABLE:
                return None
            rows = rows_as_far.moments(connection)
            asked = {row[0] for row in rows_as_far.writes(connection)[0] if row[1] == "__interrupt__"}
    except (*UNREADABLE, OSError):
        return None
    checkpoints = list(_checkpoints(rows, asked))
    return build_timeline(checkpoints, stands=values.get(STANDS, "")) if checkpoints else None


def moment_as_far(folder: Path, checkpoint: Checkpoint) -> Snapshot | None:
    """Return a moment of a damaged session; None where its state, or a body that it names, is lost."""
    try:
        with open_reading(folder) as connection:
            state = rows_as_far.state_of(connection, checkpoint.id)
            return _moment(connection, checkpoint, _values(state)) if state is not None else None
    except (*UNREADABLE, *UNDECODABLE, OSError, SessionError):
        return None


def is_whole(connection: sqlite3.Connection, facts: Mapping[str, Any], state: tuple[str, bytes]) -> bool:
    """Tell whether a moment can be shown with all that belongs to it; `state`: the kind and bytes of its state."""
    try:
        values = _values(state)
        # The row before the first moment holds no state yet.
        if values.get("manifest_ref"):
            _moment(connection, checkpoint_of({**facts, "asking": False}), values)
    except (*UNREADABLE, *UNDECODABLE, SessionError):
        return False
    return True


def _values(state: tuple[str, bytes]) -> HealState:
    from selfheal_tui.store.serde import StateSerde

    return cast(HealState, StateSerde().loads_typed(state)["channel_values"])


def _moment(connection: sqlite3.Connection, checkpoint: Checkpoint, values: HealState) -> Snapshot:
    return asyncio.run(load_snapshot(_Bodies(connection), values, checkpoint))


class _Bodies(Blobs):
    """The bodies of a file that is only read; one that is lost is told as by any other."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def get_text(self, ref: str) -> str:
        """Return a text. Raises: SessionError when it is missing or altered."""
        raw, wrong = body_of(self._connection, ref)
        if raw is None:
            raise SessionError(f"Body {ref[:12]} is {wrong}.")
        return raw.decode("utf-8", "surrogatepass")


def _checkpoints(rows: rows_as_far.Rows, asked: set[str]) -> Iterator[Checkpoint]:
    whole = []
    for checkpoint_id, parent_id, metadata in rows:
        try:
            whole += checkpoint_facts([(checkpoint_id, parent_id, metadata, checkpoint_id in asked)])
        except SessionError:
            continue  # `check` says of which moments the facts cannot be read
    answered = {(fact["parent_id"], fact.get("branch")) for fact in whole}
    for fact in whole:
        asking = fact["asking"] and (fact["checkpoint_id"], fact.get("branch")) not in answered
        yield checkpoint_of({**fact, "asking": asking})
