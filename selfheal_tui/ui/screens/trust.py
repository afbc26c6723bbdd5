"""The first question in a folder that brings settings of its own: what they would change, and whether they may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from selfheal_tui.provider_variables import addresses, secrets
from selfheal_tui.settings import LeftOut
from selfheal_tui.text import one_line, plural

from ..kit.arming import Arming
from ..kit.key_footer import KeyFooter
from ..kit.too_small import TooSmall

_DIM = "$foreground 60%"
_MEANS = {
    "model": "your code and tests are sent to this model",
    "role_models": "your code and tests are sent to this model",
    "prices": "what calls are said to cost, and so how far a budget in dollars reaches",
    "effort": "how much models think, and so what calls cost",
    "call_time_s": "when a call is given up, what it has cost all the same",
    "silence_s": "when a call is given up, what it has cost all the same",
    "suite_time_s": "how long a run of your tests may take",
    "case_time_s": "how long a case of your tests may take",
    "autonomy": "how much is done without asking you",
    "sandbox": "where programs run",
    "python": "this interpreter is started; where namespaces cannot be had, outside of the sandbox at first",
    "prompts": "what models are told; a copy is kept and used",
    "plugins": "code of these installed packages runs as you, outside of the sandbox",
    "sessions": "sessions in this folder are opened, and written there",
    "max_cost_usd": "a higher limit than yours",
    "max_tokens": "a higher limit than yours",
    "max_calls": "a higher limit than yours",
    "max_time_s": "a higher limit than yours",
    "max_iterations": "a higher limit than yours",
    "hooks": "this command is run with your rights, outside of the sandbox",
    "hook_diff": "commands of hooks are told your changes as a diff",
    "strategies": "which repairs are tried, and so how many calls are made",
}
_FIRST = ("autonomy", "sandbox", "python", "plugins", "prompts", "sessions")


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What is asked about the folder one stands in."""

    folder: str
    brings: Sequence[LeftOut]
    """What a yes would let count, and what is not used in any case (those with a `why`)."""


class TrustScreen(Screen[bool]):
    """Returns whether the user trusts what the folder brings; a key pressed before it can be read does nothing."""

    DEFAULT_CSS = """
    TrustScreen {
        #trust { height: 1fr; padding: 1 2; scrollbar-size-vertical: 1; }
        #trust > Static { height: auto; max-width: 100; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "answer(True)", "Trust it", id="trust.accept", tooltip="Let what the folder brings count"),
        Binding(
            "n,escape",
            "answer(False)",
            "Go on without",
            key_display="n",
            id="trust.decline",
            tooltip="Go on with your own settings alone",
        ),
        Binding("down,j", "scroll(1)", "More", show=False, id="trust.down", tooltip="Scroll down"),
        Binding("up,k", "scroll(-1)", "Back", show=False, id="trust.up", tooltip="Scroll up"),
        Binding("q", "app.quit", "Quit", id="trust.quit", tooltip="End selfheal"),
    ]

    def __init__(self, question: TrustQuestion) -> None:
        super().__init__()
        self._question = question
        self._arming = Arming()

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="trust", can_focus=False):
            yield Static(question_content(self._question))
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Listen once it has been painted."""
        self.call_after_refresh(self._arm)

    def on_resize(self) -> None:
        """What cannot be read cannot be answered."""
        self._arming.disarm()
        self.call_after_refresh(self._arm)

    def _arm(self) -> None:
        if not (self.has_class("-tiny") or self.has_class("-flat")):
            self._arming.arm(Message().time)

    def on_key(self, event: events.Key) -> None:
        """Swallow an answer that was pressed before the question could be read."""
        if event.key in ("t", "n", "escape") and not self._arming.hears(event.time):
            event.stop()
            event.prevent_default()

    def action_answer(self, trusted: bool) -> None:
        """Answer; a yes counts once all of the question has been in sight."""
        question = self.query_one("#trust")
        if trusted and question.scroll_offset.y < question.max_scroll_y:
            question.scroll_relative(y=max(1, question.size.height - 2), animate=False)
            self.notify("There is more to read: t again when you have reached the end.", markup=False)
            return
        self.dismiss(trusted)

    def action_scroll(self, lines: int) -> None:
        """Show more."""
        self.query_one("#trust").scroll_relative(y=lines, animate=False)


def question_content(question: TrustQuestion) -> Content:
    """Return the whole question as text."""
    named_settings = sorted((one for one in question.brings if not one.why), key=_order)
    never = [one for one in question.brings if one.why]
    parts: list[str | Content | tuple[str, str]] = [
        ("Do you trust what this folder brings?\n", "bold $text-primary"),
        (f"{one_line(question.folder, 300)}\n\n", "bold"),
        f"It would change {plural(len(named_settings), 'thing')} that you have not set this way:\n\n",
    ]
    for one in named_settings:
        parts += [("  ● ", "$text-warning"), (one_line(one.name, 60), "bold"), f" = {one_line(one.value, 1000)}"]
        parts += [(f"  {one.where}\n", _DIM)]
        if means := _means(one):
            parts += [(f"    {means}\n", _DIM)]
        if one.meanwhile:
            parts += [(f"    not used as long as {one_line(one.meanwhile, 200)}\n", _DIM)]
    parts += [
        "\nSay yes only if you know who wrote these files.\n",
        ("Your answer holds until one of these files changes; `selfheal config --forget` takes it back.\n", _DIM),
    ]
    if never:
        parts += [("\nNot used, whatever you answer:\n", _DIM)]
        parts += [(f"  {one_line(one.name, 60)}: {one_line(one.why, 200)}\n", _DIM) for one in never]
    return Content.assemble(*parts)


def _order(one: LeftOut) -> int:
    """What runs with the user's rights comes first, then where the code goes, then what decides and runs."""
    name = one.name.partition(".")[0]
    if name == "hooks":
        return -3
    if name in ("model", "role_models"):
        return -2
    if name in addresses():
        return -1
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def _means(one: LeftOut) -> str:
    if one.name in addresses():
        return "requests to this provider, with your code in them, go to this address"
    return "requests are made with this key" if one.name in secrets() else _MEANS.get(one.name.partition(".")[0], "")
