"""Taking a repair in part: what is asked, what is sent, and that nothing is taken unseen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest

from selfheal_tui.engine.moment.events import Event, RunFinished
from selfheal_tui.engine.moment.review import approve, edit
from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.key_row import KeyRow
from selfheal_tui.ui.kit.suite_table import SuiteTable
from selfheal_tui.ui.run.cards.candidate_list import CandidateList
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import CANDIDATES, CODE, FIXED, FakeSession, settle, two_hunks
from tests.ui.running import SIZES, Run, running


class TakesBack(FakeSession):
    """Stands at the question about the repair again once something was undone."""

    @classmethod
    def two_hunks(cls) -> TakesBack:
        session = cls("s1")
        session.candidates = two_hunks().candidates
        return session

    async def head(self) -> str | None:
        if not self.branches.undone:
            return await super().head()
        self._pend("c5", "repair")
        return "c5"

    async def at_end(self) -> AsyncGenerator[Event, None]:
        yield RunFinished(self._snapshots[self._checkpoints[-1].id])


def candidate_rows(run: Run) -> list[str]:
    """Return the lines of the list of candidates, as they are painted."""
    rows = run.screen.query_one(CandidateList)
    return [rows.render_line(y).text for y in range(rows.size.height)]


def diff_lines(run: Run) -> list[str]:
    view = run.screen.query_one(DiffView)
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("repairer", "The models are told what you leave out."),
        ("search", "If the search proposes again what you leave out"),
    ],
)
async def test_a_card_says_what_becomes_of_what_is_left_out(by: str, said: str) -> None:
    session = two_hunks()
    session.candidates["a"]["by"] = by
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "space")
        await run.settle()
        assert said in run.side_text()


@SIZES
async def test_a_hunk_is_left_out_tried_and_sent(size: tuple[int, int]) -> None:
    async with running(two_hunks(), size=size) as run:
        await run.press("a")
        assert [line.split("   ")[1][:5] for line in diff_lines(run) if " of 2: " in line]
        assert sum("[x]" in line for line in diff_lines(run)) == 2
        await run.press("space")
        assert run.session.tried == [{"intervals.py": FIXED}]
        assert any("[ ] hunk 1 of 2: left out" in line for line in diff_lines(run))
        assert "hunk 2 is taken, hunk 1 left out" in run.side_text() and "These hunks alone" in run.side_text()
        assert "every test passes" in run.side_text()
        assert "in part" in candidate_rows(run)[0] and "fixes" not in candidate_rows(run)[0]
        await run.press("a")
        assert run.session.decisions[1] == ("c5", edit({"hunks": [2]}, pick="a"))


async def test_j_moves_and_the_others_verdict_is_theirs() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "j", "space")
        assert run.session.tried == [{"intervals.py": CODE.replace("Half-open intervals.", "Intervals.")}]
        assert "2 tests still not passing" in run.side_text() and "fixes nothing" in run.side_text()
        report, *_ = run.screen.query_one("#tests SuiteTable", SuiteTable)._shown
        assert report is not None and report["failed"] == 2
        await run.press("space")
        assert "every test passes" in run.side_text() and "left out" not in run.side_text()
        await run.press("a")
        assert run.session.decisions[1] == ("c5", approve())


async def test_a_choice_is_kept_with_its_candidate() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "2")
        assert "left out" not in run.side_text() and not any("[x]" in line for line in diff_lines(run))
        await run.press("space")
        assert len(run.session.tried) == 1
        await run.press("1")
        assert "hunk 2 is taken, hunk 1 left out" in run.side_text()
        assert any("[ ] hunk 1 of 2" in line for line in diff_lines(run))
        await run.press("left_square_bracket", "n")
        assert "hunk 2 is taken, hunk 1 left out" in run.side_text()
        assert len(run.session.tried) == 1


def one_choice(run: Run) -> bool:
    """Tell whether list, card and diff show the same choice: the first of two hunks is left out."""
    return (
        "in part" in candidate_rows(run)[0]
        and "hunk 2 is taken, hunk 1 left out" in run.side_text()
        and any("[ ] hunk 1 of 2: left out" in line for line in diff_lines(run))
    )


@SIZES
async def test_an_undo_brings_the_choice_back_everywhere(size: tuple[int, int]) -> None:
    session = TakesBack.two_hunks()
    async with running(session, size=size) as run:
        await run.press("a", "space", "a")
        assert session.decisions[1] == ("c5", edit({"hunks": [2]}, pick="a"))
        await run.press("u")
        assert one_choice(run)
        await run.press("a")
        assert session.decisions[2] == ("c5", edit({"hunks": [2]}, pick="a"))


async def test_an_undo_after_a_restart_brings_the_choice_back() -> None:
    session = TakesBack.two_hunks()
    async with running(session) as run:
        await run.press("a", "space", "a")
    session.resume = session.at_end  # type: ignore[method-assign]
    async with running(session) as run:
        await run.press("u")
        assert one_choice(run)
        await run.press("space")
        assert "left out" not in run.side_text() and "in part" not in candidate_rows(run)[0]


@SIZES
async def test_a_choice_is_there_when_the_session_is_opened_again(size: tuple[int, int]) -> None:
    session = two_hunks()
    async with running(session, size=size) as run:
        await run.press("a", "space")
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session, size=size) as run:
        assert one_choice(run) and "every test passes" in run.side_text()
        await run.press("a")
        assert session.decisions[1] == ("c5", edit({"hunks": [2]}, pick="a"))


async def test_a_choice_of_other_hunks_than_there_are_is_none() -> None:
    session = two_hunks()
    async with running(session) as run:
        await run.press("a")
    session.resume = session.ask_again  # type: ignore[method-assign]
    session.choices.kept["c5"] = [{"label": "a", "left_out": [0, 1, 7]}, {"label": "gone", "marked": True}]
    async with running(session) as run:
        assert one_choice(run)


async def test_a_question_of_the_past_shows_the_choice_that_answered_it() -> None:
    session = TakesBack.two_hunks()
    async with running(session) as run:
        await run.press("a", "space", "a")
    session.resume = session.at_end  # type: ignore[method-assign]
    session.choices.kept.clear()
    async with running(session) as run:
        await run.press(*["left_square_bracket"] * 2)
        assert run.screen.model.past is not None and run.screen.model.past.checkpoint_id == "c5"
        assert one_choice(run)
        assert not session.choices.kept, "who only looks has chosen nothing"
        await run.press("2", "1", "a")
        assert session.decisions[-1] == ("c5", edit({"hunks": [2]}, pick="a"))


async def test_what_is_not_tried_yet_is_not_taken() -> None:
    class Slow(FakeSession):
        async def try_suite(self, checkpoint_id: str, changes: Mapping[str, str]) -> AsyncGenerator[Any, None]:
            await gate.wait()
            async for event in super().try_suite(checkpoint_id, changes):
                yield event

    gate = asyncio.Event()
    played = Slow("s1")
    played.candidates = two_hunks().candidates
    async with running(played) as run:
        await run.press("a")
        for key, said in (("space", "trying these hunks"), ("a", "still being tried")):
            await run.pilot.press(key)
            await settle(run.pilot, held="try")
            assert said in run.side_text()
        assert len(run.session.decisions) == 1
        gate.set()
        await run.settle()
        await run.press("a")
        assert run.session.decisions[1][1]["verdict"] == "edit"


async def test_no_hunk_is_no_answer_and_a_part_is_no_rule() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "j", "space", "a")
        assert len(run.session.decisions) == 1 and "No hunk is taken" in run.side_text()
        assert len(run.session.tried) == 1, "no hunk at all is the program as it was: nothing is run"
        await run.press("space", "A", "3", "enter")
        assert len(run.session.decisions) == 1 and "whole repair" in run.side_text()


async def test_the_editor_opens_with_the_part_and_knows_its_candidate() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "e")
        editor = run.screen.query_one(CodeEditor)
        assert editor.text == FIXED
        editor.load_text(FIXED + "# mine\n")
        await run.press("ctrl+s")
        assert run.session.decisions[1][1] == edit({"changes": {"intervals.py": FIXED + "# mine\n"}}, pick="a")


async def test_space_is_dead_elsewhere() -> None:
    async with running(two_hunks()) as run:
        await run.press("space", "a", "v", "space")
        assert run.session.tried == [] and "left out" not in run.side_text()


def two_mistakes() -> FakeSession:
    """Return a session with two repairs of one hunk each, at different places."""
    session = FakeSession("s1")
    other = {"intervals.py": CODE.replace("Half-open intervals.", "Intervals.")}
    mark = {"kind": "data", "why": "It changes a constant, `LIMIT`."}
    session.candidates = {"a": CANDIDATES["a"], "b": {**CANDIDATES["b"], "changes": other, "marks": [mark]}}
    return session


async def test_space_marks_candidates_that_are_taken_together() -> None:
    async with running(two_mistakes()) as run:
        await run.press("a", "space", "2", "space")
        assert [row[:4] for row in candidate_rows(run)] == [" ◉1 ", "▶◉2 "]
        assert "approve 1 + 2" in str(run.screen.query_one(RepairCard).query_one(KeyRow).render())
        assert "It changes a constant, `LIMIT`." in run.side_text()
        joined = {"intervals.py": FIXED.replace("Half-open intervals.", "Intervals.")}
        assert run.session.tried == [joined] and "repairs 1 + 2 together · ✓ every test passes" in run.side_text()
        for key in ("1", "3"):
            await run.press(key)
            assert "approve repairs 1 + 2 together?" in str(run.screen.side.border_title)
            assert [new for _, _, new in run.screen.query_one(DiffView).files] == [joined["intervals.py"]]
        assert len(run.session.tried) == 1
        await run.press("c")
        told = [note.message for note in run.app._notifications]
        assert told[-1] == "Repairs 1 + 2 together take no comment: take a mark back first (space)."
        await run.press("a")
        assert run.session.decisions[1] == ("c5", {**approve("a"), "together": ["a", "b"]})


async def test_marks_are_there_when_the_session_is_opened_again() -> None:
    session = two_mistakes()
    async with running(session) as run:
        await run.press("a", "space", "2", "space")
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session) as run:
        assert [row[:3] for row in candidate_rows(run)] == ["▶◉1", " ◉2"]
        assert "repairs 1 + 2 together · ✓ every test passes" in run.side_text()
        await run.press("a")
        assert session.decisions[1] == ("c5", {**approve("a"), "together": ["a", "b"]})


async def test_one_mark_alone_changes_nothing_of_what_is_asked() -> None:
    async with running(two_mistakes()) as run:
        await run.press("a", "2", "space", "1")
        assert "approve repair 1 of 2?" in str(run.screen.side.border_title)
        keys = str(run.screen.query_one(RepairCard).query_one(KeyRow).render())
        assert "comment" in keys and "always" in keys
        await run.press("a")
        assert run.session.decisions[1] == ("c5", approve()), "what is shown is taken"


async def test_marked_candidates_that_do_not_fit_are_not_taken() -> None:
    session = two_mistakes()
    session.candidates = CANDIDATES
    async with running(session) as run:
        await run.press("a", "space", "2", "space")
        assert "repairs 1 + 2 cannot go together" in str(run.screen.side.border_title)
        assert "they change the same lines of intervals.py" in run.side_text() and not run.app._notifications
        await run.press("a")
        assert run.side_text().count("they change the same lines of intervals.py") == 1
        assert len(run.session.decisions) == 1
        await run.press("space", "a")
        assert run.session.decisions[1][1]["pick"] == "b"


async def test_after_a_choice_only_keys_that_answer_wait_until_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(two_hunks()) as run:
        await run.press("a")
        monkeypatch.setattr(Arming, "QUIET", 3600.0)
        await run.press("space", "a")
        assert len(run.session.decisions) == 1 and "press it again" in run.side_text()
        await run.press("2")
        assert "repair 2 of 2" in str(run.screen.side.border_title)


async def test_where_no_hunk_is_taken_there_is_nothing_to_approve() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "j", "space")
        assert "no hunk is taken" in run.side_text()
        card = run.screen.side.card
        assert card is not None and next(iter(card.keys()))[2] == "edit", "nothing to approve"
