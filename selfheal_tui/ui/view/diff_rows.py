"""Compare two texts into rows to draw: changed lines paired, changed words marked, unchanged runs folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from selfheal_tui.line_blocks import blocks, split_lines
from selfheal_tui.line_pairs import paired_lines
from selfheal_tui.text import plural

from .code_lines import code_lines

RowKind = Literal["same", "change", "fold", "note", "file", "hunk", "comment"]

CONTEXT = 3
"""Unchanged lines kept around a change."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST_WORDS = 5_000
"""Characters of two lines together; longer ones are not compared word by word, which takes the square of it:
all between their same beginning and end counts as changed."""


@dataclass(frozen=True, slots=True)
class Side:
    """A line of one of the two texts."""

    number: int
    """1-based."""
    text: str
    changed: tuple[tuple[int, int], ...] = ()
    """Character ranges that differ from the line it is paired with."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a side-by-side comparison; in a change, a missing side means only added or only removed."""

    kind: RowKind
    old: Side | None = None
    new: Side | None = None
    label: str = ""
    """Text of a fold or a note."""
    hunk: int = 0
    """Number of the hunk of this file that a change belongs to, from 1."""


def build_diff_rows(old: str, new: str, context: int = CONTEXT) -> list[DiffRow]:
    """Return the side-by-side rows; empty when the texts are equal."""
    if old == new:
        return []
    before, after = code_lines(old), code_lines(new)
    rows: list[DiffRow] = []
    changed_blocks = blocks(split_lines(old), split_lines(new))
    for at, block in enumerate(changed_blocks):
        gone, come = range(block.old_from, block.old_to), range(block.new_from, block.new_to)
        if not block.hunk:
            same = [
                DiffRow("same", Side(i + 1, before[i]), Side(j + 1, after[j])) for i, j in zip(gone, come, strict=True)
            ]
            rows += _fold(same, 0 if at == 0 else context, 0 if at == len(changed_blocks) - 1 else context)
        else:
            rows += [replace(row, hunk=block.hunk) for row in _paired(before, after, gone, come)]
    if before == after:
        rows.append(DiffRow("note", label="Only line ends or invisible characters differ."))
    elif (old == "" or old.endswith("\n")) and new != "" and not new.endswith("\n"):
        rows.append(DiffRow("note", label="No newline at the end of the new file."))
    return rows


def unify(rows: Iterable[DiffRow]) -> Iterator[DiffRow]:
    """Turn side-by-side rows into one column: of a run of changes, first what goes, then what comes."""
    added: list[DiffRow] = []
    for row in rows:
        if row.kind != "change":
            yield from added
            added = []
            yield row
            continue
        if row.old is not None:
            yield DiffRow("change", old=row.old, hunk=row.hunk)
        if row.new is not None:
            added.append(DiffRow("change", new=row.new, hunk=row.hunk))
    yield from added


def count_changes(rows: Iterable[DiffRow]) -> tuple[int, int]:
    """Return how many lines were added and removed."""
    changes = [row for row in rows if row.kind == "change"]
    return sum(row.new is not None for row in changes), sum(row.old is not None for row in changes)


def _fold(same: list[DiffRow], head: int, tail: int) -> list[DiffRow]:
    hidden = len(same) - head - tail
    if hidden < 2:
        return same
    label = f"⋯ {plural(hidden, 'unchanged line')}"
    return [*same[:head], DiffRow("fold", label=label), *same[len(same) - tail :]]


def _paired(before: Sequence[str], after: Sequence[str], gone: range, come: range) -> Iterator[DiffRow]:
    for i, j in paired_lines(before, after, gone, come):
        if i is None or j is None:
            yield DiffRow(
                "change",
                None if i is None else Side(i + 1, before[i]),
                None if j is None else Side(j + 1, after[j]),
            )
            continue
        old_words, new_words = _changed_words(before[i], after[j])
        yield DiffRow("change", Side(i + 1, before[i], old_words), Side(j + 1, after[j], new_words))


def _changed_words(left: str, right: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    if len(left) + len(right) > _LONGEST_WORDS:
        return _changed_middle(left, right)
    a, b = _WORDS.findall(left), _WORDS.findall(right)
    ends_a, ends_b = _offsets(a), _offsets(b)
    in_left: list[tuple[int, int]] = []
    in_right: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            if i1 != i2:
                in_left.append((ends_a[i1], ends_a[i2]))
            if j1 != j2:
                in_right.append((ends_b[j1], ends_b[j2]))
    return tuple(in_left), tuple(in_right)


def _changed_middle(left: str, right: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Return what lies between the same beginning and the same end of two very long lines, also where it is empty."""
    head = _same_beginning(left, right)
    tail = _same_beginning(left[head:][::-1], right[head:][::-1])
    return ((head, len(left) - tail),), ((head, len(right) - tail),)


def _same_beginning(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _offsets(words: Sequence[str]) -> list[int]:
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return ends
