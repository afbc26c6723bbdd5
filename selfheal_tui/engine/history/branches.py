"""Naming, noting, pinning, hiding and deleting branches, and taking such acts and all others back.

A checkpoint's state, and so every hash, stays as it is (store/branch_rows.py says where a name stands). A deleted
branch is hidden first and gone once the session is closed (history/removal.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.store.acts import RACE, REDO, UNDO, Act, ActDetails, Acts
from selfheal_tui.store.history import History
from selfheal_tui.store.marks import DELETED, HIDE, NOTE, PIN, STANDS
from selfheal_tui.store.notes import Notes
from selfheal_tui.store.races import RUNS, lanes_of, newest_run
from selfheal_tui.store.session_db import SessionDB, Statement
from selfheal_tui.text import one_line

from ..moment.review import NOTE_LIMIT
from .marks import load_marks
from .removal import Removed, check_deletable, purge
from .undo import Undone, backwards, forwards, is_void, words

_NAME_LIMIT = 60


class Branches:
    """The branches of an open session."""

    def __init__(self, db: SessionDB, after_undo: Callable[[], Awaitable[None]]) -> None:
        """`after_undo` is awaited after each act that was taken back or done again."""
        self._db, self._after_undo = db, after_undo
        self._history = History(db)
        self.acts = Acts(db)
        self._notes = Notes(db)

    async def names(self) -> list[str]:
        """Return the names of all branches, in the order in which they were begun."""
        return await self._history.branches()

    async def stands(self) -> str:
        """Return the branch on which the session goes on; empty before the first."""
        branch = await self._db.get_meta(STANDS)
        if branch and await self._history.head(branch):
            return branch
        return await self._history.newest_branch()

    async def rename(self, old: str, new: str) -> None:
        """Give a branch another name. Raises: InputError for a name that is unknown, taken or cannot be shown."""
        if not new or new != one_line(new, _NAME_LIMIT):
            raise InputError(f"{new!r} cannot name a branch.", f"Give one line of at most {_NAME_LIMIT} characters.")
        names = await self._known(old)
        if new == old:
            raise InputError(f"Branch {old!r} is called that already.", "Choose another name.")
        if new in names:
            raise InputError(f"There is a branch {new!r} already.", "Choose another name.")
        await self._do("rename", {"rename": [old, new], "words": f"the renaming of {old} to {new}"}, [new])

    async def note(self, name: str, note: str) -> None:
        """Write a note on a branch; an empty one takes it away. Raises: InputError."""
        if len(note) > NOTE_LIMIT:
            raise InputError(f"The note is too long: {len(note):,} characters, at most {NOTE_LIMIT:,}.")
        await self._known(name)
        await self._mark("note", name, NOTE, note or None, f"the note on {name}")

    async def pin(self, name: str, on: bool = True) -> None:
        """Put a branch first in every list, or back in its place. Raises: InputError."""
        await self._known(name)
        await self._mark("pin", name, PIN, "1" if on else None, f"the {'pinning' if on else 'unpinning'} of {name}")

    async def hide(self, name: str, on: bool = True) -> None:
        """Hide a branch, or show it again, also one that was undone. Raises: InputError."""
        await self._known(name)
        if on and name == await self.stands():
            raise InputError(f"The session goes on, on {name!r}.", "Go to another branch first.")
        act_words = f"the {'hiding' if on else 'bringing back'} of {name}"
        await self._mark("hide", name, HIDE, "you" if on else None, act_words)

    async def go(self, name: str) -> None:
        """Choose the branch on which the session goes on; the present one ends a race without a winner.

        A hidden one is brought back. Raises: InputError.
        """
        await self._known(name)
        stood, newest = await self.stands(), await self.newest_run()
        if name == stood and (newest is None or newest.kind != RACE):
            return
        meta: dict[str, list[str | None]] = {
            STANDS: [stood, name],
            HIDE + name: [await self._db.get_meta(HIDE + name), None],
        }
        await self._do("go", {"meta": meta, "words": f"the change to {name}"}, [name, stood])

    async def keep(self, name: str, others: Collection[str]) -> None:
        """Choose one lane of a race to go on with, and hide the others. Raises: InputError."""
        await self._known(name)
        stood = await self.stands()
        meta: dict[str, list[str | None]] = {
            STANDS: [stood, name],
            HIDE + name: [await self._db.get_meta(HIDE + name), None],
        }
        for other in sorted(set(others) - {name}):
            meta[HIDE + other] = [await self._db.get_meta(HIDE + other), "race"]
        await self._do("keep", {"meta": meta, "words": f"the choice of {name}"}, [name])

    async def delete(self, name: str) -> None:
        """Mark a branch as deleted; it is gone from disk once the session is closed, and can be undone until then.

        Raises: InputError for the first branch, one that others start from, or one whose decision has not taken
        effect; SessionError when the session is damaged.
        """
        await self._known(name)
        marked = {other for other, mark in (await load_marks(self._db)).items() if mark.hidden == DELETED}
        if name in marked:
            raise InputError(f"Branch {name!r} is deleted already.", "An undo brings it back until the session closes.")
        origin = await asyncio.to_thread(check_deletable, self._db.path.parent, name, marked)
        meta: dict[str, list[str | None]] = {HIDE + name: [await self._db.get_meta(HIDE + name), DELETED]}
        if await self.stands() == name:
            meta[STANDS] = [name, origin]
        await self._do("delete", {"meta": meta, "words": f"the deletion of {name}"}, [name])

    async def purge(self) -> Removed:
        """Remove what is marked as deleted at once, for good. Raises: SessionError."""
        return await asyncio.to_thread(purge, self._db.path.parent)

    async def lanes_of(self, race: Act) -> dict[str, dict[str, Any]]:
        """Return what each lane of a race does differently, by its present name; deleted ones are left out."""
        return lanes_of(race, (await self.acts.standing()).done)

    async def lanes_beside(self, name: str) -> list[str]:
        """Return the other lanes of the race in which a branch runs; empty when it runs in none."""
        for act in reversed((await self.acts.standing()).done):
            if act.kind == RACE and name in (lanes := await self.lanes_of(act)):
                return [lane for lane in lanes if lane != name]
        return []

    async def sizes(self) -> dict[str, int]:
        """Return the bytes of each branch's own moments, compressed; the bodies that they name are shared."""
        return await self._history.branch_sizes()

    async def began(
        self, kind: str, details: ActDetails, branches: Sequence[str], effects: Sequence[Statement] = ()
    ) -> None:
        """Note what a run follows before it takes effect: the session goes on, on the first of `branches`.

        `effects` are written in the same transaction.
        """
        stood = await self.stands()
        to = stood if kind == RACE else branches[0]
        meta = {**details.get("meta", {}), STANDS: [stood or None, to or None]}
        if not details.get("line"):
            meta |= {HIDE + branch: ["undone", None] for branch in branches}
        elif await self._db.get_meta(HIDE + branches[0]) == DELETED:  # what is answered there is not to go with it
            meta[HIDE + branches[0]] = [DELETED, None]
        await self._do(kind, {**details, "meta": meta}, branches, effects)

    async def newest_run(self) -> Act | None:
        """Return the act in force that says where the session goes on; None when nobody said so."""
        newest = await self.acts.newest()
        if newest is None or newest.kind in RUNS:
            return newest  # nothing was done after it: the journal of a long session need not be read
        return newest_run((await self.acts.standing()).done)

    async def race(self) -> Act | None:
        """Return the race that the session goes on with; None when it goes on with something else.

        A race of which no lane is left has nothing to go on with.
        """
        newest = await self.newest_run()
        return newest if newest and newest.kind == RACE and await self.lanes_of(newest) else None

    async def undo(self) -> Undone:
        """Undo the newest act. Raises: InputError when there is none."""
        act = await self._newest_act()
        if act is None:
            raise InputError("There is nothing to undo.", "What a run does by itself is not undone, only what you did.")
        statements, more = backwards(act.details, await self.names())
        await self.acts.record(UNDO, {"of": act.id, **more}, statements)
        await self._after_undo()
        return Undone(act.kind, words(act))

    async def undo_words(self) -> str:
        """Say what `undo` would take back; empty for nothing."""
        act = await self._newest_act()
        return words(act) if act else ""

    async def _newest_act(self) -> Act | None:
        """Return the newest act that can be undone."""
        names, used_notes = await self.names(), await self._notes.used()
        newest = await self.newest_run()
        for act in reversed((await self.acts.standing()).done):
            if act.details.get("note_id") in used_notes:
                continue
            if not is_void(act, names) or (act == newest and not act.gone):
                return act
        return None

    async def redo(self) -> Undone:
        """Redo the act that was undone last. Raises: InputError when there is none."""
        names, used_notes = await self.names(), await self._notes.used()
        for act in reversed((await self.acts.standing()).undone):
            if act.details.get("note_id") not in used_notes and not is_void(act, names, again=True):
                await self.acts.record(REDO, {"of": act.id}, forwards(act.details))
                await self._after_undo()
                return Undone(act.kind, words(act))
        what = "Only what was just undone in the session can be; files that were put back are written again."
        raise InputError("There is nothing to do again.", what)

    async def _mark(self, kind: str, name: str, prefix: str, value: str | None, act_words: str) -> None:
        before = await self._db.get_meta(prefix + name)
        if before != value:
            await self._do(kind, {"meta": {prefix + name: [before, value]}, "words": act_words}, [name])

    async def _do(
        self, kind: str, details: ActDetails, needs: Collection[str], effects: Sequence[Statement] = ()
    ) -> None:
        needed = [name for name in needs if name]
        await self.acts.record(kind, {**details, "needs": needed}, [*forwards(details), *effects])

    async def _known(self, name: str) -> list[str]:
        names = await self.names()
        if name not in names:
            raise InputError(f"There is no branch {name!r}.", f"There are: {', '.join(names) or 'none yet'}.")
        return names
