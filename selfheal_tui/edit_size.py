"""How much of some texts a change touches, in lines and in tokens, and how much of that another change touches too.

Where it changes counts, not what it writes there: two right repairs may say the same in other words. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict

from .line_blocks import opcodes, split_lines

Place = tuple[str, int, Literal["removed", "added"]]
"""Path, index in the old text, what happened there."""
Units = Callable[[str], Sequence[str]]

_TOKEN = re.compile(r"\w+|[^\w\s]")


class EditSize(TypedDict):
    """Lines and tokens that a change removes or adds; one that takes the place of another counts once."""

    lines: int
    tokens: int


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text: what formatting does not change."""
    return _TOKEN.findall(text)


def edit_size(old: Mapping[str, str], new: Mapping[str, str]) -> EditSize:
    """Return the size of a change of `old` (path -> text); `new` holds the files that changed."""
    return {"lines": _size(_places(old, new, split_lines)), "tokens": _size(_places(old, new, tokens_of))}


def shared_size(old: Mapping[str, str], one: Mapping[str, str], other: Mapping[str, str]) -> EditSize:
    """Return how much of the change `one` of `old` lies where the change `other` of it changes something too."""

    def shared(units: Units) -> int:
        return _size(_places(old, one, units) & _places(old, other, units))

    return {"lines": shared(split_lines), "tokens": shared(tokens_of)}


def _size(places: Counter[Place]) -> int:
    """Count places; what stands there instead of the old is no second one."""
    most: Counter[tuple[str, int]] = Counter()
    for (path, index, _), count in places.items():
        most[path, index] = max(most[path, index], count)
    return most.total()


def _places(old: Mapping[str, str], new: Mapping[str, str], units: Units) -> Counter[Place]:
    places: Counter[Place] = Counter()
    for path, text in new.items():
        for tag, i1, i2, j1, j2 in opcodes(units(old.get(path, "")), units(text)):
            if tag == "equal":
                continue
            for index in range(i1, i2):
                places[path, index, "removed"] += 1
            for at in range(j2 - j1):
                # What is longer than the old is added behind it.
                places[path, min(i1 + at, i2), "added"] += 1
    return places
