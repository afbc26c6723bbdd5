"""A session handed on as one file is the same session elsewhere, without keys, and goes on there."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from selfheal_tui.engine.history.calls import calls_until
from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.out.tell import tell_decisions
from selfheal_tui.engine.out.transfer.reading import Imported, read_session
from selfheal_tui.engine.out.transfer.writing import Exported, write_session
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.store.sessions import SessionStore

from .driving import (
    ANSWERS,
    BUGGY,
    DIAGNOSIS,
    FIXED,
    TESTS,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_repair,
    to_review,
)

KEY = "sk-canary-9f27c1d4e8"


async def healed_and_waiting(workbench: Workbench, tmp_path: Path) -> str:
    """Heal on main; answer the repair otherwise on a second branch, where a question waits."""
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        await to_review(session.decide(asked.checkpoint_id, review.reject("Once.")))
        await session.branches.undo()
        await to_review(session.decide(asked.checkpoint_id, review.reject("Not so.")))
    return session_id


def hand_on(folder: Path, target: Path, environ: Mapping[str, str] | None = None, home: str = "") -> Exported:
    with target.open("wb") as file:
        return write_session(folder, file, environ or {}, home)


def digest(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.db")}


async def moments(session: Session) -> dict[str, Snapshot]:
    return {checkpoint.id: await session.snapshot(checkpoint.id) for checkpoint in await session.timeline()}


async def test_it_is_the_same_session_elsewhere(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await healed_and_waiting(workbench, tmp_path)
    file, there = tmp_path / "s.selfheal", Workbench(tmp_path / "elsewhere")
    assert hand_on(workbench.store.folder(session_id), file).redacted == ()
    taken = await read_session(there.store, file)
    assert taken == Imported(session_id, session_id, ())
    assert check_session(there.store.folder(session_id))["sound"]
    try:
        async with (
            workbench.watch_session(session_id) as here,
            there.watch_session(session_id) as same,
        ):
            assert await same.timeline() == await here.timeline()
            assert await moments(same) == await moments(here)
            head = str(await here.head())
            assert await calls_until(same, head) == await calls_until(here, head) != []
            assert await same.usage() == await here.usage()
            assert [one async for one in tell_decisions(same)] == [one async for one in tell_decisions(here)]
            assert await same.root() is None
            assert await same.branches.acts.all() == await here.branches.acts.all() != []
            assert await same.branches.stands() == await here.branches.stands()
        again = tmp_path / "again.selfheal"
        hand_on(there.store.folder(session_id), again)
        assert gzip.decompress(again.read_bytes()) == gzip.decompress(file.read_bytes())
    finally:
        await there.aclose()


async def test_it_goes_on_elsewhere_and_replays_for_nothing(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await healed_and_waiting(workbench, tmp_path)
    file, store = tmp_path / "s.selfheal", SessionStore(tmp_path / "elsewhere")
    hand_on(workbench.store.folder(session_id), file)
    await read_session(store, file)
    again = await read_session(store, file)
    assert again == Imported(f"{session_id}-2", session_id, ()), "the one that is there is not touched"
    strict = Workbench(store.home, replay_only=True)
    try:
        async with strict.open_session(again.session_id) as session:
            first = next(c.id for c in await session.timeline() if c.node == "run_suite")
            replayed = await to_review(session.fork(first, {}, "replay"))
            assert (replayed.snapshot.spent["calls"], replayed.snapshot.spent["replayed_calls"]) == (0, 1)
    finally:
        await strict.aclose()
    there = Workbench(store.home)
    try:
        async with there.open_session(session_id) as session:
            waiting = await to_review(session.resume())
            assert waiting.branch != "main" and waiting.kind == "diagnosis"
            other = FIXED.replace("return amount - discount", "amount -= discount\n    return amount")
            script(tmp_path / "m.yaml", ANSWERS[0], {"role": "repairer", "reply": repair_reply(other)})
            repair = await to_repair(session, session.decide(waiting.checkpoint_id, review.approve()))
            ended = await to_end(session.decide(repair.checkpoint_id, review.approve()))
            assert ended.snapshot.outcome == "healed"
    finally:
        await there.aclose()


async def test_a_session_whose_user_said_what_a_call_should_give_is_handed_on(
    workbench: Workbench, tmp_path: Path
) -> None:
    """Such a fork has no best program: it counted fewer cases."""
    session_id = await healed_and_waiting(workbench, tmp_path)
    async with workbench.open_session(session_id) as session:
        first = next(c.id for c in await session.timeline() if c.node == "run_suite")
        await drain(session.fork(first, {"wrong": "total([7], 0) should be 8"}))
    file, store = tmp_path / "s.selfheal", SessionStore(tmp_path / "elsewhere")
    hand_on(workbench.store.folder(session_id), file)
    assert await read_session(store, file) == Imported(session_id, session_id, ())


async def test_a_session_that_never_ran_is_handed_on(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options())
    store = SessionStore(tmp_path / "elsewhere")
    hand_on(workbench.store.folder(session_id), tmp_path / "s.selfheal")
    await read_session(store, tmp_path / "s.selfheal")
    there = Workbench(store.home)
    try:
        async with there.open_session(session_id) as session:
            assert (await to_review(session.resume())).kind == "diagnosis"
    finally:
        await there.aclose()


async def test_keys_and_home_stay_and_every_hash_follows(workbench: Workbench, tmp_path: Path) -> None:
    """A key in the program, the specification and a reply; the folder of the files; a record that names a body."""
    home = "/home/somebody"
    program, tests = BUGGY + f'KEY = "{KEY}"\n', TESTS + f'\n\nPLACE = "{home}/data"\n'
    diagnosis = {**DIAGNOSIS, "cause": f"It asks with {KEY}."}
    answers = ({**ANSWERS[0], "reply": diagnosis}, {**ANSWERS[1], "reply": repair_reply(FIXED + f'KEY = "{KEY}"\n')})
    files = {"shop.py": program, "test_shop.py": tests}
    task = Task("fix", "shop", files, ("shop.py",), ("test_shop.py",), f"Use {KEY}.", root=f"{home}/shop")
    workbench._python = sys.executable
    session_id = await workbench.create(task, options(script(tmp_path / "m.yaml", *answers), "full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        plain = await moments(session)
        assert await session.python() == sys.executable
    folder, file = workbench.store.folder(session_id), tmp_path / "s.selfheal"
    before = digest(folder)
    done = hand_on(folder, file, {"ANTHROPIC_API_KEY": KEY}, home)
    assert digest(folder) == before
    text = gzip.decompress(file.read_bytes()).decode()
    assert KEY not in text and home not in text and "[ANTHROPIC_API_KEY]" in text
    assert {"the file shop.py as given", "the specification", "the file test_shop.py as given"} <= set(done.redacted)
    store = SessionStore(tmp_path / "elsewhere")
    taken = await read_session(store, file)
    assert set(taken.redacted) == set(done.redacted) and check_session(store.folder(session_id))["sound"]
    there = Workbench(store.home)
    try:
        async with there.open_session(session_id) as session:
            clean = await moments(session)
            assert (await session.root(), await session.python()) == (None, "")
            for at, moment in plain.items():
                expected = {p: t.replace(KEY, "[ANTHROPIC_API_KEY]") for p, t in moment.program.items()}
                assert clean[at].program == expected and clean[at].report == moment.report
            assert clean[at].tests["test_shop.py"].endswith('PLACE = "~/data"\n')
            assert clean[at].records and clean[at].spec == "Use [ANTHROPIC_API_KEY]."
            ran = next(c.id for c in await session.timeline() if c.node == "apply")
            await to_end(session.fork(ran, {}, "on"))
    finally:
        await there.aclose()


def test_only_what_something_names_is_handed_on(tmp_path: Path) -> None:
    """The rewriting of refs reaches chains as long as a long session's, and leaves foreign JSON as it is."""
    from selfheal_tui.engine.out.export.redact import Redaction
    from selfheal_tui.engine.out.transfer.rewriting import Rewriting
    from selfheal_tui.store.blobs import json_text, text_ref

    bodies = {text_ref(f"secret {KEY}"): f"secret {KEY}"}
    last = next(iter(bodies))
    for number in range(3_000):
        text = json_text({"prev": last, "number": number})
        last = text_ref(text)
        bodies[last] = text
    foreign = json.dumps({"b": last, "a": 1}, indent=2)
    bodies[text_ref(foreign)] = foreign
    rewriting = Rewriting(Redaction({"OPENAI_API_KEY": KEY}), set(bodies), bodies.__getitem__, "")
    new = dict(rewriting.bodies())
    assert len(new) == len(bodies) and all(text_ref(text) == ref for ref, text in new.items())
    assert new[text_ref(foreign)] == foreign, "a file of the user is not ours to write anew"
    at = rewriting.clean(last)
    for number in reversed(range(3_000)):
        held = json.loads(new[at])
        assert held["number"] == number
        at = held["prev"]
    assert new[at] == "secret [OPENAI_API_KEY]" and rewriting.changed == [text_ref(f"secret {KEY}")]


@pytest.mark.parametrize("harm", ["blob", "checkpoint"])
async def test_a_damaged_session_is_not_handed_on(workbench: Workbench, tmp_path: Path, harm: str) -> None:
    import sqlite3
    from contextlib import closing

    from selfheal_tui.errors import SessionError

    session_id = await healed_and_waiting(workbench, tmp_path)
    folder = workbench.store.folder(session_id)
    sql = {"blob": "update blob set body=x'00'", "checkpoint": "update checkpoints set checkpoint=x'c1c1'"}[harm]
    with closing(sqlite3.connect(folder / "session.db")) as connection:
        connection.execute(sql)
        connection.commit()
    with pytest.raises(SessionError, match="damaged"):
        hand_on(folder, tmp_path / "s.selfheal")
