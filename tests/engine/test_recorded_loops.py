"""Whole repair loops of real models, replayed: our loop sees the verdict that was recorded, step by step."""

from __future__ import annotations

import ast
import functools
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CheckpointSaved, ReviewRequested
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.sandbox.base import Limits
from tests.dev_data import records, suite_of

from .driving import DIAGNOSIS, drain, options, script

WANTED, PARTS = 50, 5
PASS = "pass"


@functools.cache
def replayable() -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Records with the steps that changed the program; a program seen before is no step of ours."""
    found = []
    for record in records("ldb_traces"):
        steps: list[dict[str, Any]] = []
        seen: set[str] = set()
        for step in record["trace"]["steps"]:
            if "code" in step and _normal(step["code"]) not in seen:
                seen.add(_normal(step["code"]))
                steps.append(step)
            if step["visible"] == PASS:
                break
        timed = any("time" in str(step["visible"]).lower() for step in steps)
        if 2 <= len(steps) <= 4 and not timed and steps[0]["visible"] != PASS:
            found.append((record, steps))
    return found[:: max(1, len(found) // WANTED)][:WANTED]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.deep) for part in range(1, PARTS))])
async def test_verdicts_of_recorded_loops_are_reproduced(tmp_path: Path, part: int) -> None:
    chosen = replayable()
    assert len(chosen) == WANTED
    bench = Workbench(tmp_path / "sessions", suite_limits=Limits(time_s=20.0, case_time_s=5.0), verify=False)
    try:
        for number, (record, steps) in enumerate(chosen[part::PARTS]):
            model = script(tmp_path / f"{number}.yaml", *_replies(steps))
            seen = await _verdicts(bench, record, model)
            assert seen == [step["visible"] == PASS for step in steps], record["id"]
    finally:
        await bench.aclose()


def _replies(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answer each program with the one that the model wrote next."""
    replies: list[dict[str, Any]] = [{"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}}]
    for step, following in itertools.pairwise(steps):
        files = [{"path": "prog.py", "text": following["code"] + "\n"}]
        replies.append(
            {
                "role": "repairer",
                "when": f"=== program ===\n--- prog.py\n{step['code']}\n",
                "reply": {"summary": f"Step {following['i']}", "files": files},
            }
        )
    return replies


async def _verdicts(bench: Workbench, record: dict[str, Any], model: str) -> list[bool]:
    suite = suite_of(record, record["trace"]["steps"][0]["code"], record["visible_tests"])
    task = Task("fix", record["id"], suite.files, suite.program, suite.tests, spec=record["prompt"])
    policy = {**default_policy(), "critic": "off", "lessons": False, "debug_steps": 0, "near_miss_s": 0.0}
    session_id = await bench.create(task, replace(options(model), policy=policy))  # type: ignore[arg-type]
    verdicts: list[bool] = []
    async with bench.open_session(session_id) as session:
        events = session.resume()
        while True:
            told = await drain(events)
            ran = [
                e.snapshot.report for e in told if isinstance(e, CheckpointSaved) and e.checkpoint.node == "run_suite"
            ]
            verdicts += [report["verdict"] == "passed" for report in ran if report is not None]
            asked = told[-1]
            if not isinstance(asked, ReviewRequested):
                return verdicts
            if asked.kind == "stalled":
                return verdicts
            if len(verdicts) >= len(_programs(record)) and asked.kind == "diagnosis":
                return verdicts
            events = session.decide(asked.checkpoint_id, review.approve())


def _programs(record: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(_normal(step["code"]) for step in record["trace"]["steps"] if "code" in step))


@functools.cache
def _normal(code: str) -> str:
    """Return what tells programs apart: the loop does not run the same one again for a blank line."""
    try:
        return ast.dump(ast.parse(code))
    except SyntaxError:
        return code
