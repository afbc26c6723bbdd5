"""A proposed change in pieces: its hunks, the files with only some of them, and the others as a diff. Pure.

All hunks taken give the proposal, none give the files as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from selfheal_tui.errors import InputError
from selfheal_tui.line_blocks import Block, blocks, split_lines
from selfheal_tui.text import one_line, plural

from .workspace import unified_diff


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


def left_out_words(line: str) -> str:
    """Say of an edit that the human left it out before; `line` as `left_before` tells it."""
    return f"You left this out of an earlier repair: {line}."


def left_before(declined: Iterable[str], now: Mapping[str, str], changes: Mapping[str, str]) -> str:
    """Return the first line of a change that the human left out of an earlier one, `line 6 of shop.py`; empty for none.

    `declined` are unified diffs of what was left out, `now` and `changes` path -> text. A piece is known again by its
    lines, without the blanks around them: what stands before it may have moved.
    """
    before = [piece for diff in declined for piece in _pieces_of(diff)]
    for path, text in changes.items() if before else ():
        old, new = split_lines(now.get(path, "")), split_lines(text)
        for block in _blocks(now.get(path, ""), text):
            removed, added = old[block.old_from : block.old_to], new[block.new_from : block.new_to]
            beside = old[max(0, block.old_from - 1) : block.old_from], old[block.old_to : block.old_to + 1]
            piece = _Piece(path, _bare(removed), _bare(added), *map(_bare, beside))
            if block.hunk and any(map(piece.is_same, before)):
                return f"line {block.old_from + 1} of {one_line(path, 80)}"
    return ""


class _Piece(NamedTuple):
    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    above: tuple[str, ...]
    below: tuple[str, ...]

    def is_same(self, other: _Piece) -> bool:
        """Tell whether it is the other one, maybe elsewhere by now; what only comes in is known by a line beside it."""
        near = bool(self.removed) or self.above == other.above or self.below == other.below
        return self[:3] == other[:3] and near


def _pieces_of(diff: str) -> Iterator[_Piece]:
    """Yield each piece of a unified diff as `unified_diff` writes it."""
    path, removed, added, above = "", list[str](), list[str](), tuple[str, ...]()
    for line in [*diff.splitlines(), ""]:
        if line.startswith(("--- ", "+++ ")):
            path = line[4:].removeprefix("b/") if line.startswith("+++ ") else path
        elif line[:1] == "-":
            removed.append(line[1:])
        elif line[:1] == "+":
            added.append(line[1:])
        else:
            beside = _bare([line[1:]]) if line[:1] == " " else ()
            if removed or added:
                yield _Piece(path, _bare(removed), _bare(added), above, beside)
                removed, added = [], []
            above = beside


def _bare(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines)


def _blocks(old: str, new: str) -> list[Block]:
    return blocks(split_lines(old), split_lines(new))
