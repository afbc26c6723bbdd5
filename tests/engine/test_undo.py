"""Everything that a human did can be taken back, and done again; nothing leaves the disk for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.engine.history.branch_names import act_words
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CheckpointSaved
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError
from selfheal_tui.store.acts import Act, fold
from selfheal_tui.store.decisions import new_decision

from .driving import FIXED, drain, options, shop_task, to_end, to_repair, to_review


async def _rows(session: Session) -> set[str]:
    return set((await session.timeline()).checkpoints)


async def test_an_undone_approval_asks_again_and_another_answer_is_the_one_used(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        everything = await _rows(session)
        undone = await session.branches.undo()
        assert (undone.kind, undone.words) == ("decision", "your approval of the repair")
        timeline = await session.timeline()
        assert await session.head() == asked.checkpoint_id
        assert timeline.checkpoints[asked.checkpoint_id].pending == "repair"
        assert timeline.branches["undone-1"].hidden == "undone"
        assert timeline.branches["undone-1"].outcome == "healed"
    row = workbench.list_sessions()[0]
    assert (row.outcome, row.reason) == ("waiting", "")
    async with workbench.open_session(session_id) as session:
        await session.branches.redo()
    assert workbench.list_sessions()[0].reason == "Both cases pass after 1 repair."
    async with workbench.open_session(session_id) as session:
        await session.branches.undo()
        again = await to_review(session.resume())
        assert again.checkpoint_id == asked.checkpoint_id
        own = FIXED + "\n\nVERSION = 2\n"
        ended = await to_end(session.decide(asked.checkpoint_id, review.edit({"changes": {"shop.py": own}})))
        assert (ended.snapshot.program, ended.snapshot.branch) == ({"shop.py": own}, "main")
        assert everything < await _rows(session)
        assert (await session.timeline()).branches["undone-1"].forked_from == asked.checkpoint_id


async def test_what_was_undone_is_done_again(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        before = await session.timeline()
        await session.branches.undo()
        await session.branches.undo()  # the approval of the diagnosis
        assert (await session.timeline()).branches["main"].outcome == "waiting"
        assert (await session.branches.redo()).words == "your approval of the diagnosis"
        await session.branches.redo()
        assert await session.timeline() == before
        with pytest.raises(InputError, match="nothing to do again"):
            await session.branches.redo()


async def test_a_lesson_is_offered_to_others_only_while_its_repair_stands(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        (lesson,) = workbench.lessons.all()
        await session.branches.undo()
        assert workbench.lessons.all() == [replace(lesson, used=False, taken_back=True)]
        await session.branches.redo()
        assert workbench.lessons.all() == [lesson]


async def test_a_decision_is_undone_while_its_run_still_works(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        events = session.decide(asked.checkpoint_id, review.approve())
        async for event in events:
            if isinstance(event, CheckpointSaved):
                break
        await events.aclose()
        await session.branches.undo()
        assert (await to_review(session.resume())).checkpoint_id == asked.checkpoint_id
        again = await to_review(session.decide(asked.checkpoint_id, review.reject("look again")))
        assert again.snapshot.feedback == ("look again",)


async def test_a_decision_that_has_not_taken_effect_never_will(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        decision = {"verdict": "stop", "value_ref": "", "pick": "", "note": "", "by": "human"}
        written = new_decision(asked.checkpoint_id, "main", "diagnosis", decision)
        await session.branches.began("decision", {"line": [asked.checkpoint_id, "main", 0]}, ["main"], written)
        await session.branches.undo()
        assert (await to_review(session.resume())).checkpoint_id == asked.checkpoint_id
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        assert (ended.snapshot.outcome, ended.snapshot.branch) == ("healed", "main")


def test_what_was_said_is_undone_by_its_words_and_another_fork_by_its_name() -> None:
    for said, words in (
        ("f(3) should be 5", "what you said: f(3) should be 5"),
        (["f(3) == 5", "g() == 1"], "what you said: f(3) == 5; g() == 1"),
        ({"call": "[c := C(), c.n()][-1]", "answer": "5"}, "your answer: c.n() (after c = C()) is 5"),
    ):
        assert act_words({"wrong": said}, "wrong-1") == words
    assert act_words({"model": "search"}, "search-1") == "the fork search-1"


async def test_a_fork_is_undone_and_brought_back(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await to_end(session.fork(asked.checkpoint_id, {"code": {"shop.py": FIXED}}))
        assert (await session.timeline()).stands == "edit-1"
        assert (await session.branches.undo()).words == "the fork edit-1"
        timeline = await session.timeline()
        assert (timeline.stands, timeline.branches["edit-1"].hidden) == ("main", "undone")
        await session.branches.go("edit-1")
        timeline = await session.timeline()
        assert (timeline.stands, timeline.branches["edit-1"].hidden) == ("edit-1", "")
        assert (await to_end(session.resume())).snapshot.outcome == "healed"


async def test_a_fork_that_has_saved_nothing_yet_is_what_undo_takes_back(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        await session.branches.note("main", "before the fork")
        await session.branches.began("fork", {"words": "the fork mine"}, ["mine"])
        assert (await session.branches.undo()).words == "the fork mine"
        assert await session.branches.stands() == "main"
        assert (await session.branches.undo()).words == "the note on main"


async def test_names_notes_pins_and_hiding_are_undone_in_their_order(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await drain(session.fork(asked.checkpoint_id, {}, "mine"))
        await session.branches.go("main")
        seen = [await session.timeline()]
        acts: list[tuple[str, Any]] = [
            ("rename", ("mine", "yours")), ("note", ("yours", "a try")), ("pin", ("yours",)), ("hide", ("yours",)),
            ("delete", ("yours",)),
        ]  # fmt: skip
        for name, arguments in acts:
            await getattr(session.branches, name)(*arguments)
            seen.append(await session.timeline())
        assert seen[-1].branches["yours"].hidden == "deleted"
        for before in reversed(seen[:-1]):
            await session.branches.undo()
            assert await session.timeline() == before
        for after in seen[1:]:
            await session.branches.redo()
            assert await session.timeline() == after


async def test_a_deleted_branch_is_gone_when_the_session_is_closed(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await to_end(session.fork(asked.checkpoint_id, {"code": {"shop.py": FIXED}}, "mine"))
        await session.branches.delete("mine")
        with pytest.raises(InputError, match="deleted already"):
            await session.branches.delete("mine")
        assert (await session.timeline()).stands == "main"
    size = workbench.list_sessions()[0].size_bytes
    async with workbench.open_session(session_id) as session:
        assert list((await session.timeline()).branches) == ["main"]
        with pytest.raises(InputError, match="nothing to undo"):
            await session.branches.undo()
    assert size > 0


async def test_a_deleted_branch_that_is_answered_on_stays(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        forked = await to_review(session.fork(asked.checkpoint_id, {}, "mine"))
        await session.branches.delete("mine")
        deleted = await session.timeline()
        await drain(session.decide(forked.checkpoint_id, review.approve()))
        answered = await session.timeline()
        assert answered.stands == "mine" and not answered.branches["mine"].hidden
        await session.branches.undo()
        assert (await session.timeline()).branches["mine"] == deleted.branches["mine"]
        await session.branches.redo()
    async with workbench.open_session(session_id) as session:
        timeline = await session.timeline()
        assert timeline.branches["mine"].head == answered.branches["mine"].head


async def test_a_lane_kept_after_its_deletion_is_deleted_again_by_undo(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await drain(session.race(asked.checkpoint_id, [{"max_iterations": 2}, {"max_iterations": 3}]))
        lane, other = list((await session.timeline()).branches)[1:]
        await session.branches.delete(lane)
        deleted = await session.timeline()
        await session.branches.keep(lane, [other])
        kept = await session.timeline()
        assert (kept.stands, kept.branches[lane].hidden, kept.branches[other].hidden) == (lane, "", "race")
        await session.branches.undo()
        assert await session.timeline() == deleted


async def test_a_renamed_branch_gets_its_name_back_from_one_that_took_it(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        seen = [await session.timeline()]
        with pytest.raises(InputError, match="Branch 'main' is called that already"):
            await session.branches.rename("main", "main")
        await session.branches.rename("main", "trunk")
        seen.append(await session.timeline())
        await to_end(session.fork(asked.checkpoint_id, {"code": {"shop.py": FIXED}}, "main"))
        seen.append(await session.timeline())
        healed = seen[-1].branches["main"].head
        await session.branches.undo()
        assert (await session.branches.undo()).words == "the renaming of main to trunk"
        timeline = await session.timeline()
        assert timeline.branches["main"].head == asked.checkpoint_id and not timeline.branches["main"].hidden
        assert (timeline.branches["undone-1"].head, timeline.branches["undone-1"].hidden) == (healed, "undone")
        assert timeline.branches.keys() == {"main", "undone-1"}
        for _ in range(2):
            await session.branches.redo()
        assert await session.timeline() == seen[-1]
        for _ in range(2):
            await session.branches.undo()
        assert await session.timeline() == timeline, "and again"


async def test_a_branch_with_the_name_of_one_that_is_gone_is_not_touched_by_its_acts(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await drain(session.fork(asked.checkpoint_id, {}, "mine"))
        await session.branches.note("mine", "of the first")
        await session.branches.rename("mine", "yours")
        await session.branches.delete("yours")
    async with workbench.open_session(session_id) as session:
        await drain(session.fork(asked.checkpoint_id, {}, "mine"))
        await drain(session.fork(asked.checkpoint_id, {}, "yours"))
        await session.branches.pin("mine")
        told = [(await session.branches.undo()).words for _ in range(3)]
        assert told == ["the pinning of mine", "the fork yours", "the fork mine"]
        with pytest.raises(InputError, match="nothing to undo"):
            await session.branches.undo()
        assert {name: mark.hidden for name, mark in (await session.timeline()).branches.items()} == {
            "main": "",
            "mine": "undone",
            "yours": "undone",
        }


async def test_what_a_branch_starts_from_stays_though_it_was_deleted_before(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        first = (await drain(session.fork(asked.checkpoint_id, {}, "first")))[-1]
        second = (await drain(session.fork(first.checkpoint_id, {}, "second")))[-1]  # type: ignore[union-attr]
        await session.branches.delete("second")
        await session.branches.delete("first")
        await session.branches.hide("second", False)
        await drain(session.fork(second.checkpoint_id, {}, "third"))  # type: ignore[union-attr]
    async with workbench.open_session(session_id) as session:
        timeline = await session.timeline()
        assert list(timeline.branches) == ["main", "first", "second", "third"]
        assert all(checkpoint.parent_id in timeline.checkpoints for checkpoint in list(timeline)[1:])
        gone = await session.branches.purge()
        assert gone.checkpoints == 0


async def test_the_branch_that_a_session_began_with_and_one_that_is_needed_stay(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        last = (await drain(session.fork(asked.checkpoint_id, {}, "mine")))[-1]
        await drain(session.fork(last.checkpoint_id, {}, "child"))  # type: ignore[union-attr]
        with pytest.raises(InputError, match="where the session began"):
            await session.branches.delete("main")
        with pytest.raises(InputError, match="starts from 'mine': child"):
            await session.branches.delete("mine")
        with pytest.raises(InputError, match="goes on"):
            await session.branches.hide("child")
        await session.branches.delete("child")
        await session.branches.delete("mine")
        gone = await session.branches.purge()
        assert gone.checkpoints > 0
        assert list((await session.timeline()).branches) == ["main"]


def test_the_journal_folds_like_a_stack() -> None:
    def act(number: int, kind: str, of: int = 0) -> Act:
        return Act(number, kind, {"of": of} if of else {}, "")

    rows = [act(1, "fork"), act(2, "note"), act(3, "undo", 2), act(4, "undo", 1), act(5, "redo", 1)]
    assert [[a.id for a in part] for part in (fold(rows).done, fold(rows).undone)] == [[1], [2]]
    rows.append(act(6, "pin"))
    assert [[a.id for a in part] for part in (fold(rows).done, fold(rows).undone)] == [[1, 6], []]
