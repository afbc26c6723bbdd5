"""The footer of a screen: the keys that always stand there, and further ones where there is room.

Textual's `Footer` has a widget for each key and mounts all of them anew at each change of focus or bindings, which
costs more than anything else that a key press does; this one is a single line of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget


class NamedKey(NamedTuple):
    """A key and what it does, as the footer names them."""

    key: str
    display: str
    word: str
    enabled: bool

    @property
    def width(self) -> int:
        """Cells on the screen: both, and a blank around each."""
        return len(self.display) + len(self.word) + 3


class KeyFooter(Widget):
    """Shows whole keys only; what does not fit stays in the help and the palette. A click presses the key."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom; height: 1; background: $footer-background; color: $footer-foreground; pointer: pointer;
        text-wrap: nowrap;
    }
    """

    def __init__(self, more: Sequence[str] = (), joined: Mapping[str, tuple[str, str]] | None = None) -> None:
        """`more` are ids of bindings to name where there is room, the most useful first.

        `joined` holds the id of a binding -> that of another, and one word for both. A widget may have `FOOTER`, ids
        of bindings that come first while it has the focus.
        """
        super().__init__()
        self._more, self._joined = tuple(more), joined or {}
        self._keys: tuple[NamedKey, ...] = ()

    @property
    def keys(self) -> tuple[NamedKey, ...]:
        """The keys that are named, from left to right."""
        return self._keys

    def on_mount(self) -> None:
        """Follow the screen's bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def on_resize(self) -> None:
        """Name more keys, or fewer."""
        self._follow(self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        if screen is not self.screen or not self.is_attached:
            return
        first: tuple[str, ...] = getattr(screen.focused, "FOOTER", ())
        bindings, displays = dict[str, tuple[Binding, bool]](), dict[str, str]()
        for _, binding, enabled, _ in screen.active_bindings.values():
            displays.setdefault(binding.id or "", self.app.get_key_display(binding))
            if binding.show or binding.id in (*self._more, *first):
                bindings.setdefault(binding.action, (binding, enabled))
        named = {binding: self._named(binding, enabled, displays) for binding, enabled in bindings.values()}
        fitting = self._fitting(named, first)
        keys = tuple(key for binding, key in named.items() if binding in fitting)
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _named(self, binding: Binding, enabled: bool, displays: Mapping[str, str]) -> NamedKey:
        display, word = self.app.get_key_display(binding), binding.description
        other, both = self._joined.get(binding.id or "", ("", ""))
        if other and other in displays:
            display, word = f"{display} or {displays[other]}", both
        return NamedKey(binding.key, display, word, enabled)

    def _fitting(self, named: dict[Binding, NamedKey], first: Sequence[str]) -> list[Binding]:
        """Return those that fit: the last two (help, quit) before all others, then `first`; `more` at the end."""
        ahead = sorted((b for b in named if b.id in first), key=lambda b: first.index(b.id or ""))
        always = [binding for binding in named if binding.show]
        extra = sorted((b for b in named if not b.show and b not in ahead), key=lambda b: self._more.index(b.id or ""))
        fitting, room = list[Binding](), self.size.width
        for binding in dict.fromkeys([*always[-2:], *ahead, *always[:-2], *extra]):
            room -= named[binding].width
            if room < 0:
                break
            fitting.append(binding)
        return fitting

    def render(self) -> Content:
        return Content.assemble(*(part for key in self._keys for part in _said(key)))

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        key_x = event.x
        for key in self._keys:
            key_x -= key.width
            if key_x < 0:
                self.app.simulate_key(key.key) if key.enabled else self.app.bell()
                return


def _said(key: NamedKey) -> tuple[Content, Content]:
    dim = "" if key.enabled else "dim "
    name = Content.styled(f" {key.display} ", f"{dim}bold $footer-key-foreground on $footer-key-background")
    return name, Content.styled(
        f"{key.word} ", f"{dim}$footer-description-foreground on $footer-description-background"
    )
