"""What becomes of a healed program, at its end: written into the folder, merged into it, put back, or copied."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot
from selfheal_tui.engine.moment.words import still_failing_words
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import FileChanged, InputError, SelfHealError
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import one_line, plural

from ..kit.picker import Question
from ..view.model import InFolder
from ..view.picks import Pick
from ..view.shown import is_changed
from .asking import Asking
from .cards.end import EndCard
from .picking import Picking
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.out.applying import Writing
    from selfheal_tui.engine.out.before_apply import Permit
    from selfheal_tui.engine.out.committing import Committable

_MOST_DOUBTS = 2
_BACK_TITLE = "What putting back would change"
_PUT_BACK_ROW = "put back what was there"
_PUTS_BACK = "W or u puts back what was there."
_WRITES_AGAIN = "W writes the repair again."


class Applying:
    """Shows the change, asks, and does it; the same as `selfheal sessions apply`."""

    def __init__(self, port: RunPort, asking: Asking, picking: Picking, session_id: str) -> None:
        self._port, self._asking, self._picking, self._session_id = port, asking, picking, session_id
        self._previews = False
        """Whether the Diff tab shows what would be written in the place of the moment's change."""
        self._commit: tuple[Mapping[str, str], Sequence[str]] | None = None
        """The program that was committed last, and the commit: what is written stays then."""
        self._elsewhere: tuple[Mapping[str, str], str] | None = None
        """The program that was committed last beside the user's files, and that commit in words."""
        self._looked_at = ""
        """The end whose program was last looked for in the folder."""

    @property
    def can_apply(self) -> bool:
        """Whether a program is at its end, and was changed; also one that passes a part of its cases."""
        model = self._port.model
        snapshot = model.shown
        if snapshot is None or model.past is not None or model.running or model.watched is not None:
            return False
        at_end = bool(model.outcome) or isinstance(self._port.side.card, EndCard)
        return at_end and is_changed(snapshot)

    @property
    def is_in_part(self) -> bool:
        """Whether the run ended before every case passed."""
        return bool(self._port.model.outcome) and self._port.model.outcome not in WELL_ENDED

    def follow(self) -> None:
        """At an end, look once whether the folder holds the program already."""
        position = self._port.model.position or ""
        at_end = self._port.model.has_folder and self.can_apply
        if not at_end:
            self._looked_at = ""
        elif position != self._looked_at:
            self._looked_at = position
            self._port.start_work("folder", self._look_into_folder)

    async def _look_into_folder(self) -> None:
        if not self.can_apply or self._port.driver.saved is None:
            return
        snapshot = self.snapshot
        try:
            writing = await self._found()
            in_folder = self._in_folder(snapshot, writing)
            if in_folder is not None and in_folder.words:
                tests = await asyncio.to_thread(self._written_tests, writing)
                in_folder = replace(in_folder, tests=tests)
        except FileChanged:
            in_folder = None  # W offers a merge
        except SelfHealError as error:
            # A folder that is gone may only lie on a disk that is not there now: W says so when it is asked.
            root = await self._port.driver.saved.root()
            is_there = root is not None and await asyncio.to_thread(root.is_dir)
            why = one_line(error.message, 400)
            in_folder = InFolder(snapshot.checkpoint_id, blocked=why) if is_there else None
        has_git = await self._has_git()
        self._port.show(replace(self._port.model, in_folder=in_folder, has_git=has_git))

    async def _has_git(self) -> bool:
        from selfheal_tui.engine.out.new_branch import is_in_repository

        session = self._port.driver.saved
        root = await session.root() if session is not None else None
        return root is not None and await asyncio.to_thread(is_in_repository, root)

    def _in_folder(self, snapshot: Snapshot, writing: Writing) -> InFolder | None:
        if writing.pending or not writing.wanted:
            untouched = len(writing.pending) == len(writing.wanted)
            elsewhere = self._elsewhere[1] if self._elsewhere and self._elsewhere[0] == snapshot.program else ""
            return InFolder(snapshot.checkpoint_id, elsewhere=elsewhere) if untouched else None
        if self._commit is not None and self._commit[0] == snapshot.program:
            made = self._commit[1]
            words = f"committed as {', '.join(made)}"
            return InFolder(snapshot.checkpoint_id, words, committed=True, back=_reverted(made))
        how = "merged" if writing.merged else "written"
        words = f"{how} into your files ({one_line(str(writing.folder), 200)})"
        return InFolder(snapshot.checkpoint_id, words, merged=writing.merged)

    def show_change(self) -> None:
        """Bring the whole change to the front."""
        self.left()
        self._port.evidence.tabs.activate("diff")

    def write(self) -> None:
        """Show what would be written into the folder and ask; what is there already can be put back."""
        self._port.start_work("apply", partial(self.told, self._ask_to_write))

    def left(self) -> None:
        """Show the moment's own change again where nothing was written."""
        if self._previews:
            self._previews = False
            self._port.evidence.show_again()

    async def committed(self, made: Sequence[str]) -> None:
        """Hear that the program was committed on the branch that is checked out: what is written stays now."""
        self._port.app.last_commits = tuple(made)
        before = self._commit[1] if self._commit is not None and self._commit[0] == self.snapshot.program else ()
        self._commit = self.snapshot.program, (*before, *made)
        await self._look_into_folder()

    async def committed_elsewhere(self, words: str) -> None:
        """Hear that the program was committed on a new branch: the user's files are as they were."""
        self._elsewhere = self.snapshot.program, words
        await self._look_into_folder()

    def copy_change(self) -> None:
        """Copy the whole change as a diff."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            self._port.app.copy("the change", unified_diff(snapshot.base, snapshot.program))

    async def before_undo(self, take_back: Callable[[str], Coroutine[None, None, None]]) -> str | None:
        """Where the folder holds the program, ask what to take back; None: it asked, so nothing is undone yet.

        `take_back` undoes the last step, and is told in words what stays in the folder. Otherwise return these words;
        empty where it holds nothing of it.
        """
        if not (self._port.model.has_folder and self.can_apply):
            return await asyncio.to_thread(self.still_written)
        try:
            writing = await self._found()
        except SelfHealError:  # the files are others by now
            return await asyncio.to_thread(self.still_written)
        if writing.pending:
            return await asyncio.to_thread(self.still_written)
        stays = f"The repair stays written in {writing.folder}."
        if self._commit is not None and self._commit[0] == self.snapshot.program:
            return stays
        await self._ask_what_to_undo(writing, partial(take_back, stays))
        return None

    def still_written(self) -> str:
        """Say that the folder holds what was written of another moment, and what takes it out; empty for nothing.

        Blocks for as long as a few small files take: it is for a key that was refused.
        """
        from selfheal_tui.engine.out.applying import still_written

        folder = still_written(self._folder) if self._port.model.has_folder else None
        if folder is None:
            return ""
        held = f"Your files in {one_line(str(folder), 200)} still hold the repair that was written into them"
        if self._commit is not None:
            return f"{held}, committed as {', '.join(self._commit[1])}: {_reverted(self._commit[1])} takes it back."
        return f"{held}: selfheal sessions apply {self._address} --undo puts them back."

    async def _ask_what_to_undo(self, writing: Writing, take_back: Callable[[], Coroutine[None, None, None]]) -> None:
        title, rows = f"The repair is in {writing.folder}. Take back what?", list[Pick]()
        if writing.merged:
            title = f"{writing.folder} holds this repair and changes of yours. Take back what?"
        back: Writing | None = None
        try:
            back = await self._plan_putting_back(writing)
        except SelfHealError as error:
            title = f"{error} Take back what else?"
        else:
            words = f"the repair alone, out of {back.words}" if writing.merged else back.words
            rows.append(Pick("files", _PUT_BACK_ROW, words))
        rows.append(Pick("step", "your last step alone", "the files stay as they are"))

        async def do(value: str) -> None:
            if value == "files" and back is not None:
                await self._write(back, "Put back", _WRITES_AGAIN, "")
            else:
                self.left()
                self._port.start_work("branch", take_back)

        def moved(row: Pick) -> None:
            if row.value == "files" and back is not None:
                self._preview(_BACK_TITLE, back)
            else:
                self.left()

        question = Question(title, do, moved=moved, left=self.left, enter="takes it back")
        self._picking.ask(question, rows)

    async def told(self, task: Callable[[], Awaitable[None]]) -> None:
        """Do a task, and say why it could not be done."""
        try:
            await task()
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)

    async def _ask_to_write(self) -> None:
        try:
            writing = await self.planned()
        except FileChanged as error:
            await self._ask_to_merge(error)
            return
        except SelfHealError:
            await self._look_into_folder()  # the card offers it no longer
            raise
        tests = await asyncio.to_thread(self._offered_tests, writing)
        if not writing.pending and not tests:
            await self._ask_to_put_back(writing)
        elif tests:
            whole = await self.planned(with_tests=True)
            back = None if writing.pending else await self._plan_putting_back(writing)
            self._ask_with_tests(writing, whole, tests, back)
        else:
            self.show_change()
            title = f"{self.doubts}Write {writing.words}? The Diff tab shows the change."
            self._ask_for(writing, title, "enter writes")

    async def _ask_to_merge(self, error: FileChanged) -> None:
        """Show what git's merge makes of a file that changed meanwhile, and ask; with a conflict nothing is asked."""
        try:
            writing = await self.planned(merge=True)
        except InputError as no_merge:
            raise InputError(f"{error.message} {no_merge.message}", no_merge.hint) from error
        if not writing.pending:
            await self._ask_to_put_back(writing)
            return
        self._preview("What the merge would write", writing)
        if writing.conflicts:
            command = f"selfheal sessions apply {self._address} --merge --with-conflicts"
            why = f"{error.message} The merge has {writing.conflict_words}, shown in the Diff tab:"
            raise InputError(f"{why} nothing was written.", f"To write both texts with git's marks: {command}")
        title = f"{error.message} Merge the repair into {writing.words}? The Diff tab shows what changes; no suite ran."
        self._ask_for(writing, self.doubts + title, "enter merges")

    def _offered_tests(self, writing: Writing) -> str:
        from selfheal_tui.engine.out.added_tests import offers_tests
        from selfheal_tui.engine.out.applying import holds_tests

        tests = offers_tests(self.snapshot)
        return "" if writing.merged or not tests or holds_tests(self.snapshot, writing.folder) else tests

    def _written_tests(self, writing: Writing) -> str:
        """Return which new tests the folder holds too: `2 new tests in test_shop.py`; empty for none."""
        from selfheal_tui.engine.out.added_tests import offers_tests
        from selfheal_tui.engine.out.applying import holds_tests

        held = holds_tests(self.snapshot, writing.folder)
        return offers_tests(self.snapshot).replace(" for ", " in ", 1) if held else ""

    def _ask_with_tests(self, writing: Writing, whole: Writing, tests: str, back: Writing | None) -> None:
        """Offer the session's new cases beside the repair; the Diff tab shows what the row would write.

        Where the repair is written already the first row puts it `back`: that is what the key is shown for then.
        """
        first = Pick("plain", "the repair alone", writing.words)
        if back is not None:
            first = Pick("back", _PUT_BACK_ROW, back.words)
        rows = [first, Pick("tests", f"{'add' if back else 'with'} {tests}", whole.words)]
        by_row = {"plain": writing, "tests": whole, "back": back or writing}

        async def do(value: str) -> None:
            if value == "back":
                await self._write(by_row[value], "Put back", _WRITES_AGAIN, "")
            else:
                await self._write(by_row[value], "Written", _PUTS_BACK, "")

        def moved(row: Pick) -> None:
            title = _BACK_TITLE if row.value == "back" else f"What W would write: {row.text}"
            self._preview(title, by_row[row.value])

        # The question first: on a small screen the end of a long title is cut.
        title = f"Write into {writing.folder}? The Diff tab shows it.\n{self.doubts}".rstrip()
        if back is not None:
            title = f"The repair is in {writing.folder}. The Diff tab shows what would change."
        self._picking.ask(Question(title, do, moved=moved, left=self.left, enter="does it" if back else "writes"), rows)

    async def _plan_putting_back(self, writing: Writing) -> Writing:
        """Return what takes the repair out of the folder again. Raises: InputError where it was changed since."""
        from selfheal_tui.engine.out.applying import plan_putting_back

        folder, merge = writing.folder, writing.merged
        plan = partial(plan_putting_back, self.snapshot, folder, self._address, self._folder, merge=merge)
        back = await asyncio.to_thread(plan)
        if back.conflicts:
            why = f"{back.conflict_words}: the repair was changed after it was written."
            raise InputError(f"Taking it out has {why} Nothing was put back.")
        return back

    async def _ask_to_put_back(self, writing: Writing) -> None:
        folder, merge = writing.folder, writing.merged
        back = await self._plan_putting_back(writing)
        self._preview(_BACK_TITLE, back)
        title = f"The repair is in {folder}. Take it out, and put {plural(len(back.pending), 'file')} back as before?"
        if merge:
            title = f"{folder} holds this repair and changes of yours. Take the repair out of {back.words}?"
        self._ask_for(back, title, "enter puts back", "Put back", _WRITES_AGAIN)

    def _ask_for(self, writing: Writing, title: str, hint: str, done: str = "Written", again: str = "") -> None:
        do = partial(self._write, writing, done, again or _PUTS_BACK)
        self._asking.ask_here(title, f"{hint} · esc cancels", do, takes="yes")

    def _preview(self, title: str, writing: Writing) -> None:
        self._previews = True
        files = [(change.path, change.before or "", change.after) for change in writing.pending]
        self._port.evidence.show_writing(title, files)

    async def _write(self, writing: Writing, done: str, again: str, _: str) -> None:
        written = await self.make(writing)
        self.left()
        self._commit = None
        await self._look_into_folder()
        self._port.notify(f"{done}: {', '.join(map(str, written))}. {again}", markup=False)

    async def make(self, writing: Writing, permit: Permit | None = None) -> list[Path]:
        """Make the changes; return the files written. Without a `permit` the hook is asked. Raises: InputError."""
        from selfheal_tui.engine.out.applying import unnoted_words, write

        permit = permit or await self.permitted(writing)
        branch = self.snapshot.branch
        written = await asyncio.to_thread(write, writing, self._folder, branch, permit)
        if words := await asyncio.to_thread(unnoted_words, writing, self._folder, branch, self._address):
            self._port.notify(words, severity="warning", markup=False)
        return written

    async def permitted(self, writing: Writing, planned: Committable | None = None) -> Permit:
        """Ask the user's hook whether this may be written, and committed. Raises: InputError where it refuses."""
        from selfheal_tui.engine.out.before_apply import permit_for
        from selfheal_tui.engine.session.hook_story import SessionPlace

        session = self._port.driver.saved
        assert session is not None, "offered where a session is open"
        place = SessionPlace(
            self._session_id, self.snapshot.title, self._port.app.settings.sessions, await session.root()
        )
        ask = partial(permit_for, self._port.app.workbench.hooks, place, puts_back=writing.puts_back)
        permit = await asyncio.to_thread(ask, self.snapshot, writing, planned)
        if permit.trouble:
            self._port.notify(permit.trouble, severity="warning", markup=False)
        return permit

    @property
    def _folder(self) -> Path:
        """The session's own."""
        return self._port.app.settings.sessions / self._session_id

    @property
    def _address(self) -> str:
        """The session, as commands name it."""
        return self._session_id + sessions_flag(self._port.app.settings)

    @property
    def snapshot(self) -> Snapshot:
        """The moment whose program is at its end."""
        snapshot = self._port.model.shown
        assert snapshot is not None, "offered where a moment is shown"
        return snapshot

    @property
    def doubts(self) -> str:
        """What speaks against the program that is shown, a line each above the question; empty when nothing does."""
        doubts = doubts_of_snapshot(self.snapshot)
        more = len(doubts) - _MOST_DOUBTS
        lines = [f"⚠ {one_line(doubt, 800)}\n" for doubt in doubts[:_MOST_DOUBTS]]
        if self.is_in_part and (failing := still_failing_words(self.snapshot.report, len(self.snapshot.waiting))):
            lines.insert(0, f"✗ {failing}\n")
        return "".join([*lines, f"⚠ and {plural(more, 'more doubt')}\n" if more > 0 else ""])

    async def _found(self) -> Writing:
        """Return what is still to be written, of files that changed after it was written too. Raises: SelfHealError."""
        try:
            return await self.planned()
        except FileChanged:
            merged = await self.planned(merge=True)
            if merged.pending:
                raise
            return merged

    async def planned(self, *, merge: bool = False, with_tests: bool = False, elsewhere: bool = False) -> Writing:
        """Return what is to be written into the folder. Raises: as `plan_writing`."""
        from selfheal_tui.engine.out.applying import plan_writing

        session = self._port.driver.saved
        assert session is not None, "offered where a session is open"
        # At the question whether it is healed every case passes already; at another end the question names those
        # that do not.
        at_end = isinstance(self._port.side.card, EndCard) or self.is_in_part
        plan = partial(plan_writing, unhealed=at_end, merge=merge, with_tests=with_tests, elsewhere=elsewhere)
        return await asyncio.to_thread(plan, self.snapshot, await session.root(), self._address)


def _reverted(made: Sequence[str]) -> str:
    """Return the command that takes commits back."""
    return f"git revert {' '.join(reversed(made))}"
