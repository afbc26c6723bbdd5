"""Text in a box that may be too small for it: it scrolls, and tells when what is cut becomes more or less."""

from __future__ import annotations

from textual import events
from textual.containers import VerticalScroll
from textual.message import Message


class CutText(VerticalScroll):
    """Tells, from the first paint on, whenever more or less of its text is below its lower edge."""

    class Changed(Message):
        """Text was scrolled, or the text or the room for it is another."""

    _rows = 0
    """Rows of the box as it was last laid out."""

    def on_mount(self) -> None:
        """Tell of what is scrolled or drawn anew; of another size a resize tells."""
        for changed in ("scroll_y", "virtual_size"):
            self.watch(self, changed, self._tell, init=False)

    def on_resize(self, event: events.Resize) -> None:
        """Begin at the top again in a box that has grown: nothing stays scrolled away that has room."""
        grown, self._rows = self._rows < event.size.height, event.size.height
        if grown and self.scroll_y:
            self.scroll_home(animate=False)
        self._tell()

    def on_show(self) -> None:
        """Tell: what was hidden was not cut."""
        self._tell()

    def on_hide(self) -> None:
        """Tell: nothing is cut any more, as nothing is shown."""
        self._tell()

    @property
    def hides_more(self) -> bool:
        """Whether text is below the lower edge."""
        return self.is_attached and self.display and self.scroll_y < self.max_scroll_y

    @property
    def is_cut(self) -> bool:
        """Whether there is less room than text, wherever it is scrolled to."""
        return self.is_attached and self.display and self.max_scroll_y > 0

    def _tell(self) -> None:
        self.post_message(self.Changed())
