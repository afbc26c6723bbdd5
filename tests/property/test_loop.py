"""Whatever is decided, forked and cut off: no candidate is lost, no stale one judged, no limit exceeded."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFinished
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.errors import InputError
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task
from tests.examples import examples

MOST, CALLS = 3, 12
WORSE = BUGGY.replace("amount + discount", "amount - discount - 1")
OTHER = BUGGY.replace("amount + discount", "amount * discount")

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["approve", "approve 2", "rule", "reject", "edit", "stop"]), st.integers(-6, -1)),
        st.tuples(
            st.sampled_from(["", "feedback", "diagnosis", "code", "afresh", "model", "max_iterations", "autonomy"]),
            st.integers(0, 60),
        ),
        st.tuples(st.just("cut off"), st.integers(1, 9)),
        st.tuples(st.just("resume"), st.just(0)),
    ),
    min_size=2,
    max_size=7,
)


@settings(max_examples=examples(4, quick=2), deadline=None, suppress_health_check=list(HealthCheck))
@given(ACTIONS)
def test_no_candidate_is_lost_no_stale_one_judged_no_limit_exceeded(actions: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(_drive(Path(home), actions))


async def _drive(home: Path, actions: list[tuple[str, int]]) -> None:
    bench = Workbench(home / "sessions", verify=False)
    candidates: dict[str, dict[str, Any]] = {}
    try:
        session_id = await bench.create(shop_task(), _options(home))
        for action, where in [("resume", 0), ("approve", -1), *actions]:
            async with bench.open_session(session_id) as session:
                last: Event | None = None
                try:
                    events = await _events(session, action, where)
                    count = where if action == "cut off" else 10_000
                    async for event in events:
                        last, count = event, count - 1
                        if not count:
                            break
                    await events.aclose()
                except InputError:
                    pass  # refused: nothing changed
                else:
                    assert action == "cut off" or isinstance(last, ReviewRequested | RunFinished), last
                await _check(session, candidates)
    finally:
        await bench.aclose()


def _options(home: Path) -> RunOptions:
    model = script(
        home / "m.yaml",
        {"role": "debugger", "when": "look again", "reply": {**DIAGNOSIS, "confidence": 0.1}},
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": ["smallest change", "amount + discount\n"], "reply": repair_reply(WORSE, "Less.")},
        {"role": "repairer", "when": "smallest change", "reply": repair_reply(BUGGY, "Back again.")},
        {"role": "repairer", "when": ["function anew", "look again"], "reply": repair_reply("# so\n" + FIXED, "So.")},
        {"role": "repairer", "when": "function anew", "reply": repair_reply(OTHER, "Times.")},
        {"role": "repairer", "when": "what else would fail", "reply": "no JSON at all"},
    )
    given = options(model, "review_repairs", MOST)
    policy = {
        **default_policy(),
        "strategies": ["minimal", "rewrite", "defensive"],
        "near_miss_s": 0.0,
        "critic": "off",
        "lessons": False,
        "debug_steps": 0,
    }
    return replace(given, policy=policy, limits={**given.limits, "max_calls": CALLS})  # type: ignore[arg-type]


async def _events(session: Session, action: str, where: int) -> AsyncGenerator[Event, None]:
    checkpoints = list(await session.timeline())
    if action in ("resume", "cut off"):
        return session.resume()
    answers: dict[str, review.Answer] = {
        "approve": review.approve(),
        "approve 2": review.approve(pick="2"),
        "rule": {**review.approve(), "rule_lines": 2},
        "reject": review.reject("look again"),
        "edit": review.edit({"changes": {"shop.py": OTHER + "\n\nEDITED = True\n"}}),
        "stop": review.stop(),
    }
    if action in answers:
        asked = [c.id for c in checkpoints if any(node.startswith("review_") for node in c.next)]
        return session.decide(asked[max(where, -len(asked))], answers[action])
    values: dict[str, Any] = {
        "feedback": "look again",
        "diagnosis": DIAGNOSIS,
        "code": {"shop.py": OTHER},
        "afresh": True,
        "model": dict((await session.snapshot(checkpoints[0].id)).models),
        "max_iterations": MOST,
        "autonomy": "full_auto",
    }
    at = checkpoints[where % len(checkpoints)]
    return session.fork(at.id, {action: values[action]} if action else {})


async def _check(session: Session, candidates: dict[str, dict[str, Any]]) -> None:
    timeline = await session.timeline()
    for checkpoint in timeline:
        snapshot = await session.snapshot(checkpoint.id)
        assert snapshot.iteration <= MOST
        assert snapshot.spent["calls"] <= snapshot.limits["max_calls"]  # type: ignore[operator]
        if snapshot.outcome == "healed":
            assert snapshot.report is not None and snapshot.report["verdict"] == "passed"
        if "review_repair" in checkpoint.next:
            _judged(checkpoint, snapshot)
        seen = candidates.setdefault(checkpoint.id, dict(snapshot.candidates))
        assert seen == snapshot.candidates
    assert set(candidates) == set(timeline.checkpoints)


def _judged(checkpoint: Checkpoint, snapshot: Snapshot) -> None:
    """Check that what is reviewed was proposed for this very program, in this round, and never settled before."""
    settled = {key for record in snapshot.records for key in record["keys"]}
    assert snapshot.candidates, checkpoint
    for number, (label, repair) in enumerate(snapshot.candidates.items(), 1):
        assert label == str(number) == str(repair["rank"])
        changed = {**snapshot.program, **repair["changes"]}
        assert repair["diff"] == unified_diff({"shop.py": snapshot.program["shop.py"]}, changed)
        assert repair["key"] not in settled
        assert repair["strategy"] not in snapshot.failures
