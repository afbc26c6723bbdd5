"""The journal of what the user did to a session, append-only: taking an act back is an act too.

1 decision   2 fork   3 undo 2   4 undo 1   5 redo 1      done: 1, to be done again: 2
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, cast

from .blobs import json_text
from .clock import now_at
from .damage import reading
from .session_db import SessionDB, Statement

ACTS_SQL = "select id, kind, what, at from act"
UNDO, REDO = "undo", "redo"
RACE = "race"
PURGE = "purge"
"""Deleted branches left the disk: nothing that was done to them can be undone, whatever has their names later."""


class ActDetails(TypedDict, total=False):
    """What it takes to undo an act and to do it again, as JSON. Each kind of act has some of these fields."""

    words: str
    """What the act was: `your approval of the repair`."""
    needs: list[str]
    """Branches that it was done to; without them there is nothing to undo."""
    meta: dict[str, list[str | None]]
    """Header value -> what it was before and is after; None where there is none."""
    rename: list[str]
    """Old and new name of a branch."""
    moved: list[str]
    """Of an undone renaming: a branch that had the old name, and the name that it got instead."""
    line: list[str | int] | None
    """Of a decision that went on, on the question's own branch: the checkpoint that asked, the branch, the iteration.

    None: it went to a branch of its own.
    """
    line_name: str
    """Of an undone decision: the branch that holds the moments it had made."""
    at: str
    """Of a race: the checkpoint that its lanes start from."""
    lanes: dict[str, dict[str, Any]]
    """Of a race: branch -> what it does differently."""
    budget: dict[str, Any]
    """Of a race: the limits of all lanes together."""
    of: int
    """Of an undo or redo: the act that is meant."""
    note_id: str
    """Of a note for the next step: its id."""
    purged: list[str]
    """Of a purge: the branches that left the disk."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something the user did."""

    id: int
    kind: str
    """decision, stop (of a run), fork, race, keep, go, rename (of a branch), title, note (on a branch), next_note (for
    the next step), pin, hide, delete; `undo` and `redo` of another one; `purge`."""
    details: ActDetails
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

    async def record(self, kind: str, details: ActDetails, effects: Iterable[Statement] = ()) -> None:
        """Write an act and everything that it changes, in one transaction."""
        await self._db.write_all([new_act(kind, details), *effects])

    async def all(self) -> list[Act]:
        """Return every act, oldest first."""
        return await self._acts("order by id")

    async def newest(self) -> Act | None:
        """Return the act that was written last; None before the first."""
        acts = await self._acts("order by id desc limit 1")
        return acts[0] if acts else None

    async def _acts(self, order: str) -> list[Act]:
        rows = await self._db.rows(f"{ACTS_SQL} {order}")
        with reading("the journal of what you did"):
            return [read_act(row) for row in rows]

    async def standing(self) -> Done:
        """Return which acts are in force."""
        return fold(await self.all())


def read_act(row: Sequence[Any]) -> Act:
    """Return the act of a row of `ACTS_SQL`. Raises: ValueError for details that are no JSON object."""
    number, kind, details, at = row
    return Act(int(number), str(kind), cast(ActDetails, dict(json.loads(details))), str(at))


def new_act(kind: str, details: ActDetails) -> Statement:
    """Return the statement that writes an act, for the transaction that writes its effects."""
    return "insert into act(kind, what, at) values(?,?,?)", (kind, json_text(details), now_at())


def fold(acts: Iterable[Act]) -> Done:
    """Replay the journal. Pure."""
    by_id: dict[int, Act] = {}
    done: list[Act] = []
    undone: list[Act] = []
    for act in acts:
        if act.kind == PURGE:
            done = _without(done, act.details["purged"])
            by_id |= {one.id: one for one in done}
        elif act.kind not in (UNDO, REDO):
            by_id[act.id] = act
            done.append(act)
            undone.clear()
        elif act.kind == UNDO:
            target = by_id[act.details["of"]]
            done.remove(target)
            undone.append(replace(target, details={**target.details, **act.details}))
        else:
            target = by_id[act.details["of"]]
            undone = [one for one in undone if one.id != target.id]
            done.append(target)
    return Done(tuple(done), tuple(undone))


def has_lost(act: Act, is_gone: Callable[[str], bool]) -> bool:
    """Tell whether a branch that an act needs is gone, of a race every lane."""
    lost = [*map(is_gone, act.details.get("needs", ()))]
    return bool(lost) and all(lost) if act.kind == RACE else any(lost)


def _without(done: Iterable[Act], purged: Iterable[str]) -> list[Act]:
    """Mark what was done to branches that are gone, by the names that they had then."""
    names, marked = set(purged), []
    for act in reversed(list(done)):
        gone = has_lost(act, names.__contains__)
        if gone and "rename" in act.details:
            old, new = act.details["rename"]
            names = names - {new} | {old}
        marked.append(replace(act, gone=act.gone or gone))
    return marked[::-1]
