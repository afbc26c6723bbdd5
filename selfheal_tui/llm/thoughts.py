"""A model's reasoning and its answer: the signs that part them, in a whole reply and in one that still arrives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_WORDS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis")
_OPENERS = (
    *(f"<{word}>" for word in _WORDS),
    "[THINK]",
    "◁think▷",
    *(f"{start}<|channel|>{name}" for start in ("", "<|start|>assistant") for name in ("analysis", "thought")),
)
_CLOSERS = (*(f"</{word}>" for word in _WORDS), "[/THINK]", "◁/think▷", "<|channel|>final", "<channel|>")
_MESSAGE = "<|message|>"
"""What some models write between the closer and the answer."""


def _any_of(signs: tuple[str, ...]) -> str:
    return "(?:" + "|".join(map(re.escape, signs)) + ")"


_OPENED = re.compile(r"\s*" + _any_of(_OPENERS), re.IGNORECASE)
_CLOSED = re.compile(_any_of(_CLOSERS), re.IGNORECASE)
_BEFORE_ANSWER = re.compile(rf"[ \t]*{re.escape(_MESSAGE)}", re.IGNORECASE)
_LONGEST_CLOSER = max(map(len, _CLOSERS))


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Where a reply's reasoning is; offsets into the reply."""

    start: int
    end: int
    answer: int
    """Where the answer begins: behind the sign that ends the reasoning."""
    opened: bool
    """Its beginning was there too, so that its end can be nothing else."""


def find_reasoning(text: str) -> Reasoning | None:
    """Return where the reasoning of a whole reply is, None where there is none.

    Some chat templates open the reasoning in the prompt, so that a reply has only its end. Reasoning that never
    ends leaves no answer.
    """
    opened, closed = _OPENED.match(text), _CLOSED.search(text)
    start = opened.end() if opened else 0
    if closed:
        message = _BEFORE_ANSWER.match(text, closed.end())
        return Reasoning(start, closed.start(), message.end() if message else closed.end(), opened is not None)
    return Reasoning(start, len(text), len(text), True) if opened else None


class ThoughtFilter:
    """Takes the reasoning at the start out of a reply that is streamed, wherever the pieces are cut.

    Text behind it passes untouched, so that code may hold such signs.
    """

    def __init__(self, prompt: str = "", taken: list[str] | None = None) -> None:
        """`prompt` is what the model continues, where a chat template may have opened the reasoning at its end.

        What is taken out is put on `taken`.
        """
        self.taken = [] if taken is None else taken
        opened = prompt.rstrip().endswith(_OPENERS)
        self._place: Literal["start", "thought", "gap", "reply"] = "thought" if opened else "start"
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return the part that is reply."""
        if self._place == "start":
            piece = self._at_start(piece)
        if self._place == "thought":
            piece = self._in_thought(piece)
        if self._place == "gap":
            piece = self._in_gap(piece)
        return piece

    def finish(self) -> str:
        """Return what was held back at the end: nothing of an unfinished thought."""
        held, self._held = self._held, ""
        if self._place == "gap":
            return held.removeprefix(_MESSAGE).lstrip()
        return held if self._place == "start" else ""

    def _at_start(self, piece: str) -> str:
        text = self._held + piece
        if opened := _OPENED.match(text):
            self._place, self._held = "thought", ""
            return text[opened.end() :]
        begun = text.lstrip().lower()
        if any(opener.lower().startswith(begun) for opener in _OPENERS):
            self._held = text
            return ""
        self._place, self._held = "reply", ""
        return text

    def _in_thought(self, piece: str) -> str:
        text = self._held + piece
        closed = _CLOSED.search(text)
        # Only what may be the start of a closer has to be kept.
        end = closed.start() if closed else max(0, len(text) + 1 - _LONGEST_CLOSER)
        if end:
            self.taken.append(text[:end])
        if closed is None:
            self._held = text[end:]
            return ""
        self._place, self._held = "gap", ""
        return text[closed.end() :]

    def _in_gap(self, piece: str) -> str:
        text = (self._held + piece).lstrip()
        if _MESSAGE.startswith(text):
            self._held = text
            return ""
        reply = text.removeprefix(_MESSAGE).lstrip()
        self._held = "" if reply else text
        self._place = "reply" if reply else "gap"
        return reply
