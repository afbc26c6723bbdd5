"""The footer of a screen: the keys that always stand there, and further ones where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

_ROOM = 3
"""Cells that a key takes beside its name and its word."""


class KeyFooter(Footer):
    """Shows whole keys only; what does not fit stays in the help and the palette."""

    def __init__(self, more: Sequence[str] = ()) -> None:
        """`more` are ids of bindings to name where there is room, the most useful first."""
        super().__init__(show_command_palette=False)
        self._more = tuple(more)

    def compose(self) -> ComposeResult:
        if not self._bindings_ready:
            return
        seen = dict[str, tuple[Binding, bool, str]]()
        for _, binding, enabled, tooltip in self.screen.active_bindings.values():
            if binding.show or binding.id in self._more:
                seen.setdefault(binding.action, (binding, enabled, tooltip))
        shown = self._fitting([binding for binding, _, _ in seen.values()])
        for binding, enabled, tooltip in seen.values():
            if binding in shown:
                yield FooterKey(
                    binding.key,
                    self.app.get_key_display(binding),
                    binding.description,
                    binding.action,
                    disabled=not enabled,
                    tooltip=tooltip,
                ).data_bind(compact=Footer.compact)

    def _fitting(self, bindings: Sequence[Binding]) -> list[Binding]:
        """Return those that fit: the last two (help, quit) before all others, `more` after them."""
        always = [binding for binding in bindings if binding.show]
        extra = sorted((b for b in bindings if not b.show), key=lambda b: self._more.index(b.id or ""))
        shown, left = list[Binding](), self.size.width
        for binding in [*always[-2:], *always[:-2], *extra]:
            left -= len(self.app.get_key_display(binding)) + len(binding.description) + _ROOM
            if left < 0:
                break
            shown.append(binding)
        return shown

    def on_resize(self, event: events.Resize) -> None:
        """Name more keys, or fewer."""
        if self._bindings_ready:
            self.call_after_refresh(self.recompose)
