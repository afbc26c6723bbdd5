"""How an edit at several lines is told: `` `0` becomes `1`, and so in line 12 (`depth` and `at_level`) ``. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from selfheal_tui.text import and_list

_WORDS = re.compile(
    r"(.+), (?:and so|likewise(?: `[^`]+`(?:(?:, | and )`[^`]+`)*)?) in lines? (\d[\d, and]*)(?: \((.+)\))?"
)
_MOST_TOLD = 3


class SeveralLines(NamedTuple):
    """What the words say."""

    edit: str
    """What is done at each."""
    others: tuple[str, ...]
    """Its other lines, 1-based."""
    holders: str
    """The functions or classes, where there are several: "`depth` and `at_level`"; else empty."""


def several_lines_words(others: Sequence[int], holders: Sequence[str], unlike: Sequence[str]) -> str:
    """Say at which other lines (1-based) an edit is made; `holders` are the functions or classes, where several.

    `unlike` is what stands there in quotes, where it is not the same text; of more than a few it is not told.
    """
    apart = f" ({and_list([f'`{name}`' for name in holders])})" if holders else ""
    what = f" {and_list(unlike)}" if len(unlike) <= _MOST_TOLD else ""
    how = f"likewise{what}" if unlike else "and so"
    return f"{how} in line{'s' * (len(others) > 1)} {and_list([*map(str, others)])}{apart}"


def same_line_words(places: int, unlike: Sequence[str]) -> str:
    """Say that an edit is made at so many places of one line: `twice`, ``likewise `size` `` where that stands there."""
    if unlike and len(unlike) <= _MOST_TOLD:
        return f"likewise {and_list(unlike)}"
    if unlike:
        return f"likewise at {places - 1} other places of the line"
    return "twice" if places == 2 else f"{places} times"


def read_several_lines(edit: str) -> SeveralLines | None:
    """Read the words of an edit that is made at several lines; None for those of any other."""
    match = _WORDS.fullmatch(edit)
    return SeveralLines(match[1], tuple(re.findall(r"\d+", match[2])), match[3] or "") if match else None
