"""Comments on lines: what the next attempt reads, where they stand afterwards, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.review import Answer, Comment
from selfheal_tui.engine.out.export.html import page
from selfheal_tui.engine.out.export.markdown import markdown
from selfheal_tui.engine.out.tell import tell_decisions, tell_story
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.engine.session.commenting import comment_from
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import BUGGY, DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_repair, to_review

FIRST = BUGGY.replace("amount + discount", "abs(amount - discount)")
HERE: Comment = {"path": "shop.py", "line": 6, "text": "abs hides a negative total"}
SAYS = 'shop.py line 6, "return abs(amount - discount)": abs hides a negative total'


def _model(tmp_path: Path) -> str:
    return script(
        tmp_path / "replies.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": [SAYS], "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(FIRST)},
    )


def _with(answer: Answer, *comments: Comment) -> Answer:
    return {**answer, "comments": list(comments)}


async def test_a_rejection_takes_its_comments_to_the_next_attempt(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        again = await to_review(session.decide(asked.checkpoint_id, _with(review.reject(""), HERE)))
        assert again.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}, "the model read the comment"
        assert again.snapshot.feedback == (f"Comments on the proposal:\n  on {SAYS}",)
        (rejected,) = [c for c in await session.timeline() if c.decision and c.decision["verdict"] == "reject"]
        assert rejected.decision is not None and rejected.decision["comments"] == "1"
        story = await tell_story(session, "main")
        told = [one async for one in tell_decisions(session)]
    (decision,) = [one for row in story["iterations"] for one in row["decisions"] if one["comments"]]
    assert decision["comments"] == [{**HERE, "quoted": "return abs(amount - discount)", "pick": "1"}]
    assert [one["comments"] for one in told if one["verdict"] == "reject"] == [decision["comments"]]
    assert "- comment on shop.py line 6" in markdown(story) and "comment on shop.py line 6" in page(story)


async def test_an_edits_comments_stand_with_what_was_tried(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        removed: Comment = {"path": "shop.py", "line": 6, "text": "this sign was right", "removed": True}
        edit = review.edit({"changes": {"shop.py": BUGGY.replace("amount = 0", "amount = 0.0")}})
        after = await to_review(session.decide(asked.checkpoint_id, _with(edit, removed)))
        (record,) = after.snapshot.records
    assert record["comments"] == [{**removed, "quoted": "return amount + discount", "pick": "1"}]


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ({"path": "other.py", "line": 1, "text": "x"}, "no file 'other.py'"),
        ({"path": "shop.py", "line": 70, "text": "x"}, "no line 70"),
        ({"path": "shop.py", "line": 1, "text": "  "}, "is empty"),
        ({"path": "shop.py", "line": 1, "text": "x" * 501}, "at most 500"),
        ({"path": "shop.py", "line": 1, "text": "x", "pick": "9"}, "no candidate '9'"),
    ],
)
async def test_a_comment_on_nothing_is_refused(
    workbench: Workbench, tmp_path: Path, comment: Comment, says: str
) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        with pytest.raises(InputError, match=says):
            await drain(session.decide(asked.checkpoint_id, _with(review.reject("no"), comment)))


async def test_unsent_comments_are_kept_and_an_undone_answer_gives_them_back(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await session.comments.save(asked.checkpoint_id, [HERE])
    async with workbench.open_session(session_id) as session:
        assert await session.comments.load(asked.checkpoint_id) == [HERE]
        await to_review(session.decide(asked.checkpoint_id, _with(review.reject(""), HERE)))
        assert await session.comments.load(asked.checkpoint_id) == []
        await session.branches.undo()
        (kept,) = await session.comments.load(asked.checkpoint_id)
        assert kept["text"] == HERE["text"]
        await session.branches.redo()
        assert await session.comments.load(asked.checkpoint_id) == []
    path = tmp_path / "handed.selfheal"
    write_session_file(workbench.store.folder(session_id), path, {}, "/nowhere")
    imported = await read_session(workbench.store, path)
    async with workbench.open_session(imported.session_id) as session:
        assert [c.decision["comments"] for c in await session.timeline() if c.decision and "comments" in c.decision]
        assert json.dumps(HERE["text"]) in json.dumps([one async for one in tell_decisions(session)])


def test_a_comment_is_read_from_one_word() -> None:
    assert comment_from("a/b.py:12:not: here") == {"path": "a/b.py", "line": 12, "text": "not: here"}
    assert comment_from("a.py:-3:keep it") == {"path": "a.py", "line": 3, "text": "keep it", "removed": True}
    for wrong in ("a.py", "a.py:12", "a.py:12:", "a.py:x:text", ":1:text"):
        with pytest.raises(InputError, match="no comment on a line"):
            comment_from(wrong)


async def test_the_search_leaves_commented_lines_alone(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        after = await drain(session.decide(asked.checkpoint_id, _with(review.reject("Not here."), HERE)))
        (rejected,) = [c for c in await session.timeline() if c.decision and c.decision["verdict"] == "reject"]
        decision = (await session.snapshot(rejected.id)).decision
    assert decision is not None and decision["avoid"] == [
        {
            "what": "line",
            "file": "shop.py",
            "line": 6,
            "text": "return amount + discount",
            "cases": ["test_shop.py::test_discount"],
        }
    ]
    for event in after:
        if isinstance(event, ReviewRequested):
            texts = [repair["changes"]["shop.py"] for repair in event.snapshot.candidates.values()]
            assert all("    return amount + discount\n" in text for text in texts)
