"""Parentheses that an edit leaves around a single name or call: `(flour + 1) * salt` becomes `flour * salt`."""

from __future__ import annotations

import keyword
import re

_SINGLE = re.compile(r"[^\W\d][\w.]*(?:\([^()]*\))?")
_LAST_WORD = re.compile(r"\w+$")
_VALUES = ("None", "True", "False")
_BEFORE = frozenset("=<>+-*/%&|^~@,:([{")
"""What stands before parentheses that only group."""


def around_single(text: str, start: int, end: int, new: str) -> tuple[int, int]:
    """Return the span of `text` that `new` replaces: with the parentheses around it where it needs none."""
    if text[start - 1 : start] != "(" or text[end : end + 1] != ")" or not _SINGLE.fullmatch(new):
        return start, end
    if keyword.iskeyword(new) and new not in _VALUES:
        return start, end
    line = text[text.rfind("\n", 0, start) + 1 : start - 1]
    before, after = line.rstrip(), text[end + 1 : end + 2]
    word = _LAST_WORD.search(before)
    groups = before[-1:] in _BEFORE or (word and keyword.iskeyword(word[0]) and before != line)
    if not groups or after.isidentifier() or after.isdigit():
        return start, end
    return start - 1, end + 1
