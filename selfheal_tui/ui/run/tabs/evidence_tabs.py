"""Which tab is in front, and the two that are there on request only: the editor and the panel that tries things."""

from __future__ import annotations

from typing import TypeVar

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static, Tab, TabbedContent, Tabs

_Pane = TypeVar("_Pane", bound=Widget)
TABS = ("code", "diff", "tests", "matrix", "diagnosis", "lessons", "calls", "transcript")
ON_REQUEST = ("edit", "try")
_LEFT_ALONE = ("tests", "matrix", "lessons", "calls", "transcript")
"""Tabs that a question asked again does not take away from their reader."""


class EvidenceTabs(TabbedContent):
    """Brings a tab to the front and focuses what it shows."""

    DEFAULT_CSS = """
    EvidenceTabs { layers: default above; }
    EvidenceTabs #more-tabs {
        display: none; layer: above; width: 1; height: 1; color: $text-accent; text-style: bold;
    }
    """

    def __init__(self) -> None:
        super().__init__(initial="code")
        self._open: set[str] = set()
        """Tabs on request that are open."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Static("›", id="more-tabs")

    def on_resize(self) -> None:
        """Say where there are more tabs than there is room for."""
        self.call_after_refresh(self._tell_more)

    def _tell_more(self) -> None:
        """Show `›` at the right end of the names while some stand beyond it."""
        tabs = self.query_one(Tabs)
        needed = sum(tab.outer_size.width for tab in tabs.query(Tab) if tab.display)
        # Not by a class of its owner, which would style everything in all tabs anew.
        more = self.query_one("#more-tabs")
        more.styles.offset = (tabs.size.width - 1, 0)
        more.display = needed > tabs.size.width

    def on_mount(self) -> None:
        """Offer the editor and the trying only while they are used."""
        for tab in ON_REQUEST:
            self.hide_tab(tab)

    def activate(self, tab: str) -> None:
        """Bring a tab to the front and focus what it shows."""
        self.active = tab
        self.focus_view()

    def bring(self, tab: str) -> None:
        """Bring a tab to the front unless the user reads one that is not about the question; the focus stays."""
        if self.active not in _LEFT_ALONE:
            self.active = tab

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) tab."""
        tabs = [*TABS, *(tab for tab in ON_REQUEST if tab in self._open)]
        at = tabs.index(self.active) if self.active in tabs else 0
        self.activate(tabs[(at + step) % len(tabs)])

    def focus_view(self) -> None:
        """Focus the view of the tab in front, so that arrows scroll it."""
        pane = self.active_pane
        if pane is not None:
            view = next((w for w in pane.query(Widget) if w.focusable and w.display), None)
            # A hidden focus would be passed on inside its own tab, and bring that one back.
            (view or self.query_one(Tabs)).focus()

    def is_open(self, tab: str) -> bool:
        """Tell whether a tab on request is open."""
        return tab in self._open

    async def open(self, tab: str, kind: type[_Pane]) -> _Pane:
        """Bring a tab on request to the front; its content is mounted when it is first used, and kept."""
        self._open.add(tab)
        self.show_tab(tab)
        self.active = tab
        pane = next(iter(self.query(kind)), None)
        if pane is None:
            pane = kind()
            await self.get_pane(tab).mount(pane)
        return pane

    def put_away(self, tab: str, next_tab: str) -> None:
        """Close a tab on request, if it is open, and go to another."""
        if tab in self._open:
            self._open.remove(tab)
            self.hide_tab(tab)
            self.activate(next_tab)
