"""What advisors and metrics promise: they stand every program, and return what can be shown."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from selfheal_tui.bench.figures.metrics import TaskResult
from selfheal_tui.bench.figures.own_metrics import measure
from selfheal_tui.engine.loop.own_advisors import FAILED, NO_ADVICE, advice_by

from .contract import Given, promise
from .programs import ODD

PROGRAMS: tuple[dict[str, str], ...] = (
    {},
    {"empty.py": ""},
    {"broken.py": "def f(:\n"},
    {f"odd_{number}.py": text for number, text in enumerate(ODD)},
)
"""Path -> text: none, empty, one that does not parse, odd ones."""
RESULT: dict[str, Any] = {
    "id": "a/1",
    "bug_type": "",
    "author": "",
    "outcome": "healed",
    "reason": "",
    "plausible": True,
    "repaired": True,
    "hidden": None,
    "plus": None,
    "has_plus": False,
    "unchanged": False,
    "confidence": None,
    "iterations": 1,
    "candidates": 10,
    "time_s": 1.5,
    "diff": "",
    "finished_at": "2026-01-01T00:00:00+00:00",
    "spent": {
        "calls": 0,
        "replayed_calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": None,
        "time_s": 1.5,
    },
}
"""A task's result, as a metric gets it."""


@promise("advisor")
def advises_on_every_program(given: Given) -> None:
    """It raises nothing, and returns a sentence, `summary` and `items`, or None."""
    for program in PROGRAMS:
        summary = asyncio.run(advice_by(given.name, given.loaded, program))["summary"]
        assert not summary.startswith((FAILED, NO_ADVICE)), f"{given.name}, of {sorted(program)}: {summary}"


@promise("metric")
def measures_every_program(given: Given) -> None:
    """It raises nothing, and returns a number or None."""
    for program in PROGRAMS:
        result = cast(TaskResult, dict(RESULT))
        measure({given.name: given.loaded}, result, program)
        assert "not_measured" not in result, f"{given.name}, of {sorted(program)}: {result['not_measured'][given.name]}"
