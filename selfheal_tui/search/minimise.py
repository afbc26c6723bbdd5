"""The smallest part of a change that still passes: delta debugging over its hunks.

The algorithm is ddmin (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 2002), here
with "passes every case" as the property to keep.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import pairwise

from selfheal_tui.sandbox.base import Sandbox, Suite

_MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file that other lines take the place of."""

    path: str
    start: int
    """0-based, in the old text."""
    end: int
    lines: tuple[str, ...]


async def minimise(sandbox: Sandbox, suite: Suite, changes: Mapping[str, str]) -> dict[str, str]:
    """Return the part of `changes` (path -> new text) without which a case of the suite fails.

    Each step is judged in processes of their own. The changes as they are come back when they do not pass
    themselves. Raises: SandboxError.
    """
    hunks = build_hunks(suite.files, changes)
    runs = 0

    async def first_passing(parts: Sequence[Sequence[Hunk]]) -> int | None:
        nonlocal runs
        runs += len(parts)
        passing: list[int] = []
        variants = [apply_hunks(suite.files, part) for part in parts]
        async with aclosing(sandbox.judge(suite, variants)) as verdicts:
            async for verdict in verdicts:
                if verdict.all_passed:
                    passing.append(verdict.index)
        return min(passing, default=None)

    if await first_passing([hunks]) is None:
        return dict(changes)
    size = 2
    while len(hunks) > 1 and runs < _MOST_RUNS:
        parts = split(hunks, min(size, len(hunks)))
        rests = [[hunk for hunk in hunks if hunk not in part] for part in parts]
        chosen = await first_passing([*parts, *rests])
        if chosen is None:
            if size >= len(hunks):
                break
            size *= 2
        else:
            hunks, size = (parts[chosen], 2) if chosen < len(parts) else (rests[chosen - len(parts)], max(size - 1, 2))
    return apply_hunks(suite.files, hunks)


def build_hunks(files: Mapping[str, str], changes: Mapping[str, str]) -> list[Hunk]:
    """Return what changes, file by file, from the top; lines that others take the place of change one by one."""
    hunks = []
    for path, text in changes.items():
        old, new = files.get(path, "").splitlines(True), text.splitlines(True)
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            both = min(b - a, d - c)
            hunks += [Hunk(path, a + at, a + at + 1, (new[c + at],)) for at in range(both)]
            if b - a != d - c:
                hunks.append(Hunk(path, a + both, b, tuple(new[c + both : d])))
    return hunks


def apply_hunks(files: Mapping[str, str], hunks: Sequence[Hunk]) -> dict[str, str]:
    """Return path -> new text of the files that these hunks change."""
    changed = {}
    for path in dict.fromkeys(hunk.path for hunk in hunks):
        lines = files.get(path, "").splitlines(True)
        for hunk in sorted((h for h in hunks if h.path == path), key=lambda h: (h.start, h.end), reverse=True):
            lines[hunk.start : hunk.end] = hunk.lines
        changed[path] = "".join(lines)
    return changed


def split(hunks: Sequence[Hunk], number: int) -> list[list[Hunk]]:
    """Return so many parts of nearly equal length, in order."""
    cuts = [at * len(hunks) // number for at in range(number + 1)]
    return [list(hunks[a:b]) for a, b in pairwise(cuts) if a < b]
