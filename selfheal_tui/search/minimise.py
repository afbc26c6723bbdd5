"""The smallest part of a change that still passes: delta debugging over its changed lines.

The algorithm is ddmin (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 2002), here
with "passes every case" as the property to keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import pairwise

from selfheal_tui.line_blocks import blocks, split_lines
from selfheal_tui.sandbox.base import Sandbox, Suite

_MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file that other lines take the place of."""

    path: str
    start: int
    """0-based, in the old text."""
    end: int
    lines: tuple[str, ...]


async def minimise(sandbox: Sandbox, suite: Suite, changes: Mapping[str, str]) -> dict[str, str]:
    """Return the smallest part of `changes` (path -> new text) that passes every case, by ddmin.

    Each step is judged in processes of their own. The changes as they are come back when they do not pass
    themselves. Raises: SandboxError.
    """
    pieces = build_pieces(suite.files, changes)
    runs = 0

    async def first_passing(parts: Sequence[Sequence[Piece]]) -> int | None:
        nonlocal runs
        runs += len(parts)
        passing: list[int] = []
        variants = [apply_pieces(suite.files, part) for part in parts]
        async with aclosing(sandbox.judge(suite, variants)) as verdicts:
            async for verdict in verdicts:
                if verdict.all_passed:
                    passing.append(verdict.index)
        return min(passing, default=None)

    if await first_passing([pieces]) is None:
        return dict(changes)
    size = 2
    while len(pieces) > 1 and runs < _MOST_RUNS:
        parts = split(pieces, min(size, len(pieces)))
        rests = [[piece for piece in pieces if piece not in part] for part in parts]
        chosen = await first_passing([*parts, *rests])
        if chosen is None:
            if size >= len(pieces):
                break
            size *= 2
        else:
            pieces, size = (parts[chosen], 2) if chosen < len(parts) else (rests[chosen - len(parts)], max(size - 1, 2))
    return apply_pieces(suite.files, pieces)


def build_pieces(files: Mapping[str, str], changes: Mapping[str, str]) -> list[Piece]:
    """Cut a change into pieces: each replaced line is one, and each run of lines only added or only removed."""
    pieces = []
    for path, text in changes.items():
        new = split_lines(text)
        for block in blocks(split_lines(files.get(path, "")), new):
            if not block.hunk:
                continue
            start, removed, added = block.old_from, block.old_to - block.old_from, block.new_to - block.new_from
            both = min(removed, added)
            lines = new[block.new_from : block.new_to]
            pieces += [Piece(path, start + at, start + at + 1, (lines[at],)) for at in range(both)]
            if removed != added:
                pieces.append(Piece(path, start + both, block.old_to, tuple(lines[both:])))
    return pieces


def apply_pieces(files: Mapping[str, str], pieces: Sequence[Piece]) -> dict[str, str]:
    """Return path -> new text of the files that these pieces change."""
    changed = {}
    for path in dict.fromkeys(piece.path for piece in pieces):
        lines = split_lines(files.get(path, ""))
        for piece in sorted((p for p in pieces if p.path == path), key=lambda p: (p.start, p.end), reverse=True):
            lines[piece.start : piece.end] = piece.lines
        changed[path] = "".join(lines)
    return changed


def split(pieces: Sequence[Piece], number: int) -> list[list[Piece]]:
    """Split pieces into `number` parts of nearly equal length, in order."""
    cuts = [at * len(pieces) // number for at in range(number + 1)]
    return [list(pieces[a:b]) for a, b in pairwise(cuts) if a < b]
