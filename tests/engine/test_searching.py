"""Searching a saved session: what is searched, where a hit leads, each line once."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.hits import Hit
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench

from .driving import ANSWERS, options, script, shop_task, to_end, to_repair


async def hits(session: Session, text: str) -> list[Hit]:
    return [hit async for part in session.search(text) for hit in part.hits]


async def test_moments_diagnoses_repairs_code_and_calls_are_found_where_they_came_first(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "s.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        timeline = await session.timeline()
        by_kind = {hit.kind: hit for hit in await hits(session, "AMOUNT  -")}
        assert set(by_kind) == {"repair", "code", "call"}
        code = by_kind["code"]
        assert (code.where, code.number, code.text) == ("shop.py", 6, "return amount - discount")
        assert timeline.checkpoints[code.checkpoint_id].node == "apply"
        assert by_kind["call"].where.startswith("repairer, scripted:")
        assert timeline.checkpoints[by_kind["call"].checkpoint_id].node == "propose"
        moments = [hit for hit in await hits(session, "took 1") if hit.kind == "moment"]
        assert [timeline.checkpoints[hit.checkpoint_id].node for hit in moments] == ["apply"]
        assert "line 6 `+` -> `-`" in moments[0].text
        assert [hit.kind for hit in await hits(session, "instead of subtracted")][:2] == ["moment", "diagnosis"]
        assert await hits(session, "nowhere to be found") == []
        (given,) = [hit for hit in await hits(session, "amount + discount") if hit.kind == "code"]
        assert timeline.checkpoints[given.checkpoint_id].node == "start"


async def test_a_step_tells_what_it_did_in_the_facts_beside_it(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "s.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        await to_end(session.fork(asked.checkpoint_id, {"max_calls": "9"}, run=False))
        await to_end(session.decide(asked.checkpoint_id, review.stop("enough")))
        by_node = {(at.node, at.branch): at.gist for at in await session.timeline()}
    assert by_node["diagnose", "main"] == "line 6: The discount is added instead of subtracted"
    assert by_node["rank", "main"] == "1 candidate, 1: line 6 `+` -> `-`"
    assert by_node["apply", "main"] == "took 1: line 6 `+` -> `-`"
    assert by_node["run_suite", "main"] == "was 1/2; now pass: discount"
    assert by_node["learn", "main"] == by_node["review_repair", "main"] == ""
    assert by_node["rank", "limits-1"] == "max calls: 9"
    assert by_node["review_repair", "stop-1"] == ""


async def test_a_search_begun_again_reads_what_was_saved_since(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "s.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert not [hit for hit in await hits(session, "VERSION = 2") if hit.kind == "code"]
        own = {"shop.py": "VERSION = 2\n\n" + shop_task().files["shop.py"].replace("+ disc", "- disc")}
        await to_end(session.decide(asked.checkpoint_id, review.edit({"changes": own})))
        assert [hit.where for hit in await hits(session, "VERSION = 2") if hit.kind == "code"] == ["shop.py"]
