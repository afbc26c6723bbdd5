"""Taking acts back on the run screen, going to another branch, and the list of all branches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from selfheal_tui.errors import SelfHealError

from ..screens.branches import BranchesScreen
from ..view.model import LiveView, Review, RunModel
from .noting import with_notes
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session


class Branching:
    """Moves where the session stands, and shows it there."""

    GRACE_S: ClassVar[float] = 8.0
    """Seconds for which an answer is followed by the word that it can be taken back."""

    def __init__(self, port: RunPort) -> None:
        self._port = port

    def redo(self) -> None:
        """Do the act again that was taken back last."""
        self._port.start_work("branch", partial(self.take_back, redo=True))

    async def take_back(self, redo: bool = False, stays: str = "") -> None:
        """Undo or redo one act, and show where the session stands then; nothing runs.

        `stays` says what an undo leaves as it is.
        """
        port = self._port
        session = port.driver.session
        if session is None:
            return
        if not redo and port.model.running and await session.notes.can_take_back():
            await self._take_note_back(session)
            return
        await port.driver.pause()
        try:
            undone = await (session.branches.redo() if redo else session.branches.undo())
        except SelfHealError as error:
            port.notify(f"{error} {stays}".strip(), severity="warning", markup=False)
            if port.model.running:
                await port.drive(session.resume())
            return
        port.side.grace("")
        await self.stand()
        port.evidence.transcript.note(f"{'done again' if redo else 'taken back'}: {undone.words}")
        port.notify(f"{'Did again' if redo else 'Undid'} {undone.words}. {stays}".strip(), markup=False)

    async def _take_note_back(self, session: Session) -> None:
        """Take a note back that no step has read: the run goes on."""
        undone = await session.branches.undo()
        self._port.show(await with_notes(self._port.model, session, self._port.model.running))
        self._port.evidence.transcript.note(f"taken back: {undone.words}")
        self._port.notify(f"Took back {undone.words}.", markup=False)

    async def stand(self) -> None:
        """Show the newest moment of the branch that the session is on; nothing runs."""
        port = self._port
        session = port.driver.session
        head = await session.head() if session is not None else None
        if session is None or head is None:
            return
        try:
            timeline, snapshot = await session.timeline(), await session.snapshot(head)
            race, racing = await session.raced(), await session.branches.race() is not None
            noted = await with_notes(port.model, session, running=False)
        except SelfHealError as error:
            port.notify(str(error), severity="error", markup=False)
            return
        at = timeline.checkpoints[head]
        # A race that was interrupted goes on with its lanes: neither the question nor the end of this branch is next.
        review = Review(head, at.pending) if at.pending and not racing else None
        outcome = (at.outcome or "stopped") if not at.next and (race or not racing) else ""
        model = replace(
            port.model,
            timeline=timeline,
            committed=snapshot,
            live=LiveView(),
            lanes={},
            race=race,
            notes=noted.notes,
            takes_note_back=noted.takes_note_back,
        )
        port.show(
            replace(model, running=False, review=review, past=None, outcome=outcome, error=None, search_lost=False)
        )

    def offer_undo(self, words: str) -> None:
        """Say for some seconds that what was just done can be taken back."""
        self._port.side.grace(words, self.GRACE_S)

    def runs_on(self, branch: str) -> bool:
        """Tell whether a run goes on there."""
        model = self._port.model
        return model.running and (branch in model.lanes or branch == model.timeline.stands)

    def list_all(self) -> None:
        """List all branches; nothing is waited for, so a run goes on behind the list."""
        session = self._port.driver.session
        if session is not None:
            self._port.app.push_screen(BranchesScreen(session, self), self._leave_list)

    def _leave_list(self, branch: str | None) -> None:
        if branch:
            self._port.start_work("branch", partial(self._go, branch))
        elif self._port.model.race is not None and not self._port.model.running:
            self._port.start_work("branch", self.stand)  # a lane may have been deleted
        else:
            self.reload_tree()

    async def _go(self, branch: str) -> None:
        session = self._port.driver.session
        if session is not None:
            await self._port.driver.pause()
            try:
                await session.branches.go(branch)
            except SelfHealError as error:
                self._port.notify(str(error), severity="error", markup=False)
            await self.stand()

    def reload_tree(self) -> None:
        """Show the tree as the store has it now."""
        self._port.start_work("reload", self._reload_tree)

    async def _reload_tree(self) -> None:
        session = self._port.driver.saved
        if session is not None:
            # Awaited first: the model may be another one by then, and a look at the past must not be undone.
            timeline = await session.timeline()
            driven = self._port.driver.session
            running = self._port.model.running
            noted = await with_notes(self._port.model, driven, running) if driven is not None else RunModel()
            notes, newest = noted.notes, noted.takes_note_back
            self._port.show(replace(self._port.model, timeline=timeline, notes=notes, takes_note_back=newest))
