"""The tree of a damaged session, as far as its moments can be read. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from selfheal_tui.errors import SessionError
from selfheal_tui.store import rows_as_far
from selfheal_tui.store.history import checkpoint_facts
from selfheal_tui.store.integrity import UNREADABLE, open_reading
from selfheal_tui.store.marks import STANDS
from selfheal_tui.store.migrations import READABLE

from ..moment.timeline import Checkpoint, Timeline, build_timeline
from .saved_session import checkpoint_of


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
