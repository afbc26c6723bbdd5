"""The smallest part of a change that still passes and is sound: delta debugging over the lines that cases ran.

What no case ran, no case judges: it stays. The algorithm is ddmin (Zeller, Hildebrandt: "Simplifying and Isolating
Failure-Inducing Input", IEEE TSE 2002), here with "passes every case" as the property to keep.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import pairwise

from selfheal_tui.line_blocks import Block, blocks, split_lines
from selfheal_tui.line_pairs import paired_lines
from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, run_through

from .program.ran_lines import Statement, all_ran, statements
from .weigh.idle import lines_run
from .weigh.remains import NOTHING_NAMED, Named, flaw

_MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file that other lines take the place of."""

    path: str
    start: int
    """0-based, in the old text."""
    end: int
    lines: tuple[str, ...]
    new_start: int = 0
    """0-based, in the new text."""
    hunk: int = 0
    """Number of its hunk in the file, from 1."""


async def minimise(
    sandbox: Sandbox, suite: Suite, changes: Mapping[str, str], named: Named = NOTHING_NAMED
) -> dict[str, str]:
    """Return the smallest sound part of `changes` (path -> new text) that passes every case, by ddmin.

    A piece goes only when cases ran its lines, and no line of `named`; `flaw` says which parts are not sound. Each step
    is judged in processes of their own. The changes as they are come back when they do not pass themselves.
    Raises: SandboxError.
    """
    covered = replace(suite, coverage=True, explain=False)
    after = await run_through(sandbox, replace(covered, files={**suite.files, **changes}))
    if after.report["verdict"] != "passed":
        return dict(changes)
    pieces = build_pieces(suite.files, changes)
    removes = any(not "".join(piece.lines).strip() for piece in pieces)
    before = await run_through(sandbox, covered) if removes else None
    judged = judged_pieces(pieces, suite.files, changes, before.coverage if before else {}, after.coverage)
    free = [piece for piece in judged if not _is_named(piece, named)]
    kept = [piece for piece in pieces if piece not in free]
    runs = 0

    async def first_passing(parts: Sequence[Sequence[Piece]]) -> int | None:
        nonlocal runs
        variants = [apply_pieces(suite.files, [*kept, *part]) for part in parts]
        flaws = await asyncio.to_thread(lambda: [flaw(suite.files, changes, variant, named) for variant in variants])
        sound = [at for at, why in enumerate(flaws) if not why]
        if not sound:
            return None
        runs += len(sound)
        passing: list[int] = []
        async with aclosing(sandbox.judge(suite, [variants[at] for at in sound])) as verdicts:
            async for verdict in verdicts:
                if verdict.all_passed:
                    passing.append(sound[verdict.index])
        return min(passing, default=None)

    return apply_pieces(suite.files, [*kept, *await _ddmin(free, first_passing, lambda: runs < _MOST_RUNS)])


async def _ddmin(
    pieces: list[Piece],
    first_passing: Callable[[Sequence[Sequence[Piece]]], Awaitable[int | None]],
    may_go_on: Callable[[], bool],
) -> list[Piece]:
    if not pieces or await first_passing([[]]) is not None:
        return []
    size = 2
    while len(pieces) > 1 and may_go_on():
        parts = split(pieces, min(size, len(pieces)))
        rests = [[piece for piece in pieces if piece not in part] for part in parts]
        chosen = await first_passing([*parts, *rests])
        if chosen is None:
            if size >= len(pieces):
                break
            size *= 2
        else:
            pieces, size = (parts[chosen], 2) if chosen < len(parts) else (rests[chosen - len(parts)], max(size - 1, 2))
    return pieces


def judged_pieces(
    pieces: Sequence[Piece], old: Mapping[str, str], new: Mapping[str, str], before: Coverage, after: Coverage
) -> list[Piece]:
    """Return the pieces that cases can say something about: they ran its lines; before the change, where it removes.

    A hunk with a statement that no case ran stays whole: its lines belong together.
    """
    was = {path: statements(old.get(path, ""), lines_run(before, path)) for path in new}
    now = {path: statements(text, lines_run(after, path)) for path, text in new.items()}
    ran = {piece: _ran(piece, was[piece.path], now[piece.path]) for piece in pieces}
    idle = {(piece.path, piece.hunk) for piece in pieces if ran[piece] is False}
    return [piece for piece in pieces if ran[piece] and (piece.path, piece.hunk) not in idle]


def _ran(piece: Piece, was: list[Statement] | None, now: list[Statement] | None) -> bool | None:
    """Tell whether cases ran a piece; None for one of comments, docstrings and blank lines."""
    if "".join(piece.lines).strip():
        return all_ran(now, range(piece.new_start + 1, piece.new_start + len(piece.lines) + 1))
    return all_ran(was, range(piece.start + 1, piece.end + 1))


def _is_named(piece: Piece, named: Named) -> bool:
    return any((piece.path, line) in named.lines for line in range(piece.start + 1, piece.end + 1))


def build_pieces(files: Mapping[str, str], changes: Mapping[str, str]) -> list[Piece]:
    """Cut a change into pieces: each replaced line is one, and each run of lines only added or only removed."""
    pieces = []
    for path, text in changes.items():
        old, new = split_lines(files.get(path, "")), split_lines(text)
        for block in blocks(old, new):
            if block.hunk:
                gone, come = range(block.old_from, block.old_to), range(block.new_from, block.new_to)
                for start, end, at, stop in _cut(paired_lines(old, new, gone, come), block):
                    pieces.append(Piece(path, start, end, tuple(new[at:stop]), at, block.hunk))
    return pieces


def _cut(pairs: Sequence[tuple[int | None, int | None]], block: Block) -> Iterator[tuple[int, int, int, int]]:
    """Yield the pieces of a block: lines of the old text, lines of the new one. Lines without a partner between two
    pairs stand for each other, one by one."""
    start, at = block.old_from, block.new_from
    anchors = [(i, j) for i, j in pairs if i is not None and j is not None]
    for i, j in [*anchors, (block.old_to, block.new_to)]:
        both = min(i - start, j - at)
        yield from ((start + n, start + n + 1, at + n, at + n + 1) for n in range(both))
        if i - start != j - at:
            yield start + both, i, at + both, j
        if (i, j) in anchors:
            yield i, i + 1, j, j + 1
        start, at = i + 1, j + 1


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
