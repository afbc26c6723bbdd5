"""Which of several like pieces of a line an edit means: the second `4` of `(4, 4)`. Pure."""

from __future__ import annotations

import re

_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_SIGNS = r"<>=!+\-*/%&|^~"


def which_of(text: str, start: int, end: int) -> str:
    """Return `the second ` where `text[start:end]` stands more than once in its line; empty where it does not.

    Part of a longer name, number or operator is none. Beyond the fifth it is not counted.
    """
    old = text[start:end]
    if not old.strip() or "\n" in old:
        return ""
    begin = text.rfind("\n", 0, start) + 1
    close = text.find("\n", end)
    line = text[begin : close if close >= 0 else len(text)]
    before, after = _around(old[0]), _around(old[-1])
    alone = f"{before and f'(?<![{before}])'}{re.escape(old)}{after and f'(?![{after}])'}"
    places = [found.start() for found in re.finditer(alone, line)]
    if len(places) < 2 or start - begin not in places:
        return ""
    at = places.index(start - begin)
    return f"the {_ORDINALS[at]} " if at < len(_ORDINALS) else ""


def _around(sign: str) -> str:
    """Return the characters that would make it a part of something longer, as those of a set; empty for none."""
    if sign.isdecimal():
        return r"\w."
    if re.match(r"\w", sign):
        return r"\w"
    return _SIGNS if re.match(f"[{_SIGNS}]", sign) else ""
