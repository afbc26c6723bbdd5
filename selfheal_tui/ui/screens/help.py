"""The help screen: the keys that work on the screen below at this moment, as they are bound there."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ..kit.keymap import key_words
from ..kit.keys import GROUPS

_DIM = "$foreground 60%"

_WIDTH, _EDGES = 76, 8
"""Cells of the box at most, and how many of them its border, its padding and its bar take."""
_REST = "This screen"
"""Heads the keys of a screen that are in no group."""


class Key(NamedTuple):
    """One line: which key, what it does, whether it does so now."""

    key: str
    words: str
    live: bool


class HelpScreen(ModalScreen[None]):
    """Lists keys by heading; any of its own keys closes it."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        #help { width: 76; max-width: 96%; height: auto; max-height: 92%; padding: 1 2; background: $surface;
                border: round $primary; border-title-color: $text-primary; border-title-style: bold; }
        Static { height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Back", id="help.close", tooltip="Back to the screen below")
    ]

    def __init__(self, groups: Sequence[tuple[str, Sequence[Key]]]) -> None:
        super().__init__()
        self._groups = groups

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static()

    def on_resize(self) -> None:
        """Break lines where there is room for them now."""
        room = min(_WIDTH, self.size.width * 96 // 100) - _EDGES
        self.query_one("#help Static", Static).update(help_content(self._groups, room))

    def on_mount(self) -> None:
        """Name the box."""
        box = self.query_one("#help")
        box.border_title = "Keys"
        box.border_subtitle = "esc back · ↑ ↓ scroll"


def help_content(groups: Iterable[tuple[str, Sequence[Key]]], room: int) -> Content:
    """Return all keys by heading, in lines of so many cells; those that do nothing now are dim and say so."""
    parts: list[tuple[str, str]] = []
    for heading, keys in groups:
        parts.append((f"{heading}\n", "bold"))
        width = max((len(key.key) for key in keys), default=0)
        for key in keys:
            words = key.words if key.live else f"{key.words} (not now)"
            parts.append((f"  {key.key:<{max(width, 5)}}  ", "bold $text-accent" if key.live else _DIM))
            column = 4 + max(width, 5)
            rows = textwrap.wrap(words, max(room - column, 20))
            parts.append((f"\n{' ' * column}".join(rows) + "\n", "" if key.live else _DIM))
        parts.append(("\n", ""))
    parts += [
        ("Nothing is lost when you quit: a question waits on disk, and every moment can be looked at again.\n", ""),
        ("Enter never approves. Everything goes by keys; the mouse works too, shift with it selects text.", _DIM),
    ]
    return Content.assemble(*parts)


def live_keys(screen: Screen[Any], keymap: Mapping[str, str]) -> list[tuple[str, list[Key]]]:
    """Return heading -> keys of a screen: what it offers, what has the focus, what the app does anywhere.

    What does something now comes first.
    """
    active = screen.active_bindings
    here = [a for a in active.values() if a.node is not screen and not isinstance(a.node, App | Screen)]
    headings = {binding.id: heading for heading, bindings in GROUPS for binding in bindings}
    of_screen: dict[str, list[Key]] = {}
    for key in _of_screen(screen, active, keymap):
        of_screen.setdefault(headings.get(key[0], _REST), []).append(key[1])
    # Keys of ours have ids; what moves a cursor in any list stands behind all others.
    ours = _merged(a for a in here if a.binding.id is not None)
    moving = _merged(a for a in here if a.binding.id is None)
    of_rest = of_screen.pop(_REST, [])
    app = _merged(a for a in active.values() if isinstance(a.node, App))
    groups = [*of_screen.items(), ("Where you are", ours), (_REST, of_rest), ("Anywhere", app), ("Cursor", moving)]
    groups = [(heading, sorted(keys, key=lambda key: not key.live)) for heading, keys in groups if keys]
    return sorted(groups, key=lambda group: not any(key.live for key in group[1]))


def _of_screen(
    screen: Screen[Any], active: Mapping[str, ActiveBinding], keymap: Mapping[str, str]
) -> list[tuple[str, Key]]:
    """Return binding id and line of each binding of a screen; a row of candidates is one line."""
    live = {a.binding.action for a in active.values() if a.node is screen and a.enabled}
    own_bindings = [
        b for owner in type(screen).__mro__ for b in owner.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)
    ]
    lines = []
    for _, group in itertools.groupby(own_bindings, key=lambda b: b.action if "pick(" not in b.action else "pick"):
        bindings = [b for b in group if b.tooltip]
        if not bindings:
            continue
        first = bindings[0]
        keys = [key_words(k) for b in bindings for k in keymap.get(b.id or "", b.key).split(",")]
        row = first.action.startswith("pick(")
        key_text = f"{keys[0]}…{keys[-1]}" if row and not any(b.id in keymap for b in bindings) else " ".join(keys)
        words = "Show that candidate or line; of a race that is over: keep that lane" if row else first.tooltip
        lines.append((first.id or "", Key(key_text, words, any(b.action in live for b in bindings))))
    return lines


def _merged(bindings: Iterable[ActiveBinding]) -> list[Key]:
    """Return one line for each action, with all its keys."""
    keys: dict[tuple[str, str], list[str]] = {}
    for active in bindings:
        words = active.tooltip or active.binding.description
        if words and not active.binding.system:
            keys.setdefault((active.binding.action, words), []).append(key_words(active.binding.key))
    return [
        Key(" ".join(names), words.capitalize() if words.istitle() else words, True)
        for (_, words), names in keys.items()
    ]
