"""The panel that tries Python or a case beside the program: what was tried, what came of it, what is attached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from selfheal_tui.engine.workshop.trial import Tried, frames_above
from selfheal_tui.text import one_line

from ...kit.code_editor import CodeEditor
from ...kit.line_view import Cell, LineView
from ...view.code_lines import code_lines, printable
from .try_input import TryInput

_DIM = "$foreground 60%"
_MOST_LINES = 200
"""Lines of one output that are shown."""


class TryResults(LineView, can_focus=False):
    """What was tried, oldest first; the newest stays in view."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[Content, Content, str]] = []
        """Body, gutter, tint."""

    def show(self, tried: Sequence[Tried], attached: Sequence[Tried], running: str) -> None:
        """Show results; `running` is the text that is being tried, empty for none."""
        self._rows = []
        for one in tried:
            self._rows += _rows_of(one, one in attached)
        if running:
            self._rows += [
                *_asked(running, ""),
                (Content.styled("… running in the sandbox", "$text-primary"), Content("  "), ""),
            ]
        widest = max((body.cell_length for body, _, _ in self._rows), default=0)
        self.reset(max(1, len(self._rows)), max(0, widest + 4 - self.row_width) if self.row_width else 0)
        self.call_after_refresh(self.scroll_end, animate=False)

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        """Return a line of a result, or what there is to do."""
        if not self._rows:
            words = " An expression, Python (its last expression counts), or the name of a case."
            return (Cell(Content.styled(words, _DIM)),)
        body, gutter, tint = self._rows[y]
        return (Cell(body, gutter, tint),)


class TryPane(Vertical):
    """Takes a text, posts it to be tried, and shows what comes back."""

    DEFAULT_CSS = """
    TryPane {
        background: $surface;
        & > #try-keys { height: auto; max-height: 2; padding: 0 1; background: $boost; }
        & > TryResults { height: 1fr; }
        & > #try-line { height: auto; max-height: 8; border-top: solid $foreground 20%; background: $boost; }
        #try-prompt { width: 4; color: $text-accent; text-style: bold; }
        TryInput { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+t",
            "attach",
            "Send along",
            id="try.attach",
            tooltip="Send the newest result with your decision, or not",
        ),
        Binding("ctrl+o", "other", "Other code", id="try.other", tooltip="Try it on the repair, or on the code now"),
        Binding("pageup", "scroll_results(-1)", "Up", show=False, id="try.up", tooltip="Scroll the results up"),
        Binding("pagedown", "scroll_results(1)", "Down", show=False, id="try.down", tooltip="Scroll the results down"),
    ]

    @dataclass
    class Asked(Message):
        """The user wants a text tried."""

        text: str

    class Attached(Message):
        """The user wants the newest result to go with the decision, or not to."""

    class Switched(Message):
        """The user wants to try on the other code."""

    class Left(Message):
        """The user leaves; the text and the results are kept."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._at = 0

    def compose(self) -> ComposeResult:
        yield Static(id="try-keys", markup=False)
        yield TryResults()
        with Horizontal(id="try-line"):
            yield Static(">>> ", id="try-prompt", markup=False)
            yield TryInput()

    def show(
        self, of: str, other: str, tried: Sequence[Tried], attached: Sequence[Tried], running: str, decides: bool
    ) -> None:
        """Show what is tried on, what came of it so far, and which results are attached.

        `other` is what else could be tried on, empty for nothing; `decides`: there is a decision to attach to.
        """
        keys = [("enter", "run"), *([("^o", f"on {other}")] if other else [])]
        if tried and decides:
            keys.append(("^t", "do not send" if tried[-1] in attached else "send with your decision"))
        keys += [("↑", "earlier"), ("esc", "back")]
        # A key stays with its words where the line breaks.
        hints = [((key, "bold $text-accent"), (f" {words}".replace(" ", "\xa0"), _DIM), "  ") for key, words in keys]
        parts = [part for hint in hints for part in hint]
        self.query_one("#try-keys", Static).update(Content.assemble((f"Try on {one_line(of)}", "bold"), "  ", *parts))
        self.query_one(TryResults).show(tried, attached, running)

    def on_code_editor_saved(self, event: CodeEditor.Saved) -> None:
        """Ask for the text, and keep it to be recalled."""
        event.stop()
        text = event.text.strip("\n").rstrip()
        if not text:
            return
        if self._texts[-1:] != [text]:
            self._texts.append(text)
        self._at = len(self._texts)
        self.post_message(self.Asked(text))

    def on_code_editor_left(self, event: CodeEditor.Left) -> None:
        """Leave."""
        event.stop()
        self.post_message(self.Left())

    def on_try_input_recalled(self, event: TryInput.Recalled) -> None:
        """Put an earlier text into the line; after the newest comes an empty one."""
        event.stop()
        at = max(0, min(len(self._texts), self._at + event.step))
        if at != self._at:
            self._at = at
            line = self.query_one(TryInput)
            line.load_text(self._texts[at] if at < len(self._texts) else "")
            line.move_cursor(line.document.end)

    def action_attach(self) -> None:
        """Attach or detach the newest result."""
        self.post_message(self.Attached())

    def action_other(self) -> None:
        """Try on the other code from now on."""
        self.post_message(self.Switched())

    def action_scroll_results(self, step: int) -> None:
        """Scroll the results by a page."""
        results = self.query_one(TryResults)
        results.scroll_relative(y=step * max(1, results.size.height - 1), animate=False)


def _asked(text: str, about: str) -> list[tuple[Content, Content, str]]:
    rows = []
    for number, line in enumerate(code_lines(text) or [""]):
        body = Content.styled(line, "bold")
        if number == 0 and about:
            body += Content.styled(f"   {about}", _DIM)
        rows.append((body, Content.styled(">>> " if number == 0 else "... ", "bold $text-accent"), "on $foreground 5%"))
    return rows


def _rows_of(one: Tried, attached: bool) -> list[tuple[Content, Content, str]]:
    rows = _asked(one["text"], f"on {one['of']} · {one['duration_s'] * 1000:.0f} ms")
    rows += [(Content.styled(line, "$foreground 80%"), Content("    "), "") for line in _lines(one["output"])]
    if one["value"] is not None:
        lines = _lines(one["value"]) or [""]
        rows += [
            (Content(line), Content.styled("  = " if n == 0 else "    ", "bold $text-success"), "")
            for n, line in enumerate(lines)
        ]
    if one["error"]:
        rows += [(Content.styled(line, _DIM), Content("    "), "") for line in _lines(frames_above(one))]
    if one["cases"]:
        rows += [_case_row(case["name"], case["outcome"], case["error"]) for case in one["cases"]]
    elif one["error"]:
        rows.append(
            (Content.styled(printable(one["error"]), "$text-error"), Content.styled("  ✗ ", "bold $text-error"), "")
        )
    elif one["kind"] == "case":
        rows.append((Content.styled(one["outcome"], "$text-success"), Content.styled("  ✓ ", "bold $text-success"), ""))
    elif one["value"] is None:
        rows.append(
            (Content.styled("it ended without an exception", _DIM), Content.styled("  ✓ ", "bold $text-success"), "")
        )
    if attached:
        rows.append(
            (
                Content.styled("goes with your decision", "$text-warning"),
                Content.styled("  + ", "bold $text-warning"),
                "",
            )
        )
    return rows


def _case_row(name: str, outcome: str, error: str) -> tuple[Content, Content, str]:
    sign, style = ("✓", "$text-success") if outcome in ("passed", "skipped") else ("✗", "$text-error")
    words = printable(": ".join(filter(None, (name, outcome, error))))
    return Content.styled(words, style), Content.styled(f"  {sign} ", f"bold {style}"), ""


def _lines(text: str) -> list[str]:
    lines = printable(text).rstrip("\n").split("\n") if text.strip() else []
    if len(lines) > _MOST_LINES:
        return [*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"]
    return lines
