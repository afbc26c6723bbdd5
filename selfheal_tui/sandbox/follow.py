"""One attempt of a run from order to end: what the child is told, and how its frames and its end are entered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import PurePosixPath
from typing import Any

from selfheal_tui.errors import SandboxError

from .account import HELD_TOO_MUCH, PRINTED_TOO_MUCH, Account
from .base import CaseResult, Outcome, Suite
from .host import Attempt
from .inside.roots import import_roots
from .protocol import ProtocolFault
from .workers import without_workers

_GRACE_S = 1.0
"""What a case may take beyond its time before the process is killed: it could not be interrupted."""


def order_of(suite: Suite, **more: Any) -> dict[str, Any]:
    """Return the child's order. Raises: SandboxError for a file that would lie outside the work folder."""
    for name in suite.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise SandboxError(f"The file {name!r} lies outside the work folder.", "Use relative paths without `..`.")
    return {
        "files": dict(suite.files),
        "tests": list(suite.tests),
        "program": list(suite.program),
        "pytest_args": without_workers(suite.pytest_args),
        "roots": import_roots(suite.files, suite.tests, suite.program, suite.pytest_args),
        "time_s": suite.limits.time_s,
        "case_time_s": suite.limits.case_time_s,
        "memory_bytes": suite.limits.memory_bytes,
        "coverage": suite.coverage,
        "watch": {path: list(lines) for path, lines in suite.watch.items()},
        "stop_on_failure": suite.stop_on_failure,
        "rewrite": True,
        **more,
    }


async def follow(
    suite: Suite, account: Account, attempt: Attempt, quiet: bool = False, take_its_word: bool = False
) -> AsyncGenerator[CaseResult, None]:
    """Yield cases as they end; last the one during which the process died.

    A quiet run may hold frames back. A process that never loads the program is over when it says so
    (`take_its_word`); any other must also be seen to end well, and to say nothing more.
    """
    loop = asyncio.get_running_loop()
    limits = suite.limits
    began = loop.time()
    overdue = False

    def kill_at() -> float:
        nonlocal overdue
        if account.current is None and not quiet:
            return float("inf")
        at = began + limits.case_time_s + _GRACE_S
        overdue = loop.time() >= at
        return at

    async for frame in attempt.frames(kill_at):
        try:
            case = account.take(frame, attempt.output.part(account.started - 1))
        except ProtocolFault as fault:
            account.refuse(fault)
            attempt.kill()
            continue
        began = loop.time()
        if case is not None:
            yield case
        if take_its_word and account.told_its_end:
            account.hear(attempt.output)
            return
    account.hear(attempt.output)
    cause, why = _our_kill(suite, attempt, overdue)
    assert attempt.end is not None
    output = attempt.output.part(account.started - 1)
    if (lost := account.close_attempt(attempt.end, cause, why, output)) is not None:
        yield lost


def _our_kill(suite: Suite, attempt: Attempt, overdue: bool) -> tuple[Outcome | None, str]:
    """Return what we killed the process for, as outcome and words."""
    limits = suite.limits
    killed = attempt.end.killed if attempt.end else ""
    if attempt.flooded:
        return "error", f"{PRINTED_TOO_MUCH} 8 MiB"
    if killed == "memory":
        return "error", f"{HELD_TOO_MUCH} {limits.memory_bytes >> 20} MiB"
    if killed == "disk":
        return "error", "the program wrote more files or bytes than a run may"
    if killed == "deadline":
        return "timeout", f"the suite's {limits.time_s:g} s were over"
    if overdue and killed:
        return "timeout", f"no result within {limits.case_time_s:g} s"
    return None, ""
