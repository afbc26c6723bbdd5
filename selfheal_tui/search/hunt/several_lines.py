"""How an edit at several lines is told: `` `0` becomes `1`, and so in line 12 (`depth` and `at_level`) ``. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WORDS = re.compile(r"(.+), (?:and so|likewise) in lines? (\d[\d, and]*)(?: \((.+)\))?")


class SeveralLines(NamedTuple):
    """What the words say."""

    edit: str
    """What is done at each."""
    others: tuple[str, ...]
    """Its other lines, 1-based."""
    holders: str
    """The functions or classes, where there are several: "`depth` and `at_level`"; else empty."""


def several_lines_words(others: Sequence[int], holders: Sequence[str], alike: bool) -> str:
    """Say at which other lines (1-based) an edit is made; `holders` are the functions or classes, where several.

    `alike`: the same text stands there.
    """
    apart = f" ({and_list([f'`{name}`' for name in holders])})" if holders else ""
    return (
        f"{'and so' if alike else 'likewise'} in line{'s' * (len(others) > 1)} {and_list([*map(str, others)])}{apart}"
    )


def read_several_lines(edit: str) -> SeveralLines | None:
    """Read the words of an edit that is made at several lines; None for those of any other."""
    match = _WORDS.fullmatch(edit)
    return SeveralLines(match[1], tuple(re.findall(r"\d+", match[2])), match[3] or "") if match else None


def and_list(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `4, 6 and 7`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
