"""Two texts compared line by line: blocks of lines that are the same, and blocks that differ. Pure.

Lines end at newlines only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_EXACT_LIMIT = 4_000_000
"""Largest comparison (old x new lines) done without difflib's shortcut for frequent lines."""


class Block(NamedTuple):
    """Lines `old_from:old_to` of the one text that stand for `new_from:new_to` of the other, from 0."""

    old_from: int
    old_to: int
    new_from: int
    new_to: int
    hunk: int
    """Number of its hunk in this file, from 1; 0 when the lines are the same."""


def split_lines(text: str) -> list[str]:
    """Split at newlines, each line with its own: `splitlines` would split at form feeds too."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def blocks(before: Sequence[str], after: Sequence[str]) -> list[Block]:
    """Return what differs and what does not, in order; changes with only blank lines between them are one hunk."""
    compared: list[Block] = []
    number = 0
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        if tag != "equal":
            joins = len(compared) > 1 and not "".join(before[compared[-1].old_from : compared[-1].old_to]).strip()
            if not (joins and compared[-2].hunk):
                number += 1
        compared.append(Block(i1, i2, j1, j2, number if tag != "equal" else 0))
    return compared


def opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield difflib's opcodes; common ends are cut off first, which keeps large files quick."""
    head, tail = same_ends(before, after)
    middle_old, middle_new = before[head : len(before) - tail], after[head : len(after) - tail]
    exact = len(middle_old) * len(middle_new) <= _EXACT_LIMIT
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=not exact)
    inner = [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in matcher.get_opcodes()]
    edges = len(before) - tail, len(before), len(after) - tail, len(after)
    for block in [("equal", 0, head, 0, head), *inner, ("equal", *edges)]:
        if block[1] != block[2] or block[3] != block[4]:
            yield block


def same_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many lines, tokens or characters are the same at the start and, of the rest, at the end."""
    shortest = min(len(before), len(after))
    head = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    tail = next((n for n in range(shortest - head) if before[-1 - n] != after[-1 - n]), shortest - head)
    return head, tail


def is_quick(old: str, new: str) -> bool:
    """Tell whether the texts are compared exactly and soon."""
    before, after = split_lines(old), split_lines(new)
    ends = sum(same_ends(before, after))
    return (len(before) - ends) * (len(after) - ends) <= _EXACT_LIMIT


def carried_lines(old: str, new: str) -> dict[int, int]:
    """Return line of the old text -> line of the new one, from 1, for those that did not change."""
    return {
        block.old_from + n + 1: block.new_from + n + 1
        for block in blocks(split_lines(old), split_lines(new))
        if not block.hunk
        for n in range(block.old_to - block.old_from)
    }


def lines_before(old: str, new: str) -> dict[int, int]:
    """Return line of the new text -> line of the old one, from 1; what is new stands for the line that it follows."""
    before: dict[int, int] = {}
    for block in blocks(split_lines(old), split_lines(new)):
        last = max(block.old_to, 1)
        for n in range(block.new_to - block.new_from):
            before[block.new_from + n + 1] = min(block.old_from + n + 1, last)
    return before


class Replaced(NamedTuple):
    """Lines of a text that stand in the place of others."""

    rows: range
    """Lines of the new text, from 1."""
    old: str
    """What stood there in the old one."""


def replaced_lines(old: str, new: str) -> list[Replaced]:
    """Return each change as lines of the new text; where lines went, those around the gap, with what was between."""
    before, after = split_lines(old), split_lines(new)
    changes: list[Replaced] = []
    for block in blocks(before, after):
        if block.hunk and block.new_from < block.new_to:
            changes.append(Replaced(range(block.new_from + 1, block.new_to + 1), _text(before, block)))
        elif block.hunk:
            rows = range(max(block.new_from, 1), min(block.new_from + 1, len(after)) + 1)
            above = "".join(after[rows.start - 1 : block.new_from])
            changes.append(
                Replaced(rows, above + _text(before, block) + "".join(after[block.new_from : rows.stop - 1]))
            )
    return changes


def _text(lines: Sequence[str], block: Block) -> str:
    return "".join(lines[block.old_from : block.old_to])


def changed_places(old: str, new: str) -> set[int]:
    """Return the lines of the new text, from 1, that differ; where lines went, those around the gap."""
    return {line for change in replaced_lines(old, new) for line in change.rows}


def merged(base: str, versions: Sequence[str]) -> str | None:
    """Return the text with the changes of all versions of it; None where two change the same lines differently."""
    before = split_lines(base)
    changes: dict[tuple[int, int], list[str]] = {}
    for version in versions:
        after = split_lines(version)
        for block in blocks(before, after):
            if block.hunk:
                place, lines = (block.old_from, block.old_to), after[block.new_from : block.new_to]
                if changes.setdefault(place, lines) != lines:
                    return None
    merged_lines: list[str] = []
    done = 0
    for (start, end), lines in sorted(changes.items()):
        if start < done:
            return None
        merged_lines += [*before[done:start], *lines]
        done = end
    return "".join([*merged_lines, *before[done:]])


def merged_files(base: Mapping[str, str], versions: Sequence[Mapping[str, str]]) -> dict[str, str] | str:
    """Join several changes (path -> whole new text) of the files `base`; the path of a file that they change
    differently at the same lines where they do not fit together."""
    joined: dict[str, str] = {}
    for path in dict.fromkeys(path for version in versions for path in version):
        text = merged(base.get(path, ""), [version[path] for version in versions if path in version])
        if text is None:
            return path
        joined[path] = text
    return joined
