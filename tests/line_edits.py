"""Edits of lines made from two versions of a program, as a model would write them."""

from __future__ import annotations

import difflib

Edit = tuple[str, str]
"""The lines to find, and the lines to put in their place."""


def edits_between(old: list[str], new: list[str]) -> list[Edit]:
    """Return one edit for each changed block, with as many lines around it as make all unique in the old program."""
    for around in range(len(old) + 1):
        # A matcher's opcodes are cut in place by the first grouping, so each needs a matcher of its own.
        groups = list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(around))
        spans = [(group[0][1], group[-1][2], group[0][3], group[-1][4]) for group in groups]
        if all(_is_unique(old, first, last) for first, last, _, _ in spans):
            return [(_block(old[a:b]), _block(new[c:d])) for a, b, c, d in spans]
    return [(_block(old), _block(new))]


def _is_unique(lines: list[str], first: int, last: int) -> bool:
    block = lines[first:last]
    if not any(line.strip() for line in block):
        return False
    return sum(lines[at : at + len(block)] == block for at in range(len(lines))) == 1


def _block(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
