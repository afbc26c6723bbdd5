"""What was paid once is never paid again, and the ledger says which prompt wrote what."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
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


ANSWERS = ({"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED)})


async def test_rejecting_asks_afresh_each_time(workbench: Workbench, tmp_path: Path) -> None:
    """The reason goes into the next prompt; even the same one, given again, is a new question."""
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        for calls in (2, 3, 4):
            asked = await to_review(session.decide(asked.checkpoint_id, review.reject("No.")))
            spent = asked.snapshot.spent
            assert (asked.kind, spent["calls"], spent["replayed_calls"]) == ("diagnosis", calls, 0)
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "repair" and asked.snapshot.spent["calls"] == 5
        # The script's repairer repeats itself: that is noticed, and a new diagnosis is made. Both were new calls.
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("No.")))
        spent = asked.snapshot.spent
        assert (asked.kind, spent["calls"], spent["replayed_calls"]) == ("diagnosis", 7, 0)
    async with workbench.open_session(session_id) as session:
        again = await to_review(session.resume())
    assert (again.checkpoint_id, again.snapshot.spent) == (asked.checkpoint_id, spent)


async def test_a_fork_afresh_pays_for_what_is_recorded_and_a_plain_one_does_not(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    strict = Workbench(workbench.store.home, replay_only=True)
    async with workbench.open_session(session_id) as session:
        diagnosed = await to_review(session.resume())
        proposed = await to_review(session.decide(diagnosed.checkpoint_id, review.approve()))
        paid = proposed.snapshot.spent["calls"]
        for asked in (diagnosed, proposed):
            before = asked.snapshot.spent["calls"]
            for _ in range(2):
                forked = await to_review(session.fork(asked.checkpoint_id, {"afresh": True}))
                spent = forked.snapshot.spent
                assert (forked.kind, spent["calls"], spent["replayed_calls"]) == (asked.kind, before + 1, 0)
            plain = await to_review(session.fork(asked.checkpoint_id, {}))
            assert (plain.kind, plain.snapshot.spent["calls"]) == (asked.kind, before)
        # A fork of the fresh branch is a replay of it.
        ran = next(c for c in await session.timeline() if c.branch == forked.branch)
        replayed = (await to_review(session.fork(ran.id, {}))).snapshot.spent
        assert (replayed["calls"], replayed["replayed_calls"]) == (paid, 1)
    try:
        async with strict.open_session(session_id) as session:
            failed = await to_failure(session.fork(diagnosed.checkpoint_id, {"afresh": True}))
            assert "new calls are forbidden" in failed.error.message
            failed = await to_failure(session.decide(diagnosed.checkpoint_id, review.reject("Never said before.")))
            assert "new calls are forbidden" in failed.error.message
    finally:
        await strict.aclose()
