"""Where the user writes the repair: an editor per file, checked before it is handed on."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Select, Static

from selfheal_tui.engine.review import ReviewKind
from selfheal_tui.text import one_line

from .code_editor import CodeEditor


class EditPane(Vertical):
    """Edits whole files; submitting posts only what differs from the code now."""

    DEFAULT_CSS = """
    EditPane {
        #edit-keys { height: 1; padding: 0 1; background: $boost; }
        #edit-file { display: none; height: 1; &.-several { display: block; } }
        CodeEditor { height: 1fr; }
        #edit-problem { height: auto; color: $text-error; padding: 0 1; display: none; &.-shown { display: block; } }
    }
    """

    @dataclass
    class Submitted(Message):
        """The texts parse and differ from the code now."""

        changes: dict[str, str]

    @dataclass
    class Left(Message):
        """The user left; the texts are kept."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kind: ReviewKind = "repair"
        self._key = ""
        self._now: Mapping[str, str] = {}
        self._texts: dict[str, str] = {}
        self._path = ""

    def compose(self) -> ComposeResult:
        yield Select[str]((), id="edit-file", compact=True, prompt="file")
        yield Static(id="edit-keys")
        yield CodeEditor()
        yield Static(id="edit-problem")

    def open(self, key: str, kind: ReviewKind, now: Mapping[str, str], changes: Mapping[str, str]) -> None:
        """Edit `now | changes`; the same `key` finds the text left here before. Takes the focus."""
        if key != self._key:
            self._key, self._kind, self._now = key, kind, now
            self._texts = {**now, **changes}
            self._path = next(iter(changes), next(iter(now), ""))
            chooser = self.query_one("#edit-file", Select)
            with self.prevent(Select.Changed):
                chooser.set_options((path, path) for path in self._texts)
                if self._path:
                    chooser.value = self._path
            chooser.set_class(len(self._texts) > 1, "-several")
            self._say("")
            self._show_file()
            row = first_difference(now.get(self._path, ""), self._texts.get(self._path, ""))
            editor = self.query_one(CodeEditor)
            editor.move_cursor((row, 0))
            self.call_after_refresh(editor.scroll_cursor_visible, center=True)
        self.query_one(CodeEditor).focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Keep this file's text and show the other one."""
        event.stop()
        if isinstance(event.value, str) and event.value != self._path:
            self._keep()
            self._path = event.value
            self._show_file()

    def on_code_editor_saved(self, event: CodeEditor.Saved) -> None:
        """Check all files; hand on the changes, or show the first problem at its line."""
        from selfheal_tui.engine.schemas import edit_problems

        event.stop()
        self._keep()
        changes: dict[str, Any] = {p: t for p, t in self._texts.items() if t != self._now.get(p)}
        if not changes:
            self._say("Nothing differs from the code now: change it, or press esc and approve or reject.")
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
                self.query_one("#edit-file", Select).value = path
                self._path = path
                self._show_file()
            self._go_to_error(self._texts[path])

    def on_code_editor_left(self, event: CodeEditor.Left) -> None:
        """Leave and keep the text."""
        event.stop()
        self._keep()
        self.post_message(self.Left())

    def _go_to_error(self, text: str) -> None:
        try:
            ast.parse(text)
        except SyntaxError as error:
            row = min(max((error.lineno or 1) - 1, 0), text.count("\n"))
            editor = self.query_one(CodeEditor)
            editor.move_cursor((row, max((error.offset or 1) - 1, 0)), center=True)
            editor.focus()
        except (ValueError, RecursionError, MemoryError):
            return

    def _show_file(self) -> None:
        keys = (("ctrl+s", " submit  "), ("esc", " leave, keep the text  "), ("ctrl+z", " undo"))
        parts = [part for key, words in keys for part in ((key, "bold $text-accent"), (words, "$foreground 60%"))]
        name = "" if len(self._texts) > 1 else f"{one_line(self._path)}   "
        self.query_one("#edit-keys", Static).update(Content.assemble((name, "bold"), *parts))
        self.query_one(CodeEditor).show(self._path, self._texts.get(self._path, ""))

    def _keep(self) -> None:
        if self._path:
            self._texts[self._path] = self.query_one(CodeEditor).text

    def _say(self, message: str) -> None:
        line = self.query_one("#edit-problem", Static)
        line.update(Content(f"! {one_line(message)}" if message else ""))
        line.set_class(bool(message), "-shown")


def first_difference(old: str, new: str) -> int:
    """Return the first line of `new`, from 0, that is not as in `old`; 0 when all are."""
    pairs = itertools.zip_longest(old.splitlines(), new.splitlines())
    row = next((n for n, (a, b) in enumerate(pairs) if a != b), 0)
    return min(row, new.count("\n"))
