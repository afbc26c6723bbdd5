"""Lines that a repair puts out of use: unchanged ones that the cases ran before and run no more.

A repair that passes because a loop is never entered any more is seldom the right one.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from difflib import SequenceMatcher

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, run_through
from selfheal_tui.side_by_side import side_by_side

from ..hunt.candidates import Candidate

_LEAVES = (ast.Raise, ast.Return, ast.Break, ast.Continue)


async def count_idle(
    sandbox: Sandbox,
    suite: Suite,
    coverage: Coverage,
    candidates: Sequence[Candidate],
    seconds: float,
    failing: Collection[str] = (),
) -> list[int]:
    """Return for each candidate how many lines it puts out of use; 0 for those that are not reached in time.

    `coverage` is that of the suite before the change. A way out that only `failing` cases (ids) took does not count
    where its own condition changes: the raise of `if n <= 1: raise ValueError` when it becomes `n < 1`.
    Raises: SandboxError.
    """
    sound = {case: files for case, files in coverage.items() if case not in failing}

    async def count(candidate: Candidate) -> int:
        changed = replace(suite, files={**suite.files, **candidate.changes}, coverage=True)
        ran = (await run_through(sandbox, changed)).coverage
        return sum(
            idle_lines(
                suite.files.get(path, ""),
                text,
                lines_run(coverage, path) - (ways_out(suite.files.get(path, ""), text) - lines_run(sound, path)),
                lines_run(ran, path),
            )
            for path, text in candidate.changes.items()
        )

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


def ways_out(before: str, after: str) -> set[int]:
    """Return the lines before the change of the blocks that only leave, and whose own condition changes.

    Such a block ends with a raise, return, break or continue; a condition that reads no name any more does not count.
    """
    old, new = parse_or_none(before), parse_or_none(after)
    if old is None or new is None:
        return set()
    return {
        line
        for one, other in _conditions(old, new)
        if isinstance(one.body[-1], _LEAVES) and ast.dump(one.test) != ast.dump(other.test)
        if any(isinstance(node, ast.Name) for node in ast.walk(other.test))
        for statement in one.body
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    }


def _conditions(old: ast.AST, new: ast.AST) -> Iterator[tuple[ast.If, ast.If]]:
    """Yield each `if` before and after the change, in order; none where one comes, goes or gets another block."""
    pairs = [[node for node in ast.walk(tree) if isinstance(node, ast.If)] for tree in (old, new)]
    if len(pairs[0]) == len(pairs[1]):
        for one, other in zip(*pairs, strict=True):
            if [*map(ast.dump, one.body)] == [*map(ast.dump, other.body)]:
                yield one, other
