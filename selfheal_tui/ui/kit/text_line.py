"""The line in which text is typed, of every prompt and form: it loses nothing that is pasted without saying so."""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class TextLine(Input):
    """Takes all lines of a pasted text, joined by blanks; what is too long for it is said."""

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own takes the first line only.
        event.stop()
        event.prevent_default()
        self._put(event.text)

    def action_paste(self) -> None:
        """Put in what was copied here."""
        self._put(self.app.clipboard)

    def restricted(self) -> None:
        """Say that what was typed does not fit."""
        self.notify(f"No more than {self.max_length:,} characters fit in here.", severity="warning", markup=False)

    def _put(self, pasted: str) -> None:
        if not (text := joined_lines(pasted)):
            return
        start, end = sorted(self.selection)
        taken = text
        if self.max_length:
            taken = text[: max(0, self.max_length - len(self.value) + end - start)]
        if taken:
            self.replace(taken, start, end)
        if len(taken) < len(text):
            words = f"Only the first {len(taken):,} of {len(text):,} characters were taken: no more fit in here."
            self.notify(words, severity="warning", markup=False)


def joined_lines(text: str) -> str:
    """Return a text as one line: a line of its own as it is, several without the blanks around each."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else " ".join(line.strip() for line in lines)
