"""The journal of what the user did to a session, append-only: taking an act back is an act too.

1 decision   2 fork   3 undo 2   4 undo 1   5 redo 1      done: 1, to be done again: 2
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .blobs import json_text
from .clock import now_at
from .damage import reading
from .session_db import SessionDB, Statement

UNDO, REDO = "undo", "redo"
PURGE = "purge"
"""Deleted branches left the disk: nothing that was done to them can be undone, whatever has their names later."""
INSERT = "insert into act(kind, what, at) values(?,?,?)"


@dataclass(frozen=True, slots=True)
class Act:
    """Something the user did."""

    id: int
    kind: str
    """decision, fork, race, keep, rename, note, pin, hide, delete; `undo` and `redo` of another one; `purge`."""
    what: dict[str, Any]
    """What it takes to undo it and to do it again."""
    at: str
    """UTC, ISO 8601."""
    gone: bool = False
    """Whether the branch that it was done to has left the disk."""


@dataclass(frozen=True, slots=True)
class Done:
    """Where the journal stands."""

    done: tuple[Act, ...]
    """Acts in force, oldest first."""
    undone: tuple[Act, ...]
    """Acts that were taken back and can be done again; the last one first to go. A new act forgets them."""


class Acts:
    """The act table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def record(self, kind: str, what: dict[str, Any], effects: Iterable[Statement] = ()) -> None:
        """Write an act down, with what it changes in one transaction."""
        await self._db.write_all([(INSERT, (kind, json_text(what), now_at())), *effects])

    async def all(self) -> list[Act]:
        """Return every act, oldest first."""
        rows = await self._db.rows("select id, kind, what, at from act order by id")
        with reading("the journal of what you did"):
            return [Act(int(number), str(kind), dict(json.loads(what)), str(at)) for number, kind, what, at in rows]

    async def standing(self) -> Done:
        """Return which acts are in force."""
        return fold(await self.all())


def fold(acts: Iterable[Act]) -> Done:
    """Replay the journal. Pure."""
    known: dict[int, Act] = {}
    done: list[Act] = []
    undone: list[Act] = []
    for act in acts:
        if act.kind == PURGE:
            done = _without(done, act.what["purged"])
            known |= {one.id: one for one in done}
        elif act.kind not in (UNDO, REDO):
            known[act.id] = act
            done.append(act)
            undone.clear()
        elif act.kind == UNDO:
            meant = known[act.what["of"]]
            done.remove(meant)
            undone.append(replace(meant, what={**meant.what, **act.what}))
        else:
            meant = known[act.what["of"]]
            undone = [one for one in undone if one.id != meant.id]
            done.append(meant)
    return Done(tuple(done), tuple(undone))


def _without(done: Iterable[Act], purged: Iterable[str]) -> list[Act]:
    """Mark what was done to branches that are gone, by the names that they had then."""
    names, marked = set(purged), []
    for act in reversed(list(done)):
        gone = not names.isdisjoint(act.what.get("needs", ()))
        if gone and "rename" in act.what:
            old, new = act.what["rename"]
            names = names - {new} | {old}
        marked.append(replace(act, gone=act.gone or gone))
    return marked[::-1]
