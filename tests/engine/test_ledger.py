"""What was paid once is never paid again, and the ledger says which prompt wrote what."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.engine import review
from selfheal_tui.engine.workbench import Workbench
from selfheal_tui.store.session_db import open_db
from selfheal_tui.store.sessions import DB_NAME

from .driving import DIAGNOSIS, FIXED, options, repair_reply, script, shop_task, to_end, to_failure, to_review


async def healed(workbench: Workbench, tmp_path: Path) -> str:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        assert (await to_end(session.resume())).snapshot.outcome == "healed"
    return session_id


async def test_a_fork_with_nothing_changed_is_replayed_where_calls_are_forbidden(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id = await healed(workbench, tmp_path)
    (tmp_path / "m.yaml").write_text("replies: []\n")
    strict = Workbench(workbench.store.home, replay_only=True)
    try:
        async with strict.open_session(session_id) as session:
            first = next(iter(await session.timeline())).id
            ended = await to_end(session.fork(first, {}))
            assert ended.snapshot.outcome == "healed"
            assert (ended.snapshot.spent["calls"], ended.snapshot.spent["replayed_calls"]) == (0, 2)
    finally:
        await strict.aclose()


async def test_a_new_question_is_refused_where_calls_are_forbidden(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await healed(workbench, tmp_path)
    strict = Workbench(workbench.store.home, replay_only=True)
    try:
        async with strict.open_session(session_id) as session:
            ran = next(c.id for c in await session.timeline() if c.node == "run_suite")
            failed = await to_failure(session.fork(ran, {"feedback": "Look at the discount."}))
            assert "new calls are forbidden" in failed.error.message
            assert failed.error.exit_code == 4
    finally:
        await strict.aclose()


async def test_the_ledger_names_the_prompt(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await healed(workbench, tmp_path)
    async with open_db(workbench.store.home / session_id / DB_NAME) as db:
        rows = await db.rows("select role, written_by from call order by role", ())
    for role, written_by in rows:
        name, version, sha256 = written_by.split()
        assert name == role and version.startswith("v") and len(sha256) == 64
    assert [role for role, _ in rows] == ["debugger", "repairer"]


async def test_rejecting_asks_afresh(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        again = await to_review(session.decide(asked.checkpoint_id, review.reject("Think again.")))
        assert again.snapshot.spent["calls"] == 2
