"""The branches of a session: names, outcomes, cost; here they are renamed, noted, pinned, hidden and deleted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from selfheal_tui.engine.moment.timeline import Branch, Timeline
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.text import one_line, plural, size_words

from ..kit.inline_prompt import InlinePrompt
from ..kit.key_footer import KeyFooter
from ..kit.row_table import RowTable
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.branch_rows import branch_cells, branch_columns, ordered_branches

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session

    from ..app import SelfHealApp

Change = Literal["pin", "hide", "delete"]
_DIM = "$foreground 60%"


class TakesBack(Protocol):
    """Who knows what runs and can take acts back."""

    async def take_back(self, redo: bool = False) -> None: ...

    def runs_on(self, branch: str) -> bool: ...

    async def stand(self) -> None: ...


class BranchesTable(RowTable):
    """The list; Enter goes to the branch under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Go", id="branches.go", tooltip="Go on, on the branch under the cursor")
    ]


class BranchesScreen(WorkingScreen[str | None]):
    """Returns the branch to go to, None when the user only looked or changed something."""

    DEFAULT_CSS = """
    BranchesScreen {
        #heading { height: 3; padding: 1 2; }
        #branches { height: 1fr; padding: 0 1; background: $background; background-tint: $background 0%; }
        #branches > .datatable--header { background: $background; color: $text-muted; text-style: none; }
        #about { height: auto; min-height: 1; max-height: 3; padding: 0 2; }
        #line { margin: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "rename", "Rename", id="branches.rename", tooltip="Give the branch another name"),
        Binding("i", "note", "Note", id="branches.note", tooltip="Write a note on the branch"),
        Binding("P", "pin", "Pin", key_display="P", id="branches.pin", tooltip="List it first, or no longer"),
        Binding("h", "hide", "Hide", id="branches.hide", tooltip="Fold it away in the timeline, or bring it back"),
        Binding("x", "delete", "Delete", id="branches.delete", tooltip="Delete it; gone when the session is closed"),
        Binding(
            "space", "mark", "Mark", show=False, id="branches.mark", tooltip="Mark a branch to compare it with another"
        ),
        Binding("C", "compare", "Compare", key_display="C", id="branches.compare", tooltip="Compare what is marked"),
        Binding("u", "undo", "Undo", id="branches.undo", tooltip="Take back what you did last"),
        Binding("U", "redo", "Redo", show=False, id="branches.redo", tooltip="Do it again"),
        Binding("question_mark", "app.help", "Help", key_display="?", show=False, id="branches.help", tooltip="Keys"),
        Binding("escape,B,q", "leave", "Back", key_display="esc", id="branches.leave", tooltip="Back to the run"),
    ]
    app: SelfHealApp

    def __init__(self, session: Session, owner: TakesBack) -> None:
        super().__init__()
        self._session, self._owner = session, owner
        self._timeline: Timeline | None = None
        self._sizes: dict[str, int] = {}
        self._marked: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        yield BranchesTable(id="branches", cursor_type="row")
        yield Static(id="about")
        yield InlinePrompt(id="line")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first, then read."""
        self.call_after_refresh(self._read)

    @work(group="branches", exclusive=True)
    async def _read(self) -> None:
        await self._load()

    async def _load(self, at: str = "") -> None:
        """Read the branches; the cursor goes to `at`, else stays."""
        branch = self._current()
        self._timeline, self._sizes = await self._session.timeline(), await self._session.branches.sizes()
        self._fill(at or (branch.name if branch is not None else ""))

    def on_resize(self) -> None:
        """Fit the columns."""
        if (branch := self._current()) is not None:
            self._fill(branch.name)

    def _fill(self, at: str) -> None:
        timeline, table = self._timeline, self.query_one(BranchesTable)
        if timeline is None:
            return
        table.clear(columns=True)
        columns = branch_columns(self.app.size.width)
        for name, heading, width in columns:
            table.add_column(heading, key=name, width=width)
        rows = ordered_branches(timeline)
        for branch in rows:
            cells = branch_cells(branch, timeline, self._sizes.get(branch.name, 0), branch.name in self._marked)
            row_cells = (cells[name].truncate(width, ellipsis=True) for name, _, width in columns)
            table.add_row(*row_cells, key=branch.name)
        branch_names = [branch.name for branch in rows]
        for name in (at, timeline.stands):
            if name in branch_names:
                table.move_cursor(row=branch_names.index(name))
                break
        if not self.query_one(InlinePrompt).is_open:
            table.focus()
        total = size_words(sum(self._sizes.values()))
        words = f"  {plural(len(rows), 'branch', 'branches')} · {total} of moments; the bodies are shared"
        self.query_one("#heading", Static).update(Content.assemble(("Branches", "bold $text-primary"), (words, _DIM)))
        self._tell()

    def _current(self) -> Branch | None:
        table = self.query_one(BranchesTable)
        if self._timeline is None or not table.is_valid_row_index(table.cursor_row):
            return None
        key = table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value
        return self._timeline.branches.get(key or "")

    def on_data_table_row_highlighted(self) -> None:
        """Tell the whole name and note."""
        self._tell()

    def _tell(self) -> None:
        branch = self._current()
        words = "" if branch is None else one_line(branch.name, 60)
        if branch is not None and branch.note:
            words += f" · {one_line(branch.note, 400)}"
        if branch is not None and branch.hidden == "deleted":
            words += " · deleted: gone once the session is closed, u brings it back"
        self.query_one("#about", Static).update(Content.styled(words, _DIM))

    def on_data_table_row_selected(self) -> None:
        """Go there."""
        if (branch := self._current()) is not None:
            self.dismiss(branch.name)

    def action_leave(self) -> None:
        """Back to the run screen."""
        self.dismiss(None)

    # changes

    def action_rename(self) -> None:
        """Ask for the name."""
        if (branch := self._current()) is not None:
            self.query_one(InlinePrompt).ask(
                f"Name of {branch.name}:",
                "enter renames · esc cancels",
                partial(self._rename, branch.name),
                needed="A name, please.",
                draft_key="rename",
            )

    def action_note(self) -> None:
        """Ask for the note."""
        if (branch := self._current()) is not None:
            self.query_one(InlinePrompt).ask(
                f"Note on {branch.name}:",
                "enter saves it, empty deletes it · esc cancels",
                partial(self._note, branch.name),
                draft_key="note",
            )

    async def _rename(self, name: str, text: str) -> None:
        await self._session.branches.rename(name, text)
        self._marked = [text if marked == name else marked for marked in self._marked]
        await self._changed(text)

    async def _note(self, name: str, text: str) -> None:
        await self._session.branches.note(name, text)
        await self._changed(name)

    async def _changed(self, at: str) -> None:
        self.query_one(BranchesTable).focus()
        await self._load(at)

    def on_inline_prompt_cancelled(self) -> None:
        """Give the focus back."""
        self.query_one(BranchesTable).focus()

    def action_pin(self) -> None:
        """Pin or unpin."""
        self._change("pin", self._current())

    def action_hide(self) -> None:
        """Hide, or bring back."""
        self._change("hide", self._current())

    def action_delete(self) -> None:
        """Mark as deleted."""
        self._change("delete", self._current())

    @work(group="branches")
    async def _change(self, change: Change, branch: Branch | None) -> None:
        if branch is None:
            return
        branches, name = self._session.branches, branch.name
        try:
            match change:
                case "pin":
                    await branches.pin(name, not branch.pinned)
                case "hide":
                    await branches.hide(name, not branch.hidden)
                case "delete" if self._owner.runs_on(name):
                    raise InputError(f"{name} is running.", "Pause it (esc, p), or go on with another first.")
                case "delete":
                    stood = await branches.stands()
                    await branches.delete(name)
                    stands = await branches.stands()
                    goes_on = f" The session goes on, on {stands}." if stands != stood else ""
                    size = size_words(self._sizes.get(name, 0))
                    told = f"Deleted {name} ({size} and its bodies); u brings it back.{goes_on}"
                    self.notify(told, markup=False)
                    if goes_on:
                        await self._owner.stand()
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
        await self._load(name)

    @work(group="branches")
    async def action_undo(self) -> None:
        """Take the newest act back."""
        await self._owner.take_back()
        await self._load()

    @work(group="branches")
    async def action_redo(self) -> None:
        """Do it again."""
        await self._owner.take_back(redo=True)
        await self._load()

    # compare

    def action_mark(self) -> None:
        """Mark or unmark; the two newest marks count."""
        if (branch := self._current()) is not None:
            marked = [name for name in self._marked if name != branch.name]
            self._marked = marked if branch.name in self._marked else [*marked, branch.name][-2:]
            self._fill(branch.name)

    def action_compare(self) -> None:
        """Compare the two marked branches, or the one under the cursor with where the session stands."""
        timeline, branch = self._timeline, self._current()
        if timeline is None or branch is None:
            return
        a, b = self._marked if len(self._marked) == 2 else (timeline.stands, branch.name)
        if a == b:
            self.notify("Mark another branch with space: this one is where the session stands.", markup=False)
            return
        self.app.show_compare(self._session.id, timeline.branches[a].head, timeline.branches[b].head)
