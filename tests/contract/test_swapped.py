"""Judged by a swap in the program that is kept, a candidate gets the marks that a process of its own gives it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from itertools import islice

import pytest

from selfheal_tui.sandbox.base import run_through
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import SiftLimits
from tests.benchmarks.module_bugs import draw_bugs
from tests.benchmarks.modules import MODULES, read_subject
from tests.warm import WarmSandbox

_EDITS = 40
_TRIED = [name for name in MODULES if name != "shlex"]
"""Half of all edits of `shlex` never end, and each of those takes its time limit twice."""
_LIMITS = SiftLimits(time_s=2.0, fuel=20_000)


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


@pytest.mark.deep
@pytest.mark.parametrize("way", ["plain", "pytest"])
@pytest.mark.parametrize("name", _TRIED)
async def test_random_edits_have_the_marks_of_whole_imports(name: str, way: str, sandbox: LocalSandbox) -> None:
    subject = read_subject(name)
    path, chance = subject.program, random.Random(f"{name} {way}")
    drawn = draw_bugs(path, subject.suite.files[path], chance)
    files = dict(subject.suite.files)
    if way == "pytest":
        files |= {test: f"import pytest\n{files[test]}\n\npytestmark = []\n" for test in subject.suite.tests}
    ids: list[str] = []
    while len(ids) < 2:  # or the module cannot be imported at all
        bug = next(drawn)
        suite = replace(subject.suite, files={**files, path: bug.text})
        ran = await run_through(sandbox, suite)
        ids = [case["id"] for case in ran.report["cases"]]
    failing = [case["id"] for case in ran.report["cases"] if case["outcome"] != "passed"] or ids[:8]
    passing = [case for case in ids if case not in failing]
    edits = [edit for edit in islice(draw_bugs(path, bug.text, chance), _EDITS) if edit.function]
    variants = [{path: subject.suite.files[path]}, *({path: edit.text} for edit in edits)]
    chance.shuffle(variants)  # what one leaves behind would change those after it
    async with aclosing(sandbox.sift(suite, variants, (failing, passing), _LIMITS)) as values:
        found = [value async for value in values]
    marks = {mark.index: mark for value in found for mark in value.marks}
    unsure = {index for value in found for index in value.unsure}
    async with aclosing(sandbox.judge(suite, variants)) as verdicts:
        async for verdict in verdicts:
            if not {"timeout", "error"}.isdisjoint(verdict.outcomes.values()):
                continue  # a batch gives less time
            if verdict.index in unsure:
                continue
            passed = {case for case, outcome in verdict.outcomes.items() if outcome == "passed"}
            mark = marks.get(verdict.index)
            if mark is None:
                assert passed.isdisjoint(failing[: _LIMITS.patience])
            else:
                assert mark.fixes == passed & {*failing}
                assert mark.whole == (passed == {*ids}) and passed.isdisjoint(mark.breaks)
    assert marks
    assert len(unsure) < len(variants) // 4
