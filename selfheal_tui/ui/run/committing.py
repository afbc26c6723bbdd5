"""A commit of a healed program: on the branch that is checked out, on a new one, or in a new work tree."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from ..kit.picker import Question
from ..view.picks import Pick
from .applying import Applying
from .asking import Asking
from .picking import Picking
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.out.applying import Writing
    from selfheal_tui.engine.out.committing import Committable
    from selfheal_tui.engine.out.each_repair import PartRepair

Place = tuple[str, Path | None]
"""A new branch, empty for the one that is checked out; and the folder of its work tree."""

_MOST_SUBJECTS = 4


class Committing:
    """Asks where and with which message, and commits; the same as `selfheal sessions apply --commit`."""

    def __init__(self, port: RunPort, asking: Asking, picking: Picking, applying: Applying) -> None:
        self._port, self._asking, self._picking, self._applying = port, asking, picking, applying

    def commit(self) -> None:
        """Ask where a commit of exactly the healed files goes, then for its message."""
        self._port.start_work("apply", partial(self._applying.told, self._ask_where))

    async def _ask_where(self) -> None:
        from selfheal_tui.engine.out.each_repair import each_repair
        from selfheal_tui.engine.out.new_branch import beside, free_branch

        writing = await self._elsewhere()
        paths = [change.path for change in writing.changes]
        branch = await asyncio.to_thread(free_branch, writing.folder, paths)
        folder = beside(writing.folder, branch)
        places: dict[str, Place] = {"here": ("", None), "branch": (branch, None), "worktree": (branch, folder)}
        rows, planned, first_refusal, refused = [], {}, None, ""
        for value, words, why in (
            ("here", "on the branch that is checked out", ""),
            ("branch", "on a new branch", f"{one_line(branch, 60)}; your files stay as they are"),
            (
                "worktree",
                "in a new work tree",
                f"../{one_line(folder.name, 60)}, on a new branch {one_line(branch, 60)}",
            ),
        ):
            try:
                planned[value] = await self._plan(places[value])
            except InputError as error:
                first_refusal = first_refusal or error
                # The folder is said below; a row has no room for it.
                message = error.message.replace(f"{writing.folder}{os.sep}", "")
                refused = refused or (message if value == "here" else "")
                rows.append(Pick(value, words, message, ready=False))
            else:
                rows.append(Pick(value, words, why or f"to {one_line(planned[value][1].line, 60) or 'no branch'}"))
        session = self._port.driver.saved
        assert session is not None, "offered where a session is open"
        repairs = await each_repair(session, self._port.model.timeline, self._applying.snapshot)
        if repairs and "here" in planned:
            planned["each"] = planned["here"]
            rows.insert(1, Pick("each", f"there, in {len(repairs)} commits", "one for each repair, or edit of one"))
        if not planned and first_refusal is not None:
            raise first_refusal

        async def then(value: str) -> None:
            if value not in planned:
                await self._plan(places[value])  # says why not
            self._picking.close()
            if value == "each":
                self._ask_each(*planned[value], repairs)
            else:
                self._ask_message(*planned[value])

        self._port.evidence.tabs.active = "diff"
        at = next(row.value for row in rows if row.ready)
        healed = "files, healed in part," if self._applying.is_in_part else "healed files"
        title = f"{f'Not on the branch that is checked out: {refused} ' if refused else ''}Commit the {healed} where?"
        self._picking.ask(Question(title, then, at=at, enter="goes on to the message"), rows)

    async def _plan(self, place: Place) -> tuple[Writing, Committable]:
        from selfheal_tui.engine.out.committing import plan_commit

        branch, worktree = place
        writing = await (self._elsewhere() if branch else self._here())
        plan = partial(plan_commit, writing.folder, writing.changes, branch=branch, worktree=worktree)
        return writing, await asyncio.to_thread(plan)

    async def _here(self) -> Writing:
        """Return what is written before the commit; the new tests too where the folder holds them."""
        return await self._applying.planned(with_tests=await self._with_tests())

    async def _elsewhere(self) -> Writing:
        return await self._applying.planned(elsewhere=True, with_tests=await self._with_tests())

    async def _with_tests(self) -> bool:
        from selfheal_tui.engine.out.applying import holds_tests

        root = (await self._applying.planned(elsewhere=True)).folder
        return await asyncio.to_thread(holds_tests, self._applying.snapshot, root)

    def _ask_each(self, writing: Writing, planned: Committable, repairs: Sequence[PartRepair]) -> None:
        """Ask once for all commits; each has its own first line, after the files that it heals."""
        from selfheal_tui.engine.out.each_repair import commit_each, each_words
        from selfheal_tui.engine.out.subject import default_subject

        async def do(_: str) -> None:
            permit = await self._applying.permitted(writing, planned)
            if writing.pending:
                await self._applying.make(writing, permit)
            snapshot, home = self._applying.snapshot, str(Path.home())
            every = partial(commit_each, writing.folder, snapshot, repairs, writing.changes, os.environ, home, permit)
            made = await asyncio.to_thread(every)
            await self._applying.committed(made)
            self._port.notify(each_words(planned, made), markup=False)

        subjects = ", ".join(default_subject(one.changes) for one in repairs[:_MOST_SUBJECTS])
        more = f" and {len(repairs) - _MOST_SUBJECTS} more" if len(repairs) > _MOST_SUBJECTS else ""
        first = "writes and commits" if writing.pending else "commits"
        self._asking.ask_here(
            f"{self._applying.doubts}Commit {planned.words}, as {len(repairs)} commits? {subjects}{more}",
            f"enter {first}, no git hook runs · esc cancels",
            do,
        )

    def _ask_message(self, writing: Writing, planned: Committable) -> None:
        from selfheal_tui.engine.out.commit_message import commit_message
        from selfheal_tui.engine.out.committing import commit, committed_words
        from selfheal_tui.engine.out.subject import default_subject

        async def do(subject: str) -> None:
            permit = await self._applying.permitted(writing, planned)
            if writing.pending and not planned.new_branch:
                await self._applying.make(writing, permit)
            home = str(Path.home())
            message = commit_message(subject, self._applying.snapshot, planned.changes, os.environ, home)
            made = await asyncio.to_thread(commit, planned, message, permit)
            if planned.new_branch:
                where = f", checked out in {planned.worktree}" if planned.worktree is not None else ""
                line = one_line(planned.line, 60)
                await self._applying.committed_elsewhere(f"committed as {made} on the new branch {line}{where}")
            else:
                await self._applying.committed([made])
            self._port.notify(committed_words(planned, made), markup=False)

        first = "writes and commits" if writing.pending and not planned.new_branch else "commits"
        below = "the cause or the changed lines, and what was verified, stand below it"
        self._asking.ask_here(
            f"{self._applying.doubts}Commit {planned.words}. Message ({below}):",
            f"enter {first}, no git hook runs · esc cancels",
            do,
            "A commit needs a message.",
            text=default_subject(planned.changes, self._applying.snapshot),
        )
