"""The model calls of a moment and of its iteration: who asked which model, for how much; prompt and reply below."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.text import one_line, plural, price_words, short_number

from ...kit.cursor_view import CursorView
from ...kit.line_view import Cell
from ...kit.reading_view import Part, ReadingView

if TYPE_CHECKING:
    from selfheal_tui.engine.history.calls import MomentCall

_DIM = "$foreground 60%"
_HEADING = "bold $text-accent"


class CallRows(CursorView):
    """A row for each call, newest first; those of the moment itself are marked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.calls: Sequence[MomentCall] = ()
        self._moment = ""

    def show(self, calls: Sequence[MomentCall], moment: str) -> None:
        """Draw these; the cursor goes to the newest."""
        self.calls, self._moment = calls, moment
        self.reset(len(calls))
        self.place_cursor(0)

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self.calls):
            return (Cell(Content("")),)
        call, tint = self.calls[y], self.cursor_tint(y)
        here = Content.styled("▸ ", "bold $text-accent") if call.checkpoint_id == self._moment else Content("  ")
        who = Content.styled(one_line(call.role, 20), "bold") + Content(f"  {one_line(call.model, 40)}")
        doubt = Content.styled("  ! salvaged", "$text-warning") if call.degraded else Content("")
        bill = Content.styled(f" {bill_of(call)} ", _DIM)
        room = max(0, width - bill.cell_length)
        return (Cell(who + doubt, here, tint, room), Cell(bill, tint=tint, copies=False))

    def cursor_moved(self, row: int) -> None:
        if isinstance(self.parent, CallsView):
            self.parent.draw_call()

    def row_chosen(self, row: int) -> None:
        """Go to the text."""
        if isinstance(self.parent, CallsView):
            self.parent.draw_call()
            self.parent.query_one(ReadingView).focus()


class CallsView(Vertical):
    """A sentence, the calls, and what was said in the one under the cursor."""

    DEFAULT_CSS = """
    CallsView {
        background: $surface;
        & > #calls-heading { height: auto; max-height: 3; padding: 0 1; }
        & > CallRows { height: auto; min-height: 1; max-height: 35%; }
        & > ReadingView { height: 1fr; border-top: solid $foreground 20%; }
        & > ReadingView:focus { border-top: solid $accent; }
        &.-empty > ReadingView { display: none; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Sequence[MomentCall], str] = ((), "")

    def compose(self) -> ComposeResult:
        yield Static(id="calls-heading", markup=False)
        yield CallRows()
        yield ReadingView()

    def on_mount(self) -> None:
        self._draw()

    def show(self, calls: Sequence[MomentCall], moment: str) -> None:
        """Show the calls of an iteration, newest first; those that ended at `moment` are marked."""
        if (calls, moment) != self._shown:
            self._shown = (calls, moment)
            if self.is_mounted:
                self._draw()

    def draw_call(self) -> None:
        """Show prompt and reply of the call under the cursor."""
        rows = self.query_one(CallRows)
        if rows.cursor < len(rows.calls):
            self.query_one(ReadingView).show(call_parts(rows.calls[rows.cursor]))

    def _draw(self) -> None:
        calls, moment = self._shown
        self.set_class(not calls, "-empty")
        self.query_one("#calls-heading", Static).update(heading(calls, moment))
        self.query_one(CallRows).show(calls, moment)
        self.query_one(CallRows).styles.height = max(1, len(calls))
        self.draw_call()


def heading(calls: Sequence[MomentCall], moment: str) -> Content:
    """Return how many calls there were, in which iteration, and what they cost."""
    if not calls:
        return Content.styled("No model was called up to this moment.", _DIM)
    paid = [call for call in calls if not call.replayed]
    tokens = short_number(sum(call.input_tokens + call.output_tokens for call in paid))
    costs = [call.cost_usd for call in paid]
    cost = price_words(None if None in costs else sum(cost or 0.0 for cost in costs))
    here = sum(call.checkpoint_id == moment for call in calls)
    at = f", {here} at this moment ▸" if here else ""
    return Content.assemble(
        (f"{plural(len(calls), 'call')} in iteration {calls[0].iteration}{at}", ""),
        (f"  {tokens} tokens · {cost} paid", _DIM),
    )


def bill_of(call: MomentCall) -> str:
    """Return what a call cost, short."""
    tokens = f"{short_number(call.input_tokens)}→{short_number(call.output_tokens)}"
    if call.replayed:
        return f"{tokens} · replayed"
    cost = "$?" if call.cost_usd is None else f"${call.cost_usd:.4f}"
    return f"{tokens} · {cost} · {call.time_s:.1f} s"


def call_parts(call: MomentCall) -> list[Part]:
    """Return a call as text to read: what it was, its reply, its prompt."""
    version = f" v{call.prompt_version}" if call.prompt_version else ""
    facts = [
        f"{facts_of(call.node).done} · {call.branch} · iteration {call.iteration} · {call.at}",
        f"prompt {call.prompt_name}{version} {call.prompt_sha256[:12]}".rstrip(),
        f"{call.input_tokens:,} tokens in, {call.output_tokens:,} out · "
        + price_words(call.cost_usd)
        + (" when it was paid; replayed here, nothing paid" if call.replayed else f" · {call.time_s:.1f} s"),
        f"sent: {call.sent_words}",
    ]
    parts: list[Part] = [(one_line(fact, 400), _DIM) for fact in facts]
    if call.degraded:
        parts.append((f"! {one_line(call.degraded, 400)}", "$text-warning"))
    return [
        *parts,
        ("\nReply", _HEADING),
        (reply_text(call.reply), ""),
        ("\nPrompt", _HEADING),
        (call.prompt, ""),
    ]


def reply_text(reply: Any) -> str:
    """Return a reply for people: a field below the other, texts of several lines as they are."""
    if not isinstance(reply, dict):
        return reply if isinstance(reply, str) else json.dumps(reply, indent=1, ensure_ascii=False)
    return "\n".join(f"{name}: {_value(value)}" for name, value in reply.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else "\n" + "\n".join(f"  {line}" for line in value.rstrip("\n").split("\n"))
    return json.dumps(value, indent=1, ensure_ascii=False)
