"""A row of keys and what they do; a click on one presses it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ..keymap import shown_key
from ..keys import binding_of


class KeyHint(Static):
    """One key and its meaning; clicking it runs the screen's action."""

    DEFAULT_CSS = """
    KeyHint { width: auto; height: 1; padding: 0 2 0 0; &:hover { background: $boost; } }
    """

    def __init__(self, key: str, words: str, action: str) -> None:
        super().__init__(Content.assemble((key, "bold $text-accent"), (f" {words}", "$text")))
        self._action = action

    async def on_click(self, event: events.Click) -> None:
        """Run the action, as its key would."""
        event.stop()
        if self._action:
            await self.screen.run_action(self._action)


class KeyRow(Horizontal):
    """Keys side by side; what does not fit goes into a further line."""

    DEFAULT_CSS = """
    KeyRow { height: auto; width: 1fr; layout: grid; grid-size: 6; grid-columns: auto; grid-rows: 1;
             padding: 0 0 0 1; }
    """

    def __init__(self, keys: Sequence[tuple[str, str, str]] = (), *, id: str | None = None) -> None:
        """`keys` holds (key, words, screen action)."""
        super().__init__(id=id)
        self._keys = tuple(keys)

    def compose(self) -> ComposeResult:
        keymap = getattr(self.app, "keymap", {})
        for key, words, action in self._keys:
            binding = binding_of(action)
            rebound = binding is not None and binding.id in keymap
            yield KeyHint(shown_key(keymap, binding) if binding is not None and rebound else key, words, action)

    def show(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Replace the keys."""
        if tuple(keys) == self._keys:
            return
        self._keys = tuple(keys)
        self.set_class(len(self._keys) > 4, "-many")
        self.refresh(recompose=True)
