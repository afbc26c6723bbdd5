"""What is known of a model before it is asked anything, and the room that its thinking needs."""

from __future__ import annotations

from dataclasses import dataclass

from selfheal_tui.setting_values import EFFORTS

from .base import Request


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """As its provider tells; None where it does not."""

    context_tokens: int | None = None
    """The longest prompt and reply together, or the longest prompt where those are counted apart."""
    output_tokens: int | None = None
    """The longest reply, thinking included."""
    thinks: bool | None = None
    efforts: tuple[str, ...] = ()
    """The levels of `EFFORTS` that it takes."""
    shows_thinking: bool = False
    """Whether it can be asked to show what it thinks."""
    ends: str = ""
    """The day on which it is no longer offered, in words; empty while none is planned."""
    has_ended: bool = False
    """It is listed, but no longer answers."""
    writes: bool = True
    """Whether it writes text; a model for embeddings does not."""


UNKNOWN = ModelFacts()

_THINKING_TOKENS = {"none": 0, "minimal": 4_096, "low": 8_192, "medium": 16_384, "high": 32_768}
_MOST_THINKING_TOKENS = 65_536


def output_room(request: Request, facts: ModelFacts) -> int:
    """Return the tokens that a reply may take: the answer, and thinking where the model may think.

    A limit that is too small is paid for in full and gives nothing, one that is too large costs nothing.
    """
    thinking = 0 if facts.thinks is False else _THINKING_TOKENS.get(request.effort or "medium", _MOST_THINKING_TOKENS)
    room = (request.max_tokens + thinking) * (2 if request.wider else 1)
    return min(room, facts.output_tokens or room, request.room_tokens or room)


def nearest_effort(wanted: str, known: tuple[str, ...]) -> str:
    """Return the level that a model takes and that is nearest to the wanted one, the lower of two; empty for none."""
    if not wanted or not known:
        return ""
    at = EFFORTS.index(wanted)
    return min((level for level in EFFORTS if level in known), key=lambda level: abs(EFFORTS.index(level) - at))
