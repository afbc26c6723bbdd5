"""What is left of a damaged session, as a whole session of its own: a copy with the moments that can be read.

The copy lies in a temporary folder, and the session's own file is only read. So the app, an export and every command
that looks at a session shows a damaged one the same way as a whole one.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.store import rest_rows
from selfheal_tui.store.damage import UNDECODABLE
from selfheal_tui.store.integrity import UNREADABLE, open_reading
from selfheal_tui.store.migrations import READABLE
from selfheal_tui.store.rows_as_far import HEADER_NEEDED, header_values
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.text import plural

from ..moment.state import GRAPH_VERSION
from .as_far import is_whole
from .refs import state_refs
from .walk import Damage, Walk, walk_moments, walk_others


@dataclass(frozen=True, slots=True)
class Rest:
    """A copy of what can be read of a damaged session."""

    file: Path
    moments: int
    """How many moments it has; each can be read with all its bodies."""
    lost: int
    """How many moments are known that it lacks, as they cannot be read to their end."""

    @property
    def words(self) -> str:
        """How much of the session it is: `12 moments, without 1 that cannot be read`."""
        without = f", without {self.lost} that cannot be read" if self.lost else ""
        return f"{plural(self.moments, 'moment')}{without}"


@contextmanager
def open_rest(folder: Path) -> Iterator[Rest | None]:
    """Yield what is left of the session in a folder; None where no moment can be read, or by this version not.

    Blocks, for about as long as `sessions check`.
    """
    with tempfile.TemporaryDirectory(prefix="selfheal-read-") as place:
        file = Path(place) / folder.name / DB_NAME
        file.parent.mkdir()
        try:
            with open_reading(folder) as source, closing(sqlite3.connect(file)) as copy:
                rest = _copied(source, copy, file)
                copy.commit()
        except (*UNREADABLE, *UNDECODABLE, OSError):
            rest = None
        yield rest


def _copied(source: sqlite3.Connection, copy: sqlite3.Connection, file: Path) -> Rest | None:
    header = header_values(source, HEADER_NEEDED)
    initial = json.loads(header.get("initial", "null"))
    is_ours = isinstance(initial, dict) and initial.get("graph_version") == GRAPH_VERSION
    if not is_ours or header.get("schema_version") not in READABLE:
        return None
    if "checkpoints" not in rest_rows.copy_tables(source, copy, header):
        return None
    damage: list[Damage] = []
    walk = Walk(source)
    walk.take("the session's start", state_refs(initial))
    if any(walk.states.values()):
        return None
    facts, unreadable = walk_moments(copy, walk, damage)
    walk_others(copy, walk, damage)
    rest_rows.copy_bodies(source, copy, [ref for ref, wrong in walk.states.items() if not wrong])
    lost = _lost(copy, walk, facts, unreadable)
    rest_rows.cut_out(copy, {fact["checkpoint_id"]: fact["parent_id"] for fact in facts}, lost)
    kept = len(facts) - len(lost)
    return Rest(file, kept, len(lost)) if kept else None


def _lost(copy: sqlite3.Connection, walk: Walk, facts: list[dict[str, Any]], unreadable: list[str]) -> set[str]:
    """Return the moments whose facts, state or bodies cannot be read."""
    by_id = {fact["checkpoint_id"]: fact for fact in facts}
    lost = {*unreadable, *(name for name, fact in by_id.items() if "node" not in fact)}
    missed: set[str] = set()
    for ref, wrong in walk.states.items():
        if wrong:
            missed |= walk.missed_by(ref)
    # A moment names more than it shows: of a long line of repairs only the last ones.
    for checkpoint_id, *state in rest_rows.states(copy):
        if checkpoint_id in missed - lost and not is_whole(copy, by_id[checkpoint_id], (state[0], state[1])):
            lost.add(checkpoint_id)
    return lost
