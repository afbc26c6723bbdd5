"""What the text and the runs of a repair that passes say of it, beside how it behaves."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite

from ..hunt.candidates import Candidate
from ..program.git_had import with_git_had
from ..program.mark import Mark
from ..program.recent import At, RecentChange
from .bounds_said import bounds_bits
from .copied import copies_expected, expected_constants
from .fitted import fitted_marks
from .idle import count_idle
from .marks import find_marks
from .naturalness import library_model, surprise
from .pointless import idle_names, pointless_branches
from .relations.breaches import Breach
from .repeated import repeated_conditions
from .sums import sums_mark
from .turned import turned_marks

_IDLE_S = 4.0
"""For counting the lines that no case runs any more, likeliest candidates first."""


@dataclass(frozen=True, slots=True)
class Signs:
    """Of one candidate."""

    surprise: float = 0.0
    """Bits by which its lines surprise more than those they replace (`naturalness.surprise`)."""
    idle_lines: int = 0
    """Lines that no case runs any more."""
    copies_expected: bool = False
    """It writes a value that a test expects into the program."""
    twins: int = 0
    """Branches that do what another one of the same condition does, because of it."""
    idle_names: int = 0
    """Arguments and variables that nothing reads any more."""
    repeats: bool = False
    """One of its conditions says, but for names, what a condition of another function says."""
    marks: tuple[Mark, ...] = ()
    """What speaks for a coincidence."""
    bounds: float = 0.0
    """Bits by which the function's words speak against the comparisons that it draws; below 0 they speak for it."""
    breaches: tuple[Breach, ...] = ()
    """What held of the results before and does not with it."""
    tested: int = 0
    """Cases of the suite that run a line which it edits; 0 where nobody knows."""


async def find_signs(
    sandbox: Sandbox,
    suite: Suite,
    coverage: Coverage,
    tests: Mapping[str, str],
    candidates: Sequence[Candidate],
    failing: Collection[str] = (),
    other_tests: Collection[str] = (),
    recent: Mapping[At, RecentChange] | None = None,
    spec: str = "",
) -> list[Signs]:
    """Return the signs of each candidate.

    `tests` is path -> text, `coverage` that of the suite over the program as it was, `failing` are
    the cases (ids) that fail without a change, `other_tests` the test files that `coverage` has and `suite` has not,
    `spec` what the program should do.
    What a candidate brings back of `recent` changes says nothing against it by its text or by lines that run no more:
    so it was.
    Raises: SandboxError.
    """
    if not candidates:
        return []
    # What cases ran that are not run with the repairs would look as if it ran no more; most of it still does.
    ran = {case: lines for case, lines in coverage.items() if case.partition("::")[0] not in other_tests}
    elsewhere = {case: lines for case, lines in coverage.items() if case not in ran}
    program = {path: suite.files[path] for path in suite.program if path in suite.files}
    before = [with_git_had(program, one.changes, recent or {}) for one in candidates]
    texts = [(old.get(c.path, ""), c.changes[c.path]) for c, old in zip(candidates, before, strict=True)]
    idle, read, marks = await asyncio.gather(
        count_idle(sandbox, suite, ran, candidates, _IDLE_S, failing, elsewhere),
        asyncio.to_thread(_read, texts, tests, spec),
        asyncio.to_thread(
            lambda: [
                find_marks(old, one.changes, tests) + marks_of_search(program, one, coverage)
                for one, old in zip(candidates, before, strict=True)
            ]
        ),
    )
    return [
        replace(signs, idle_lines=0 if one.is_as_git_had else lines, marks=marked)
        for one, signs, lines, marked in zip(candidates, read, idle, marks, strict=True)
    ]


def marks_of_search(program: Mapping[str, str], candidate: Candidate, coverage: Coverage) -> tuple[Mark, ...]:
    """Return the marks that need more than the text of a change: how it was made, and which cases run what it changes.

    `program` is path -> text before, `coverage` that of the suite over it. What git had bears none.
    """
    if candidate.is_as_git_had:
        return ()
    turned = turned_marks(program, candidate.changes, coverage)
    loses = [Mark("loses", f"{candidate.loses[0]}.")] if candidate.loses else []
    return (*turned, *fitted_marks(candidate.operator), *sums_mark(program, candidate), *loses)


def _read(texts: Sequence[tuple[str, str]], tests: Mapping[str, str], spec: str) -> list[Signs]:
    model, expected = library_model(), expected_constants(tests)
    return [
        Signs(
            surprise(model, *pair),
            copies_expected=copies_expected(*pair, expected),
            twins=pointless_branches(*pair),
            idle_names=idle_names(*pair),
            repeats=repeated_conditions(*pair),
            bounds=bounds_bits(*pair, spec),
        )
        for pair in texts
    ]
