"""What a child does with many candidates, by the role in its order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..fast import compile_plain, portable
from ..report import Reporter
from .answers import Answers
from .examine import Examination
from .judge import Judge

ROLES: dict[str, type[Judge] | type[Examination] | type[Answers]] = {
    "sift": Judge,
    "examine": Examination,
    "answer": Answers,
}


def play(fd: int, job: Mapping[str, Any], work: str) -> None:
    """Do it, and say `done`; `unfit` when the suite needs more of pytest than the short way has."""
    _silence()
    reporter = Reporter(fd, job, work)
    compiled = compile_plain(job, work)
    if compiled is None:
        reporter.send("unfit")
        return
    if job.get("want_compiled"):
        reporter.send("compiled", files=portable(compiled))
    ROLES[job["role"]](reporter, job, compiled, work).run()
    reporter.send("done")


def _silence() -> None:
    """Let what candidates print go nowhere: thousands of them would fill the pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
