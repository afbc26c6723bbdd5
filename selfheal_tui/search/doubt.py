"""Doubt: every case passes, so which call would tell most about whether the program is right?

Programs one edit away that pass every case as well show what the cases leave open (mutation analysis: DeMillo, Lipton,
Sayward, "Hints on Test Data Selection", IEEE Computer 1978). A call that parts the program from likely neighbours is
worth a person's look: of nine buggy programs of HumanEvalFix that pass their visible tests the first such call shows
five to be wrong.
"""

from __future__ import annotations

import ast
import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import islice

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, SuiteReport

from .hunt.candidates import Candidate, build_candidates
from .hunt.judging import Judging
from .hunt.rounds import Stage
from .program.bound import with_values
from .program.observe import build_observations
from .weigh.boundaries import build_boundary_calls
from .weigh.bounds_said import bounds_bits
from .weigh.equal_values import equal_as_one
from .weigh.inputs import build_calls
from .weigh.questions import Disagreement, best_question, is_answer
from .weigh.rank import COST_WEIGHT
from .weigh.sequences import build_sequences
from .weigh.spoken_changed import build_spoken_calls
from .weigh.unlikely import unlikely_calls

_MOST_EDITS = 1500
_MOST_NEIGHBOURS = 150
_CALLS = 60
_LARGEST = 60_000
"""Characters of a program; the edits of a larger one take too long to list."""
_SLOWEST_S = 1.0
"""For all cases of a suite that is run a thousand times over."""


async def doubt(
    suite: Suite,
    report: SuiteReport,
    coverage: Coverage,
    sandbox: Sandbox,
    answered: Sequence[str] = (),
    time_s: float = 5.0,
) -> Disagreement | None:
    """Return the call that no case makes and that parts the program best from its neighbours.

    Candidate 0 of its answers is the program itself. `answered` are calls that were answered before. None where nothing
    tells them apart, or where the suite is not one that can be run many times over in `time_s` seconds for the
    neighbours and as much for their answers. Raises: SandboxError.
    """
    cases = [case["id"] for case in report["cases"] if case["outcome"] == "passed"]
    slow = sum(case["duration_s"] for case in report["cases"]) > _SLOWEST_S
    stage = Stage(suite, report, coverage)
    calls = await asyncio.to_thread(_calls, stage)
    if not cases or not calls or slow or sum(map(len, stage.sources.values())) > _LARGEST:
        return None
    judging = Judging(sandbox, suite, report, coverage, wanted=cases)
    neighbours = await _neighbours(judging, stage, time.monotonic() + time_s)
    answers = await judging.ask([{}, {}, *(n.changes for n in neighbours)], calls, time_s) if neighbours else []
    if len(answers) != len(neighbours) + 2:
        return None
    first, again, *others = equal_as_one(answers)
    unfit = [call for call, one, two in zip(calls, first, again, strict=False) if one != two or not is_answer(one)]
    bits = await asyncio.to_thread(lambda: [COST_WEIGHT * one.cost + _against_words(one, stage) for one in neighbours])
    own = -math.log2(sum(2.0**-unlikely for unlikely in bits))  # as likely as all of them together
    # A name that the program does not know says little of whether it is right.
    unknown = {call for call, answer in zip(calls, first, strict=False) if answer == "!KeyError"}
    last = unlikely_calls(calls, with_values(stage.test_texts)) | unknown
    return best_question(calls, [first, *others], [own, *bits], [*answered, *unfit], last)


async def _neighbours(judging: Judging, stage: Stage, deadline: float) -> list[Candidate]:
    """Return programs one edit away that pass every case, the likeliest first."""
    examined = await judging.examine(stage.suite)

    def build() -> list[Candidate]:
        sources, tests = stage.sources, stage.test_texts
        lines = {(path, line) for path, text in sources.items() for line in range(1, text.count("\n") + 2)}
        observations = build_observations(examined, stage.report, sources, tests)
        candidates = build_candidates(sources, list(tests.values()), (), lines, observations=observations)
        return list(islice(candidates, _MOST_EDITS))

    edits = await asyncio.to_thread(build)
    neighbours: list[Candidate] = []
    if judging.is_fit:
        async with aclosing(judging.sift(edits, deadline)) as rounds:
            async for step in rounds:
                neighbours += [candidate for candidate in step.hopeful if candidate.complete]
    neighbours.sort(key=lambda c: (c.cost, c.size, c.summary))
    return neighbours[:_MOST_NEIGHBOURS]


def _against_words(neighbour: Candidate, stage: Stage) -> float:
    return sum(bounds_bits(stage.sources.get(path, ""), text) for path, text in neighbour.changes.items())


def _calls(stage: Stage) -> list[str]:
    tests = with_values(stage.test_texts)
    bounds = build_boundary_calls(tests, stage.sources)
    plain = [*dict.fromkeys([*bounds, *build_calls(tests, _CALLS, _constants(stage.sources))])][:_CALLS]
    if len(plain) > _CALLS // 2:
        return plain
    return [*dict.fromkeys([*plain, *build_spoken_calls(tests), *build_sequences(tests, stage.sources)])][:_CALLS]


def _constants(sources: Mapping[str, str]) -> list[int | str]:
    """Return the short texts and the whole numbers that the program names."""
    constants: dict[int | str, None] = {}
    for text in sources.values():
        try:
            tree = parse_python(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) in (int, str) and len(str(node.value)) <= 40:
                constants[node.value] = None  # type: ignore[index]
    return list(constants)
