"""A search is made once in a process of tests: for the same program, suite and steering its result is told again.

Hundreds of tests of the loop and of the app heal the same few programs, and are about something else. What is told
again is what the search itself told and found before, in this process, for the very same input; so with the doubt
about a program that passes every case.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, SuiteReport
from selfheal_tui.search.doubt import doubt
from selfheal_tui.search.repair import Budget, Found, Progress, repair
from selfheal_tui.search.weigh.questions import Disagreement
from tests.warm import WarmSandbox

_LEAST_S = 5.0
"""Of a search that has less time the time is a part of what is tested."""
_KNOWN: dict[str, list[Progress | Found]] = {}
_DOUBTS: dict[str, Disagreement | None] = {}


async def repair_once(
    files: Mapping[str, str],
    program: Sequence[str],
    tests: Sequence[str],
    report: SuiteReport,
    sandbox: Sandbox,
    *,
    budget: Budget | None = None,
    coverage: Coverage | None = None,
    stopped: Callable[[], bool] = lambda: False,
    **more: Any,
) -> AsyncGenerator[Progress | Found, None]:
    """Search as `repair` does, or tell again what it told. Raises: SandboxError."""
    time_s = (budget or Budget()).time_s
    key = _key(files, program, tests, report, coverage, more)
    is_kept = type(sandbox) is WarmSandbox and time_s >= _LEAST_S
    if is_kept and key in _KNOWN:
        for step in _KNOWN[key]:
            await asyncio.sleep(0)
            yield step
        return
    told: list[Progress | Found] = []
    found = repair(files, program, tests, report, sandbox, budget=budget, coverage=coverage, stopped=stopped, **more)
    async with aclosing(found) as steps:
        async for step in steps:
            told.append(step)
            if is_kept and isinstance(step, Found) and not step.cut_short:
                _KNOWN[key] = told
            yield step


async def doubt_once(
    suite: Suite, report: SuiteReport, coverage: Coverage, sandbox: Sandbox, answered: Sequence[str] = ()
) -> Disagreement | None:
    """Doubt as `doubt` does, or as it did before. Raises: SandboxError."""
    key = _key(suite.files, suite.program, suite.tests, report, coverage, (suite.pytest_args, answered))
    if type(sandbox) is not WarmSandbox:
        return await doubt(suite, report, coverage, sandbox, answered)
    if key not in _DOUBTS:
        _DOUBTS[key] = await doubt(suite, report, coverage, sandbox, answered)
    return _DOUBTS[key]


def _key(files: Any, program: Any, tests: Any, report: SuiteReport, coverage: Any, more: Any) -> str:
    cases = [(case["id"], case["outcome"], case["message"]) for case in report["cases"]]
    return repr([_plain(part) for part in (files, program, tests, cases, coverage, more)])


def _plain(value: Any) -> Any:
    """Return a value whose repr is that of its like, whatever the order in which sets and objects were filled."""
    if isinstance(value, Mapping):
        return sorted((repr(key), _plain(one)) for key, one in value.items())
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
