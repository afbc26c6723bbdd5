"""A session of any length: a step reads as much late as early, counted in rows and bodies and not in time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from selfheal_tui.engine.history import snapshots
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.llm.registry import PROVIDERS
from selfheal_tui.store.blobs import Blobs
from tests.benchmarks import long_session
from tests.benchmarks.long_session import create, iterate

from .driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task, to_repair, to_review

EARLY, LATE = 6, 18
_STEPS = 10
"""SQLite's own steps for each count."""


class Work:
    """What was done so far."""

    def __init__(self) -> None:
        self.steps = self.bodies = 0

    def took_steps(self) -> int:
        """Count; SQLite goes on at 0."""
        self.steps += _STEPS
        return 0


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, work: Work) -> Iterator[None]:
    read = Blobs.get_text

    async def get_text(blobs: Blobs, ref: str) -> str:
        work.bodies += 1
        return await read(blobs, ref)

    with monkeypatch.context() as patch:
        patch.setattr(Blobs, "get_text", get_text)
        yield


async def of_one_iteration(session: Session, monkeypatch: pytest.MonkeyPatch, upto: int) -> Work:
    """Count the work of the iteration that leads to `upto`."""
    asked, work = await iterate(session, None, upto - 1), Work()
    await session._db.connection.set_progress_handler(work.took_steps, _STEPS)
    with counted(monkeypatch, work):
        await iterate(session, asked, upto)
    await session._db.connection.set_progress_handler(None, 0)  # type: ignore[arg-type]
    return work


@pytest.mark.deep
async def test_an_iteration_reads_as_much_late_as_early(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "RECORDS", 3)
    monkeypatch.setitem(PROVIDERS, "endless", f"{long_session.__name__}:open_provider")
    session_id = await create(workbench)
    async with workbench.open_session(session_id) as session:
        early = await of_one_iteration(session, monkeypatch, EARLY)
        late = await of_one_iteration(session, monkeypatch, LATE)
    assert early.bodies and late.bodies == early.bodies
    assert early.steps and late.steps < early.steps * 1.1, (early.steps, late.steps)


async def test_a_repetition_is_known_after_the_list_of_what_was_tried_is_gone(
    workbench: Workbench, tmp_path: Path
) -> None:
    """The list is made from the records again, as in a session of an earlier version or one that was imported."""
    wrong = BUGGY.replace("= 0", "= 0.0")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "Not that.", "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(wrong, "Start with a float.")},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("No.")))
        await session._db.write("delete from tried")
        if asked.kind == "diagnosis":
            asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "stalled" and "iteration 1 on this branch" in asked.snapshot.repeated
