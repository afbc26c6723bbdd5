"""The settings screen: every setting with what it is, what it is set to and by whom; changed here, saved on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import setting_text
from selfheal_tui.text import one_line, plural

from ..kit.key_footer import KeyFooter
from ..kit.keymap import key_of
from ..kit.picker import Picker, Question
from ..kit.row_table import RowTable
from ..kit.text_line import TextLine
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view import fork_rows
from ..view.model_rows import models
from ..view.picks import Pick
from .setting_rows import FIRST, MORE, choices, default_value, holds, parsed, sentence, setting_order, value_words

if TYPE_CHECKING:
    from ..app import SelfHealApp

_DIM = "$foreground 60%"


class SettingsTable(RowTable):
    """All settings; Enter goes to the line below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "select_cursor", "Change", id="settings.change", tooltip="Change the setting under the cursor"
        ),
        Binding(
            "space", "screen.turn", "Turn", id="settings.turn", tooltip="The next of its values, where they are few"
        ),
        Binding("x", "screen.unset", "Default", id="settings.unset", tooltip="Take the setting out: the default holds"),
    ]


class SettingLine(TextLine):
    """Where a value is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.leave_line", "Cancel", id="settings.cancel", tooltip="Leave the value as it was")
    ]


class SettingsScreen(WorkingScreen[None]):
    """A list, and below it what the setting under the cursor is; a change holds until the app ends, or is saved."""

    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="settings.save", tooltip="Write the changes into your own selfheal.yaml"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="settings.help", tooltip="All keys"),
        Binding("escape,q", "close", "Back", key_display="esc", id="settings.close", tooltip="Back; changes stay"),
    ]
    app: SelfHealApp
    _row = 0
    """Where the cursor rested last."""
    _done = ("", "")
    """The setting that was changed last, and what is said of it while the cursor stays there."""

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        yield SettingsTable(id="settings", cursor_type="row")
        with Vertical(id="one"):
            yield Static(id="help")
            yield SettingLine(id="value", compact=True, select_on_focus=False)
            yield Static(id="message")
        yield Picker(id="picker")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Show them."""
        self._fill()
        self.query_one(SettingsTable).focus()

    def on_resize(self) -> None:
        """Fit the columns."""
        self._fill()

    # what is shown

    def _fill(self) -> None:
        table = self.query_one(SettingsTable)
        at = table.cursor_row
        table.clear(columns=True)
        settings, width = self.app.settings, self.app.size.width
        origin_width = min(60, max(16, width // 3))
        value_width = max(12, width - 20 - origin_width - 12)
        for name, cells in (("Setting", 20), ("Value", value_width), ("Set by", origin_width)):
            table.add_column(name, width=cells)
        for name in setting_order():
            if name == setting_order()[len(FIRST)]:
                table.add_row(Content.styled(MORE, "bold"), Content(""), Content(""), key=MORE)
            unsaved = name in self.app.unsaved_settings
            value = Content(one_line(value_words(settings, name))).truncate(value_width, ellipsis=True)
            origin = Content.styled(one_line(settings.origins[name]), "$text-warning" if unsaved else _DIM)
            mark = Content.assemble(("● " if unsaved else "  ", "$text-warning"), name)
            table.add_row(mark, value, origin.truncate(origin_width, ellipsis=True), key=name)
        table.move_cursor(row=at)
        count, save = len(self.app.unsaved_settings), key_of(self.app, "settings.save", "ctrl+s")
        state = (
            f"{plural(count, 'change')} until you quit; {save} saves" if count else "yours, and where they come from"
        )
        self.query_one("#heading", Static).update(
            Content.assemble(("Settings", "bold $text-primary"), (f"  {state}", "$text-warning" if count else _DIM))
        )
        self.refresh_bindings()

    def _current(self) -> str:
        table = self.query_one(SettingsTable)
        if not table.is_valid_coordinate(table.cursor_coordinate):
            return setting_order()[0]
        return str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)

    def on_data_table_row_highlighted(self) -> None:
        """Tell what the setting is; the cursor never rests on the heading between them."""
        name, table = self._current(), self.query_one(SettingsTable)
        if name == MORE:
            table.move_cursor(row=table.cursor_row + (1 if self._row < table.cursor_row else -1))
            return
        self._row = table.cursor_row
        few = choices(name)
        self.query_one("#help", Static).update(
            Content.assemble(
                (name, "bold"),
                f"  {sentence(name)} ",
                (f"{holds(name)} " + (f"One of {', '.join(few)}." if few else ""), _DIM),
            )
        )
        line = self.query_one(SettingLine)
        if self.focused is not line:  # `has_focus` follows only with the next message
            line.value = setting_text(name, getattr(self.app.settings, name))
            if name != self._done[0]:
                self._done = "", ""
            self._say(self._done[1], good=True)

    def _say(self, text: str, good: bool = False) -> None:
        message = self.query_one("#message", Static)
        message.update(Content(f"{'✓' if good else '!'} {text}" if text else ""))
        message.set_class(bool(text) and not good, "-error")

    # changing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what does something; nothing before there is a table (Textual asks from the push on)."""
        if not self.is_mounted:
            return False
        if self._current() == MORE:
            return action in ("close", "save") or action.startswith("app.")
        if action == "turn":
            return bool(choices(self._current()))
        if action == "unset":
            return self.app.settings.origins[self._current()] != "default"
        return bool(self.app.unsaved_settings) if action == "save" else True

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Pick a value, where they are known; else type one."""
        if event.row_key.value == MORE:
            return
        name = self._current()
        now = setting_text(name, getattr(self.app.settings, name))
        if name == "model":
            question = Question("The model of all roles without one of their own:", self._pick, "PROVIDER:NAME", at=now)
            self._ask(question)
            self.run_worker(self._find_models(), group="models", exclusive=True)
        elif name == "theme":
            rows = [Pick(theme, theme) for theme in sorted(self.app.available_themes)]
            question = Question("Theme:", self._pick, at=now, moved=self._preview_theme, left=self._end_preview)
            self._ask(question, rows)
        elif name in fork_rows.SEVERAL:
            marked = [word for word in now.split(",") if word]
            question = Question(f"{name}:", self._pick, "NAME,NAME", several=",", marked=marked)
            self._ask(question, fork_rows.value_rows(name))
        elif few := choices(name):
            words = fork_rows.AUTONOMY_WORDS if name == "autonomy" else {}
            rows = [Pick(word, word, words.get(word, "")) for word in few]
            self._ask(Question(f"{name}:", self._pick, at=now), rows)
        else:
            self._type()

    async def _find_models(self) -> None:
        auto = Pick("auto", "auto", "takes what is there: a key, else a local Ollama, else the search")
        async for rows, note in models(self.app.settings):
            self.query_one(Picker).show([auto, *rows], note)

    def _ask(self, question: Question, rows: Sequence[Pick] = ()) -> None:
        self.add_class("-picking")
        self.query_one(Picker).ask(question, rows)

    @on(Picker.Closed)
    def _stop_finding(self) -> None:
        self.remove_class("-picking")
        self.workers.cancel_group(self, "models")

    def _preview_theme(self, row: Pick) -> None:
        self.app.theme = row.value

    def _end_preview(self) -> None:
        self.app.theme = self.app.settings.theme

    def _pick(self, text: str) -> None:
        name = self._current()
        if not text:
            self.action_unset()
            return
        self._set(name, parsed(name, text, sorted(self.app.available_themes)))

    def _type(self) -> None:
        """Type a value."""
        line = self.query_one(SettingLine)
        line.focus()
        line.select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check while it is typed."""
        if self.focused is not event.input:
            return
        name = self._current()
        if not event.value.strip():
            self._say(f"Empty: the default ({setting_text(name, default_value(name)) or 'none'}).", good=True)
            return
        try:
            parsed(name, event.value, sorted(self.app.available_themes))
        except SettingsError as error:
            self._say(str(error))
        else:
            self._say("can be used; enter sets it", good=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Set the value unless something is wrong with it."""
        name = self._current()
        if not event.value.strip():
            self._set(name, default_value(name), unset=True)
            return
        try:
            value = parsed(name, event.value, sorted(self.app.available_themes))
        except SettingsError as error:
            self._say(str(error))
            return
        self._set(name, value)

    def action_leave_line(self) -> None:
        """Leave the value as it was."""
        self.set_focus(self.query_one(SettingsTable))
        self.on_data_table_row_highlighted()

    def action_turn(self) -> None:
        """Take the next value of a few."""
        name = self._current()
        few = choices(name)
        if few:
            now = setting_text(name, getattr(self.app.settings, name))
            word = few[(few.index(now) + 1) % len(few)] if now in few else few[0]
            self._set(name, parsed(name, word, sorted(self.app.available_themes)))

    def action_unset(self) -> None:
        """Go back to the default."""
        name = self._current()
        self._set(name, default_value(name), unset=True)

    def _set(self, name: str, value: object, unset: bool = False) -> None:
        self.app.change_setting(name, value, unset=unset)
        # Not focus(), which waits: the line would still count as being typed in.
        self.set_focus(self.query_one(SettingsTable))
        self._fill()
        save = key_of(self.app, "settings.save", "ctrl+s")
        keeps = f"; {save} saves it" if name in self.app.unsaved_settings else ""
        self._done = name, f"{'the default again' if unset else 'set'}{keeps}"
        self.on_data_table_row_highlighted()

    def action_save(self) -> None:
        """Write the changes into the user's own file."""
        try:
            saved_words = self.app.save_settings()
        except SettingsError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self._fill()
        self.on_data_table_row_highlighted()
        self.notify(saved_words, markup=False)

    def action_close(self) -> None:
        """Back to where one was; a change that was not saved holds until the app ends."""
        self.dismiss()
