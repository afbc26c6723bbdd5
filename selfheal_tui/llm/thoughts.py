"""Taking a model's thinking out of its reply: a `<think>` block at the start, wherever the pieces are cut."""

from __future__ import annotations

from typing import Literal

_TAGS = ("<think>", "<thinking>")


class ThoughtFilter:
    """Swallows one leading block; text behind it passes untouched, so that code may hold such tags."""

    def __init__(self) -> None:
        self._place: Literal["start", "thought", "gap", "reply"] = "start"
        self._held = ""
        self._closing = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return the part that is reply."""
        if self._place == "start":
            piece = self._at_start(piece)
        if self._place == "thought":
            piece = self._in_thought(piece)
        if self._place == "gap" and (piece := piece.lstrip()):
            self._place = "reply"
        return piece

    def finish(self) -> str:
        """Return what was held back at the end: nothing of an unfinished thought."""
        held, self._held = self._held, ""
        return held if self._place == "start" else ""

    def _at_start(self, piece: str) -> str:
        self._held += piece
        start = self._held.lstrip()
        tag = next((tag for tag in _TAGS if start.startswith(tag)), "")
        if not tag and any(tag.startswith(start) for tag in _TAGS):
            return ""
        text, self._held = self._held, ""
        if not tag:
            self._place = "reply"
            return text
        self._place, self._closing = "thought", tag.replace("<", "</")
        return start[len(tag) :]

    def _in_thought(self, piece: str) -> str:
        thought, closed, reply = (self._held + piece).partition(self._closing)
        # Only what may be the start of the closing tag has to be kept.
        self._held = "" if closed else thought[-len(self._closing) :]
        if closed:
            self._place = "gap"
        return reply
