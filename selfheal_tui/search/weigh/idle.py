"""Lines that a repair puts out of use: unchanged ones that the cases ran before and run no more.

A repair that passes because a loop is never entered any more is seldom the right one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from difflib import SequenceMatcher

from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, run_through
from selfheal_tui.side_by_side import side_by_side

from ..hunt.candidates import Candidate
from ..program.localise import repr_lines
from .guards import jumps_beside_additions, stepped_lines, ways_out

NOTHING: Coverage = {}


async def count_idle(
    sandbox: Sandbox,
    suite: Suite,
    coverage: Coverage,
    candidates: Sequence[Candidate],
    seconds: float,
    failing: Collection[str] = (),
    elsewhere: Coverage = NOTHING,
) -> list[int]:
    """Return for each candidate how many lines it puts out of use; 0 for those that are not reached in time.

    `coverage` is that of the suite before the change, the candidates pass every case; lines that other cases ran,
    `elsewhere`, do not count: these are not run again. Lines do not count that a
    condition guards which moves by one step: those below `if n < 1: return` when it becomes `n <= 1`. Where it changes
    in another way, or lines are only added, a way out that only `failing` cases (ids) took does not count; nor does a
    line of a `__repr__` that only they ran: pytest shows objects by it where a case fails.
    Raises: SandboxError.
    """
    sound = {case: files for case, files in coverage.items() if case not in failing}

    async def count(candidate: Candidate) -> int:
        changed = replace(suite, files={**suite.files, **candidate.changes}, coverage=True, explain=False)
        ran = (await run_through(sandbox, changed)).coverage
        lines = 0
        for path, text in candidate.changes.items():
            before = suite.files.get(path, "")
            left = ways_out(before, text) | jumps_beside_additions(before, text)
            meant = stepped_lines(before, text) | ((left | repr_lines(before)) - lines_run(sound, path))
            watched = lines_run(coverage, path) - meant - lines_run(elsewhere, path)
            lines += idle_lines(before, text, watched, lines_run(ran, path))
        return lines

    idle: list[int] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), aclosing(side_by_side(count, candidates)) as counts:
            async for lines in counts:
                idle.append(lines)
    return [*idle, *[0] * (len(candidates) - len(idle))]


def lines_run(coverage: Coverage, path: str) -> set[int]:
    """Return the lines of a file that any case ran, from 1."""
    return {line for files in coverage.values() for line in files.get(path, ())}


def idle_lines(before: str, after: str, ran_before: set[int], ran_after: set[int]) -> int:
    """Return how many lines that are in both texts ran before and do not now."""
    blocks = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_matching_blocks()
    unchanged = ((block.a + at + 1, block.b + at + 1) for block in blocks for at in range(block.size))
    return sum(old in ran_before and new not in ran_after for old, new in unchanged)
