"""Cases that flip: they pass and they fail over the same files, now and then, whatever a repair does."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from .base import Outcome, Sandbox, Suite, run_through

_RUNS = 5
"""A case that fails every other time is found so in 31 of 32 tries, one that fails each fifth time in two of three."""
_LONGEST_S = 10.0
"""So long may the runs for one question take; what is not known then counts as steady."""


@dataclass(slots=True)
class Flips:
    """Asks each case once, and remembers the answer."""

    found: set[str] = field(default_factory=set)
    _asked: set[str] = field(default_factory=set)

    async def among(self, cases: Iterable[str], sandbox: Sandbox, suite: Suite) -> list[str]:
        """Return those of these cases (node ids) that both pass and fail when they alone run over the suite's files.

        Raises: SandboxError.
        """
        asked = [case for case in cases if "::" in case]
        if new := [case for case in asked if case not in self._asked]:
            self.found |= await _both_ways(new, sandbox, suite)
            self._asked.update(new)
        return [case for case in asked if case in self.found]


async def _both_ways(cases: Collection[str], sandbox: Sandbox, suite: Suite) -> set[str]:
    began_s, seen = time.monotonic(), dict[str, set[Outcome]]()
    for _ in range(_RUNS):
        steady = tuple(case for case in cases if len(seen.get(case, ())) < 2)
        if not steady or time.monotonic() - began_s > _LONGEST_S:
            break
        for case in (await run_through(sandbox, replace(suite, tests=steady, coverage=False, verify=False))).report[
            "cases"
        ]:
            outcome = case["outcome"]
            # A case that takes too long while the machine is busy is no flaky one.
            if outcome in ("passed", "failed", "error"):
                seen.setdefault(case["id"], set()).add("passed" if outcome == "passed" else "failed")
    return {case for case in cases if len(seen.get(case, ())) == 2}
