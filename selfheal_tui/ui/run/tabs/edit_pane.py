"""Where the user writes the repair: an editor per file, tried while it is written, checked before it is handed on."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Select, Static, TextArea

from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python
from selfheal_tui.text import one_line

from ...kit.code_editor import CodeEditor
from ...kit.outside import edit_outside, editor_command
from .try_cases import TryCases

_BESIDE = 96
"""From this width on the cases stand beside the text, else below it."""


class FileChooser(Select[str], can_focus=False):
    """Chooses the file; only its open list has the keyboard: letters beside it would be commands of the app."""


class EditPane(Vertical):
    """Edits whole files; submitting posts only what differs from the code now.

    Whenever the user pauses, `Paused` asks to try the texts; whoever hears it tells `TryCases` what comes of it.
    """

    PAUSE_S: ClassVar[float] = 0.4
    """Seconds without a key before the texts are tried."""

    DEFAULT_CSS = """
    EditPane {
        #edit-keys { height: 1; padding: 0 1; background: $boost; }
        #edit-file { display: none; height: 1; &.-several { display: block; } }
        #edit-body { height: 1fr; layout: vertical; }
        CodeEditor { height: 2fr; }
        TryCases { height: 1fr; min-height: 4; border-top: solid $foreground 20%; }
        &.-beside #edit-body { layout: horizontal; }
        &.-beside CodeEditor { width: 2fr; height: 1fr; }
        &.-beside TryCases { width: 1fr; max-width: 60; height: 1fr; }
        &.-beside TryCases { border-top: none; border-left: solid $foreground 20%; }
        #edit-problem { height: auto; color: $text-error; padding: 0 1; display: none; &.-shown { display: block; } }
    }
    """

    @dataclass
    class Submitted(Message):
        """The texts parse and differ from the code now."""

        changes: dict[str, str]

    class Typed(Message):
        """The texts have changed: what was tried of them is old."""

    @dataclass
    class Paused(Message):
        """The user pauses, and the texts parse."""

        changes: dict[str, str]
        """What differs from the code now; may be empty."""

    class Kept(Message):
        """The user pauses or leaves: `kept` is to be kept for later."""

    class Left(Message):
        """The user left."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kind: ReviewKind = "repair"
        self._key: object = None
        self._beginning: dict[str, str] = {}
        self._now: Mapping[str, str] = {}
        self._texts: dict[str, str] = {}
        self._path = ""
        self._answers = True
        self._refused: str | None = None
        """The text that what is said below it is about; None while nothing is said."""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        # Without a blank choice, which would stand in the list as a row of its own; real ones come with the texts.
        yield FileChooser((("", ""),), id="edit-file", compact=True, allow_blank=False)
        yield Static(id="edit-keys")
        with Container(id="edit-body"):
            yield CodeEditor()
            yield TryCases()
        yield Static(id="edit-problem")

    def on_mount(self) -> None:
        """Follow each layout of the screen: while a tab is being made, the last resize may not be told."""
        self.watch(self.query_one(FileChooser), "expanded", self._chose, init=False)
        self.screen.screen_layout_refresh_signal.subscribe(self, self._place_cases)

    def _place_cases(self, _: Screen[Any]) -> None:
        """Put the cases beside the text where there is room."""
        if self.size.width:
            self.set_class(self.size.width >= _BESIDE, "-beside")

    @property
    def kept(self) -> dict[str, str] | None:
        """What differs from the code now; None while the texts are what they began with."""
        self._take_text()
        return None if self._texts == self._beginning else self._changes()

    def open(
        self,
        key: object,
        kind: ReviewKind,
        now: Mapping[str, str],
        changes: Mapping[str, str],
        left: Mapping[str, str] | None = None,
        at: tuple[str, int] | None = None,
        *,
        answers: bool = True,
    ) -> None:
        """Edit `now | left`, or `now | changes` where nothing was `left`; takes the focus.

        It begins where the first changed file differs from the code now, and where none does at a line (path, 1-based).
        `answers`: the texts answer a question, which can be approved or rejected instead.
        The same `key` as last time finds the text as it stands here, with what can be undone in it.
        """
        self._answers = answers
        if key != self._key or left != self.kept:
            self._key, self._kind, self._now = key, kind, now
            self._beginning = {**now, **changes}
            self._texts = {**now, **(changes if left is None else left)}
            path, line = at if at is not None and not changes and at[0] in now else ("", 0)
            self._path = path or next(iter(changes), next(iter(now), ""))
            chooser = self.query_one(FileChooser)
            with self.prevent(Select.Changed):
                chooser.set_options((path, path) for path in self._texts)
                if self._path:
                    chooser.value = self._path
            chooser.set_class(len(self._texts) > 1, "-several")
            self._say("")
            self.query_one(TryCases).forget()
            self._show_file()
            row = line - 1 if line else first_difference(now.get(self._path, ""), self._texts.get(self._path, ""))
            self.query_one(CodeEditor).centre(row)
        self.screen.set_focus(self.query_one(CodeEditor))
        self._start_pause()

    def close(self) -> None:
        """Ask for nothing more; the texts are kept."""
        if self._pause is not None:
            self._pause.stop()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Try the texts once the user pauses."""
        event.stop()
        if self._refused is not None and event.text_area.text != self._refused:
            self._say("")
        self.query_one(CodeEditor).unmark()
        self.query_one(TryCases).wait()
        self.post_message(self.Typed())
        self._start_pause()

    def on_code_editor_wanted_outside(self, event: CodeEditor.WantedOutside) -> None:
        """Edit this file in the user's own editor; the text comes back here, not into a decision."""
        event.stop()
        editor = self.query_one(CodeEditor)
        try:
            command = editor_command()
            with self.app.suspend():
                text = edit_outside(command, self._path, editor.text)
        except SuspendNotSupported:
            self._say("No other editor can be opened here (in the browser, or without a terminal): write here.")
        except InputError as error:
            self._say(str(error))
        else:
            self._say("" if text != editor.text else "Your editor ended, and nothing has changed.")
            editor.replace_all(text)

    def on_code_editor_wanted_file(self, event: CodeEditor.WantedFile) -> None:
        """Open the list of files; with one file there is none."""
        event.stop()
        if len(self._texts) > 1:
            self.query_one(FileChooser).action_show_overlay()
        else:
            self.screen.focus_previous()

    def _chose(self, expanded: bool) -> None:
        """Go on writing once the list of files is closed, unless a click has gone elsewhere."""
        focused = self.screen.focused
        if not expanded and (focused is None or self.query_one(FileChooser) in focused.ancestors_with_self):
            self.query_one(CodeEditor).focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Keep this file's text and show the other one."""
        event.stop()
        if isinstance(event.value, str) and event.value != self._path:
            self._take_text()
            self._path = event.value
            self._show_file()

    def on_code_editor_saved(self, event: CodeEditor.Saved) -> None:
        """Check all files; hand on the changes, or show the first problem at its line."""
        from selfheal_tui.engine.session.edit_checks import edit_problems

        event.stop()
        self._take_text()
        changes: dict[str, Any] = self._changes()
        if not changes:
            other_way = "press esc and approve or reject" if self._answers else "leave with esc"
            self._say(f"Nothing differs from the code now: change it, or {other_way}.")
            return
        problems = edit_problems(self._kind, {"changes": changes}, tuple(self._now))
        if not problems:
            self._say("")
            self.post_message(self.Submitted(changes))
            return
        path = problems[0].field.removeprefix("changes.")
        self._say(f"{path} {problems[0].message}")
        if path in self._texts:
            if path != self._path:
                self.query_one(FileChooser).value = path
                self._path = path
                self._show_file()
            self._refused = self._texts[path]
            self._go_to_error(self._texts[path])

    def on_code_editor_left(self, event: CodeEditor.Left) -> None:
        """Leave and keep the text."""
        event.stop()
        self.post_message(self.Left())

    def _changes(self) -> dict[str, str]:
        return {path: text for path, text in self._texts.items() if text != self._now.get(path)}

    def _start_pause(self) -> None:
        self.close()
        self._pause = self.set_timer(self.PAUSE_S, self._paused)

    def _paused(self) -> None:
        self._take_text()
        self.post_message(self.Kept())
        editor = self.query_one(CodeEditor)
        if self._path.endswith(".py") and (problem := parse_problem(self._texts[self._path])):
            line, _, why = problem
            editor.mark(line, why)
            self.query_one(TryCases).refuse(f"line {line + 1}: {why}")
            return
        editor.unmark()
        self.post_message(self.Paused(self._changes()))

    def _go_to_error(self, text: str) -> None:
        if problem := parse_problem(text):
            editor = self.query_one(CodeEditor)
            line, column, why = problem
            editor.mark(line, why)
            editor.move_cursor((line, column), center=True)
            editor.focus()

    def _show_file(self) -> None:
        keys = [("ctrl+s", " submit  "), ("esc", " leave, keep it  "), ("ctrl+z", " undo  "), ("ctrl+e", " $EDITOR")]
        keys += [("  shift+tab", " file")] if len(self._texts) > 1 else []
        parts = [part for key, words in keys for part in ((key, "bold $text-accent"), (words, "$foreground 60%"))]
        name = "" if len(self._texts) > 1 else f"{one_line(self._path)}   "
        self.query_one("#edit-keys", Static).update(Content.assemble((name, "bold"), *parts))
        self.query_one(CodeEditor).show(self._path, self._texts.get(self._path, ""))

    def _take_text(self) -> None:
        if self._path:
            self._texts[self._path] = self.query_one(CodeEditor).text

    def _say(self, message: str) -> None:
        line = self.query_one("#edit-problem", Static)
        line.update(Content(f"! {one_line(message)}" if message else ""))
        line.set_class(bool(message), "-shown")
        self._refused = self._texts.get(self._path, "") if message else None


def first_difference(old: str, new: str) -> int:
    """Return the first line of `new`, from 0, that is not as in `old`; 0 when all are."""
    pairs = itertools.zip_longest(old.splitlines(), new.splitlines())
    row = next((n for n, (a, b) in enumerate(pairs) if a != b), 0)
    return min(row, new.count("\n"))


def parse_problem(text: str) -> tuple[int, int, str] | None:
    """Return line and column, from 0, at which a Python text does not parse, and why; None when it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_python(text)
    except SyntaxError as error:
        return min(max((error.lineno or 1) - 1, 0), text.count("\n")), max((error.offset or 1) - 1, 0), error.msg
    return None
