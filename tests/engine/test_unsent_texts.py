"""Texts of the editors that were not sent: kept with the session, given back by an undo, handed on, and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.review import OF_TESTS, UnsentText
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SelfHealError

from .driving import DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_repair, to_review

MINE: UnsentText = {"label": "1", "part": "", "texts": {"shop.py": FIXED + "# mine\n"}}
A_TEST: UnsentText = {"label": "test_shop.py", "part": OF_TESTS, "texts": {"test_shop.py": "# mine\n"}}


@pytest.fixture
def model(tmp_path: Path) -> str:
    return script(
        tmp_path / "replies.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )


async def test_an_unsent_text_outlasts_leaving_and_goes_with_the_answer(workbench: Workbench, model: str) -> None:
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = (await to_repair(session, session.resume())).checkpoint_id
        await session.texts.save(asked, [MINE, A_TEST])
    async with workbench.open_session(session_id) as session:
        assert await session.texts.load(asked) == [MINE, A_TEST]
        await drain(session.decide(asked, review.approve()))
        assert await session.texts.load(asked) == [A_TEST]  # the answer was none about a test
        await session.branches.undo()
        assert await session.texts.load(asked) == [MINE, A_TEST]
        await session.branches.redo()
        assert await session.texts.load(asked) == [A_TEST]


async def test_choices_and_tries_outlast_leaving_and_go_with_the_answer(
    workbench: Workbench, model: str, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = (await to_repair(session, session.resume())).checkpoint_id
        tried = await session.try_text(asked, "1 + 1", {})
        await session.choices.save(asked, [{"label": "1", "left_out": [2]}, {"label": "2", "marked": True}])
        await session.tries.save(asked, [tried])
    path = tmp_path / "handed.selfheal"
    write_session_file(workbench.store.folder(session_id), path, {}, "/nowhere")
    for opened in (session_id, (await read_session(workbench.store, path)).session_id):
        async with workbench.open_session(opened) as session:
            chosen = await session.choices.load(asked)
            assert chosen == [{"label": "1", "left_out": [2]}, {"label": "2", "marked": True}]
            assert await session.tries.load(asked) == [tried]
            await drain(session.decide(asked, review.approve()))
            assert (await session.choices.load(asked), await session.tries.load(asked)) == ([], [])
            await session.branches.undo()
            assert (await session.choices.load(asked), await session.tries.load(asked)) == (chosen, [tried])


async def test_an_unsent_text_stays_where_it_was_written_when_a_fork_goes_on(workbench: Workbench, model: str) -> None:
    async with workbench.open_session(await workbench.create(shop_task(), options(model))) as session:
        asked = (await to_repair(session, session.resume())).checkpoint_id
        await session.texts.save(asked, [MINE])
        forked = await to_review(session.fork(asked, {}))
        assert await session.texts.load(forked.checkpoint_id) == []
        assert await session.texts.load(asked) == [MINE]


async def test_an_unsent_text_is_handed_on_with_its_session(workbench: Workbench, model: str, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        diagnosed = await to_review(session.resume())
        await session.texts.save(diagnosed.checkpoint_id, [{"label": "", "part": "", "texts": {"cause": "mine"}}])
        asked = (await to_repair(session, session.decide(diagnosed.checkpoint_id, review.approve()))).checkpoint_id
        await session.texts.save(asked, [MINE])
    path = tmp_path / "handed.selfheal"
    write_session_file(workbench.store.folder(session_id), path, {}, "/nowhere")
    imported = await read_session(workbench.store, path)
    async with workbench.open_session(imported.session_id) as session:
        assert await session.texts.load(asked) == [MINE]
        await session.branches.undo()
        (text,) = await session.texts.load(diagnosed.checkpoint_id)
        assert text["texts"] == {"cause": "mine"}


async def test_a_file_whose_unsent_text_is_of_another_shape_is_refused(
    workbench: Workbench, model: str, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = (await to_review(session.resume())).checkpoint_id
        await session.texts.save(asked, [{"label": "", "part": "", "texts": {"cause": 3}}])  # type: ignore[dict-item]
    path = tmp_path / "handed.selfheal"
    write_session_file(workbench.store.folder(session_id), path, {}, "/nowhere")
    with pytest.raises(SelfHealError, match="an entry of texts is no str"):
        await read_session(workbench.store, path)


async def test_what_was_not_sent_leaves_the_disk_with_its_branch(workbench: Workbench, model: str) -> None:
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        forked = (await to_review(session.fork(asked.checkpoint_id, {}, label="aside"))).checkpoint_id
        await session.texts.save(forked, [MINE])
        await session.comments.save(forked, [{"path": "shop.py", "line": 6, "text": "no"}])
        await session.branches.go("main")
        await session.branches.delete("aside")
    async with workbench.open_session(session_id) as session:
        assert (await session.texts.load(forked), await session.comments.load(forked)) == ([], [])
