"""Decisions as research data: every one once, with what was proposed, what came of it and which prompt wrote it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.out.export.decisions import FIELDS, FORMAT
from selfheal_tui.engine.out.tell import tell_decisions, tell_story
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench

from .driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task, to_end, to_repair, to_review

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "decisions.md"
USAGE = {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.01}
ANSWERS: tuple[dict[str, Any], ...] = (
    {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
    {"role": "repairer", "reply": repair_reply(FIXED), "usage": USAGE},
)


async def told(session: Session, branch: str | None = None) -> list[dict[str, Any]]:
    found = [one async for one in tell_decisions(session, branch)]
    assert all(tuple(one) == FIELDS and one["format"] == FORMAT for one in found)
    assert json.loads(json.dumps(found)) == found, "plain JSON"
    return found


async def test_every_verdict_is_told_with_what_came_of_it(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        better = {**DIAGNOSIS, "cause": "A wrong sign."}
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit(better, "Say it shorter.")))
        first = asked.checkpoint_id
        edit = {"changes": {"shop.py": FIXED + "\n"}}
        await to_end(session.decide(first, review.edit(edit)))
        await to_review(session.decide(first, review.reject("Not so.")))
        found = await told(session)
        assert await told(session, "main") == [one for one in found if one["branch"] == "main"]
    diagnosis, repair, ended, refused = found
    assert (diagnosis["kind"], diagnosis["verdict"], diagnosis["by"]) == ("diagnosis", "edit", "human")
    assert diagnosis["proposal"]["cause"] == DIAGNOSIS["cause"] and diagnosis["note"] == "Say it shorter."
    assert diagnosis["edited"] == {**better, "by": "human"} and diagnosis["diff"] == ""
    (call,) = diagnosis["calls"]
    assert (call["role"], call["prompt_name"], len(call["prompt_sha256"])) == ("debugger", "debugger", 64)
    assert (call["input_tokens"], call["cost_usd"], call["replayed"]) == (10, 0.01, False)
    assert (repair["kind"], repair["verdict"], repair["edited"]) == ("repair", "edit", edit)
    assert repair["proposal"]["candidates"]["1"]["changes"] == {"shop.py": FIXED}
    assert [one["role"] for one in repair["calls"]] == ["repairer"]
    assert (repair["before"]["passed"], repair["after"]["passed"], repair["iteration"]) == (1, 2, 0)
    assert (ended["kind"], ended["by"], ended["before"]["passed"]) == ("end", "policy", 2)
    assert (refused["verdict"], refused["note"], refused["after"]) == ("reject", "Not so.", None)
    assert refused["branch"] != "main" and refused["asked_at"] == repair["asked_at"] == first
    assert refused["calls"] == repair["calls"], "the same proposal, by the same call"


async def test_rules_and_forks_are_told_apart(workbench: Workbench, tmp_path: Path) -> None:
    """A rule that was made at one bug decides the next one; a fork is a human's act without a question."""
    broken = BUGGY.replace("amount = 0", "amount = 0.0")
    cure = repair_reply(FIXED.replace("amount = 0", "amount = 0.0"))
    other = {"role": "repairer", "when": "amount = 0.0", "reply": cure, "usage": USAGE}
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", other, *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        answer: review.Answer = {**review.approve(), "rule_lines": 3}
        ended = await to_end(session.decide(asked.checkpoint_id, answer))
        at = next(c.id for c in await session.timeline() if c.node == "apply")
        forked = session.fork(at, {"code": {"shop.py": broken}, "autonomy": "review_repairs"}, "again")
        asked = await to_review(forked)
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        found = await told(session, "again")
    assert ended.snapshot.rules
    assert [one["rule_lines"] for one in found if one["kind"] == "repair"] == [3, 0]
    fork = next(one for one in found if one["kind"] == "fork")
    assert (fork["verdict"], fork["by"], fork["proposal"], fork["calls"]) == ("fork", "human", None, [])
    assert "-    return amount - discount\n+    return amount + discount" in fork["diff"]
    assert fork["edited"] is None, "the autonomy was the same"
    assert (fork["branch"], fork["before"]["passed"], fork["after"]["passed"]) == ("again", 1, 1)
    ruled = next(one for one in found if one["by"] == "rule")
    assert (ruled["rule"], ruled["verdict"], ruled["branch"]) == ("rule 1", "approve", "again")


async def test_what_a_fork_sets_is_told(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        changes = {"feedback": "Mind the sign.", "model": {"repairer": "search"}, "autonomy": "review_all"}
        await to_review(session.fork(asked.checkpoint_id, changes, "other"))
        (fork,) = await told(session, "other")
    assert fork["edited"]["feedback"] == ["Mind the sign."] and fork["edited"]["autonomy"] == "review_all"
    assert fork["edited"]["models"]["repairer"] == "search" and set(fork["edited"]) == {
        "feedback",
        "models",
        "autonomy",
    }


async def test_a_search_that_proposes_names_no_prompt(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        found = await told(session)
    assert [one["kind"] for one in found] == ["diagnosis", "repair", "end"]
    assert all(one["calls"] == [] and one["by"] == "policy" for one in found)


def test_the_document_names_every_field_and_its_example_is_one() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert tuple(re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)) == FIELDS
    (example,) = re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)
    assert tuple(json.loads(example)) == FIELDS and json.loads(example)["format"] == FORMAT


async def test_a_fork_at_a_decided_moment_is_told_as_a_fork_and_the_decision_once(
    workbench: Workbench, tmp_path: Path
) -> None:
    model = script(tmp_path / "m.yaml", *ANSWERS)
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        decided = next(c for c in await session.timeline() if c.decision and c.decision["kind"] == "repair")
        await to_end(session.fork(decided.id, {"max_iterations": 9}, "more"))
        records = await told(session)
        story = await tell_story(session, "more")
        timeline = await session.timeline()
    records = [one for one in records if one["kind"] != "end"]
    assert [(one["kind"], one["verdict"], one["branch"]) for one in records] == [
        ("diagnosis", "approve", "main"),
        ("repair", "approve", "main"),
        ("fork", "fork", "more"),
    ]
    assert records[-1]["edited"]["limits"]["max_iterations"] == 9
    entries = [(one["kind"], one["branch"]) for iteration in story["iterations"] for one in iteration["decisions"]]
    entries = [entry for entry in entries if entry[0] != "end"]
    assert entries == [("diagnosis", "main"), ("repair", "main"), ("fork", "more")]
    assert [c.decision for c in timeline if c.parent_id == decided.id and c.branch == "more"] == [None]
