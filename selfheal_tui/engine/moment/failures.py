"""Why a strategy of a round gave no repair. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

_FINAL = "Nothing is left to try. "
"""How earlier sessions mark a failure as final, in front of its reason; also how people are told."""


class Failure(TypedDict):
    """What a strategy says that gave no repair."""

    why: str
    """One sentence."""
    final: bool
    """Asking again cannot help."""
    unchanged: NotRequired[bool]
    """What came is the program as it is; a repetition."""
    unreadable: NotRequired[bool]
    """The model was asked twice and could not be read; to ask the same again would be a repetition."""
    search_s: NotRequired[float]
    """Seconds that a search had, all of them used up."""


def read_failures(saved: Mapping[str, Failure | str] | None) -> dict[str, Failure]:
    """Return strategy -> Failure of a saved state; in sessions from before `Failure` it is one text."""
    return {strategy: _from_text(one) if isinstance(one, str) else one for strategy, one in (saved or {}).items()}


def failure_text(failure: Failure) -> str:
    """Return a failure as people read it."""
    return (_FINAL if failure["final"] else "") + failure["why"]


def _from_text(text: str) -> Failure:
    return {"why": text.removeprefix(_FINAL), "final": text.startswith(_FINAL)}
