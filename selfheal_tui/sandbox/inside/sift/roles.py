"""What a child does with many candidates, by the role in its order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ..fast import compile_plain, portable
from ..report import Reporter
from .answers import Answers
from .cases import Cases
from .examine import Examination
from .force import Forcing
from .judge import Judge
from .plain import PlainCases
from .shelf import Shelf

ROLES: dict[str, type[Judge] | type[Examination] | type[Answers] | type[Forcing]] = {
    "sift": Judge,
    "examine": Examination,
    "answer": Answers,
    "force": Forcing,
}


def play(fd: int, job: Mapping[str, Any], work: str, long_way: ModuleType | None) -> None:
    """Play the order's role and send `done`; send `unfit` when the suite cannot be run in a batch."""
    _silence()
    reporter = Reporter(fd, job, work)
    compiled = compile_plain(job, work)
    if compiled is not None and job.get("want_compiled"):
        reporter.send("compiled", files=portable(compiled))
    folder = work.rstrip("/") + "/"
    shelf = Shelf(folder, {path: job["files"][path] for path in job["program"]}, job["fuel"], job["roots"])

    role = ROLES[job["role"]](reporter, job, shelf)

    def act(cases: Cases) -> None:
        role.run(cases)
        reporter.send("done")
        os._exit(0)

    if compiled is not None:
        act(PlainCases(compiled, shelf))
    if long_way is not None:
        from .with_pytest import Batch

        role.before_collection()
        shelf.note_runs()
        long_way.run_pytest(Batch(shelf, folder, act), job, work)
    reporter.send("unfit")


def _silence() -> None:
    """Let what candidates print go nowhere: thousands of them would fill the pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
