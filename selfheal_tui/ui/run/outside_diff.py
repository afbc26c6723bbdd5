"""The diff that is shown, in the user's own tool; what they change there becomes an edit to be looked at."""

from __future__ import annotations

from selfheal_tui.errors import InputError

from ..kit.diff_view import DiffView
from ..kit.difftool import FileChange, shown_outside
from .cards.code import CodeCard
from .cards.repair import RepairCard
from .editing import Editing
from .port import RunPort


class OutsideDiff:
    """Opens the tool on the files of the Diff tab."""

    def __init__(self, port: RunPort, editing: Editing) -> None:
        self._port, self._editing = port, editing

    @property
    def can_open(self) -> bool:
        """Whether a diff with changes is in front of the user."""
        return self._port.evidence.tabs.active == "diff" and bool(self._files())

    async def open(self) -> None:
        """Show the files, and open the editor on what was changed of them."""
        try:
            changed = shown_outside(self._port.app, self._files())
        except InputError as error:
            self._port.notify(str(error), severity="error", markup=False)
            return
        card = self._port.side.card
        if not changed:
            return
        if isinstance(card, RepairCard | CodeCard):
            right = {path: new for path, _, new in self._files()} if isinstance(card, RepairCard) else {}
            await self._editing.open_proposal(card, {**right, **changed})
        else:
            self._port.notify("What you changed there is not taken: nothing is asked about this code.", markup=False)

    def _files(self) -> list[FileChange]:
        """Return the files as they would be taken: of a repair in part, that part."""
        files = list(self._port.evidence.query_one(DiffView).files)
        card = self._port.side.card
        if isinstance(card, RepairCard) and card.in_part and card.selection and card.repair and card.snapshot:
            part = card.selection.changes(card.snapshot, card.repair)
            files = [(path, old, part.get(path, old)) for path, old, _ in files]
        return [one for one in files if one[1] != one[2]]
