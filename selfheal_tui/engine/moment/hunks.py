"""A proposed change in pieces: its hunks, the files with only some of them, and the others as a diff. Pure.

All hunks taken give the proposal, none give the files as they are. Lines end at newlines only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from selfheal_tui.errors import InputError
from selfheal_tui.text import plural

from .workspace import unified_diff

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


@dataclass(frozen=True, slots=True)
class Hunk:
    """One piece of a change that can be taken or left."""

    number: int
    """1-based, over all files of the change."""
    path: str
    line: int
    """The first line that it replaces, or before which it inserts; 1-based, in the file as it is."""
    removed: int
    """Lines that go."""
    added: int
    """Lines that come."""


def split_lines(text: str) -> list[str]:
    """Split at newlines, each line with its own: `splitlines` would split at form feeds too."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def blocks(before: Sequence[str], after: Sequence[str]) -> list[Block]:
    """Return what differs and what does not, in order; changes with only blank lines between them are one hunk."""
    found: list[Block] = []
    number = 0
    for tag, i1, i2, j1, j2 in _opcodes(before, after):
        if tag != "equal":
            joins = len(found) > 1 and not "".join(before[found[-1].old_from : found[-1].old_to]).strip()
            if not (joins and found[-2].hunk):
                number += 1
        found.append(Block(i1, i2, j1, j2, number if tag != "equal" else 0))
    return found


def split_hunks(now: Mapping[str, str], changes: Mapping[str, str]) -> tuple[Hunk, ...]:
    """Return the hunks of `changes` (path -> new text) against the files `now`, file by file."""
    hunks: list[Hunk] = []
    for path, text in changes.items():
        of_file: dict[int, list[Block]] = {}
        for block in _blocks(now.get(path, ""), text):
            if block.hunk:
                of_file.setdefault(block.hunk, []).append(block)
        for pieces in of_file.values():
            removed = sum(block.old_to - block.old_from for block in pieces)
            added = sum(block.new_to - block.new_from for block in pieces)
            hunks.append(Hunk(len(hunks) + 1, path, pieces[0].old_from + 1, removed, added))
    return tuple(hunks)


def with_hunks(now: Mapping[str, str], changes: Mapping[str, str], taken: Collection[int]) -> dict[str, str]:
    """Return path -> text with only the hunks `taken` of `changes`; files that stay as they are are left out."""
    done = 0
    result: dict[str, str] = {}
    for path, text in changes.items():
        old = now.get(path, "")
        before, after = split_lines(old), split_lines(text)
        lines: list[str] = []
        count = 0
        for block in blocks(before, after):
            count = max(count, block.hunk)
            left = block.hunk and done + block.hunk not in taken
            lines += before[block.old_from : block.old_to] if left else after[block.new_from : block.new_to]
        done += count
        if (mixed := "".join(lines)) != old:
            result[path] = mixed
    return result


def chosen_hunks(
    now: Mapping[str, str], changes: Mapping[str, str], taken: Collection[int]
) -> tuple[dict[str, str], str]:
    """Return the changes with only the hunks `taken`, and the declined ones as a unified diff.

    Raises: InputError for a number that is no hunk, and for all or none of them: that is an approval or a rejection.
    """
    numbers = {hunk.number for hunk in split_hunks(now, changes)}
    if unknown := sorted(set(taken) - numbers):
        raise InputError(f"There is no hunk {unknown[0]}.", f"The repair has {plural(len(numbers), 'hunk')}.")
    if set(taken) == numbers:
        raise InputError("These are all the hunks of the repair.", "Approve it.")
    if not taken:
        raise InputError("No hunk is taken.", "Reject the repair, with a reason.")
    result = with_hunks(now, changes, taken)
    mixed = {path: result.get(path, now.get(path, "")) for path in changes}
    return result, unified_diff(mixed, changes)


def _blocks(old: str, new: str) -> list[Block]:
    return blocks(split_lines(old), split_lines(new))


def _opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield difflib's opcodes; common ends are cut off first, which keeps large files quick."""
    shortest = min(len(before), len(after))
    head = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    tail = next((n for n in range(shortest - head) if before[-1 - n] != after[-1 - n]), shortest - head)
    middle_old, middle_new = before[head : len(before) - tail], after[head : len(after) - tail]
    exact = len(middle_old) * len(middle_new) <= _EXACT_LIMIT
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=not exact)
    found = [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in matcher.get_opcodes()]
    edges = len(before) - tail, len(before), len(after) - tail, len(after)
    for block in [("equal", 0, head, 0, head), *found, ("equal", *edges)]:
        if block[1] != block[2] or block[3] != block[4]:
            yield block
