"""How much a search tried, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

CutShort = Literal["", "time", "number", "stopped", "held"]
_CUT_SHORT: Mapping[str, str] = {
    "time": "its time was used up",
    "number": "it may try no more",
    "stopped": "it was stopped",
    "held": "the tests hold parts of the program, so each of the others takes a whole run",
}


def tried_words(judged: int, singles: int) -> str:
    """Say what was tried: `3,200 edits and 5,317 combinations of edits`; `singles` of those judged are single edits."""
    combined = judged - singles if singles else 0
    edits = _count(judged - combined, "edit", "edits")
    return f"{edits} and {_count(combined, 'combination', 'combinations')} of edits" if combined else edits


def whole_words(judged: int, singles: int, tried_all: bool, cut_short: str) -> str:
    """Say it with how much that is: `3,200 edits, all single ones it knows, and 5,317 combinations of edits`."""
    combined = judged - singles if singles else 0
    among = "" if singles or not judged else " among them"
    whole = f"all single ones it knows{among}" if tried_all else "not all it knows"
    words = f"{_count(judged - combined, 'edit', 'edits')}, {whole}"
    words += f", and {_count(combined, 'combination', 'combinations')} of edits" if combined else ""
    return f"{words}; {_CUT_SHORT[cut_short]}" if cut_short in _CUT_SHORT else words


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
