"""Whatever is decided and forked: history only grows, is one tree, and reopening shows what was live."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfheal_tui.engine import review
from selfheal_tui.engine.events import Event, ReviewRequested, RunFinished
from selfheal_tui.engine.timeline import Timeline
from selfheal_tui.engine.workbench import Workbench
from selfheal_tui.errors import InputError
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task

ACTIONS = st.lists(
    st.tuples(st.sampled_from(["approve", "reject", "stop", "edit", "fork", "reopen"]), st.integers(0, 30)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(ACTIONS)
def test_history_only_grows(actions: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(_drive(Path(home), actions))


async def _drive(home: Path, actions: list[tuple[str, int]]) -> None:
    model = script(
        home / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "no", "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(BUGGY + "\n")},
    )
    bench = Workbench(home / "sessions")
    try:
        session_id = await bench.create(shop_task(), options(model, "review_all", 2))
        last: Event | None = None
        seen: Timeline | None = None
        for action, where in [("reopen", 0), *actions]:
            async with bench.open_session(session_id) as session:
                if seen is not None:
                    assert await session.timeline() == seen
                events = session.resume() if action == "reopen" else await _events(session, action, where)
                try:
                    async for event in events:
                        last = event
                except InputError:
                    pass  # a question that is not there, or an ended run: refused, and nothing changed
                else:
                    assert isinstance(last, ReviewRequested | RunFinished), last
                now = await session.timeline()
                if seen is not None:
                    _only_grew(seen, now)
                seen = now
                for checkpoint in now:
                    assert (await session.snapshot(checkpoint.id)).branch == checkpoint.branch
    finally:
        await bench.aclose()


async def _events(session: Any, action: str, where: int) -> Any:
    ids = list((await session.timeline()).checkpoints)
    at = ids[where % len(ids)]
    answers = {
        "approve": review.approve(),
        "reject": review.reject("no"),
        "stop": review.stop(),
        "edit": review.edit(DIAGNOSIS),
    }
    return session.fork(at, {}) if action == "fork" else session.decide(at, answers[action])


def _only_grew(old: Timeline, new: Timeline) -> None:
    roots = [c for c in new if c.parent_id is None]
    assert len(roots) == 1
    assert all(c.parent_id in new.checkpoints for c in new if c.parent_id is not None)
    for checkpoint in old:
        kept = new.checkpoints[checkpoint.id]
        assert kept == checkpoint or (checkpoint.pending and kept.pending is None)
