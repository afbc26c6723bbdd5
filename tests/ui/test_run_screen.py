"""The run screen over a fake session: what keys decide, what they must not, and where the past shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from textual import events
from textual.widgets import Input, Static, TabbedContent, TextArea

from selfheal_tui.engine.moment.events import Event, LaneTold, NodeStarted, RunFailed
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.errors import ProviderError
from selfheal_tui.search.blame import NO_EDIT_LEFT
from selfheal_tui.store.acts import Act
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.kit.key_row import KeyRow
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.tabs.evidence import Evidence
from selfheal_tui.ui.screens.sessions import SessionsScreen
from tests.ui.fakes import CODE, DIAGNOSIS, FIXED, FakeSession, FakeWorkbench
from tests.ui.running import SIZES, running


@SIZES
async def test_approving_twice_heals(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        assert run.screen.query_one(TabbedContent).active == "code"
        await run.press("a")
        assert run.screen.query_one(TabbedContent).active == "diff"
        await run.press("a")
        assert run.session.decisions == [("c3", approve()), ("c5", approve())]
        assert run.screen.model.outcome == "healed"
        assert "intervals.py" in run.side_text()


async def test_enter_and_space_decide_nothing() -> None:
    async with running() as run:
        await run.press("enter", "space", "tab", "enter")
        assert run.session.decisions == []


async def test_keys_typed_before_the_card_was_painted_do_not_count() -> None:
    stall = asyncio.Event()
    async with running(FakeSession("s1", stall=stall)) as run:
        await run.press("a")
        early = [events.Key("a", "a"), events.Key("s", "s")]
        stall.set()
        await run.settle()
        assert run.screen.model.question is not None
        for key in early:
            run.app.post_message(key)
        await run.settle()
        assert run.session.decisions == []
        assert not run.screen.query_one(InlinePrompt).is_open
        await run.press("a")
        assert run.session.decisions == [("c3", approve())]


async def test_a_rejection_needs_a_reason() -> None:
    async with running() as run:
        await run.press("r", "enter")
        assert run.session.decisions == []
        assert "A reason is needed" in run.side_text()
        await run.press(*"a no")
        await run.press("enter")
        checkpoint_id, answer = run.session.decisions[0]
        assert (checkpoint_id, answer["verdict"], answer["note"]) == ("c3", "reject", "a no")
        assert "second thoughts" in run.side_text()


async def test_escape_keeps_the_reason_and_decides_nothing() -> None:
    async with running() as run:
        await run.press("r", "x", "y", "escape", "r")
        assert run.screen.query_one("#prompt Input", Input).value == "xy"
        assert run.session.decisions == []


async def test_stopping_asks_first() -> None:
    async with running() as run:
        await run.press("s", "escape")
        assert run.session.decisions == []
        await run.press("s", "enter")
        assert run.session.decisions[0][1]["verdict"] == "stop"
        assert run.screen.model.outcome == "stopped"


async def test_a_wrong_diagnosis_is_told_at_its_field() -> None:
    async with running() as run:
        await run.press("e")
        run.screen.query_one("#form-cause", TextArea).load_text("")
        run.screen.query_one("#form-confidence", Input).value = "1.5"
        run.screen.query_one("#form-evidence", TextArea).load_text("nonsense")
        await run.press("ctrl+s")
        assert run.session.decisions == []
        assert "file:line" in str(run.screen.query_one("#problem-evidence", Static).render())
        run.screen.query_one("#form-evidence", TextArea).load_text("intervals.py:8 here")
        await run.press("ctrl+s")
        assert "must not be empty" in str(run.screen.query_one("#problem-cause", Static).render())
        assert "at most 1" in str(run.screen.query_one("#problem-confidence", Static).render())
        run.screen.query_one("#form-cause", TextArea).load_text("mine")
        run.screen.query_one("#form-confidence", Input).value = "1"
        await run.press("ctrl+s")
        answer = run.session.decisions[0][1]
        assert answer["verdict"] == "edit"
        value = answer["value"]
        assert value is not None
        assert (value["cause"], value["confidence"], value["by"]) == ("mine", 1.0, "human")
        assert value["evidence"] == [{"file": "intervals.py", "line": 8, "why": "here"}]


JOINED: Diagnosis = {
    **DIAGNOSIS,
    "cause": " Spans that  only touch\ncount as overlapping. ",
    "evidence": [
        {
            "file": "intervals.py",
            "line": 8,
            "why": "`<=`  becomes `<`\nhere",
            "also": [{"file": "intervals.py", "line": 15, "edit": "`<=` becomes `<`"}],
        },
        DIAGNOSIS["evidence"][1],
    ],
    "confidence": 0.8212345678,
    "disproof": "It is\nnot. ",
}


async def test_what_is_not_touched_in_the_form_stays_as_it_was() -> None:
    played = FakeSession("s1")
    played.diagnosis = JOINED
    async with running(played) as run:
        await run.press("e")
        run.screen.query_one("#form-strategy", TextArea).load_text("Mine.")
        await run.press("ctrl+s")
        value = run.session.decisions[0][1]["value"]
    assert value == {**JOINED, "strategy": "Mine.", "by": "human"}


async def test_a_reason_that_is_edited_keeps_the_edits_that_go_with_its_line() -> None:
    played = FakeSession("s1")
    played.diagnosis = JOINED
    async with running(played) as run:
        await run.press("e")
        field = run.screen.query_one("#form-evidence", TextArea)
        field.load_text(f"intervals.py:8 mine\n{field.text.splitlines()[1]}")
        await run.press("ctrl+s")
        value = run.session.decisions[0][1]["value"]
    assert value is not None
    assert value["evidence"] == [{**JOINED["evidence"][0], "why": "mine"}, JOINED["evidence"][1]]


async def test_an_edit_of_a_place_that_was_picked_is_told_with_its_number() -> None:
    async with running() as run:
        await run.press("2", "e")
        run.screen.query_one("#form-strategy", TextArea).load_text("Mine.")
        await run.press("ctrl+s")
        assert run.session.decisions[0][1]["pick"] == "2"


@SIZES
async def test_where_no_edit_is_left_the_card_names_keys_and_the_code_can_be_written_there(
    size: tuple[int, int],
) -> None:
    played = FakeSession("s1")
    played.diagnosis = {**DIAGNOSIS, "strategy": NO_EDIT_LEFT}
    async with running(played, size=size) as run:
        card = str(run.screen.query_one("DiagnosisCard .card-text", Static).render())
        assert "m asks a model, and f, then “code”, opens the editor." in card and "selfheal " not in card
        await run.press("f", *"code")
        await run.press("enter")
        assert run.screen.query_one(CodeEditor).text == CODE
        run.screen.query_one(CodeEditor).load_text(FIXED)
        await run.press("escape")
        assert "your code is kept: f, then code opens it" in " ".join(run.side_text().split())
        await run.press("f", *"code")
        await run.press("enter")
        assert run.screen.query_one(CodeEditor).text == FIXED, "what was left is found again"
        await run.press("ctrl+s")
        assert run.session.fork_changes == [{"code": {"intervals.py": FIXED}}] and run.session.decisions == []


async def test_leaving_the_form_keeps_its_text() -> None:
    async with running() as run:
        await run.press("e")
        run.screen.query_one("#form-cause", TextArea).load_text("half a thought")
        await run.press("escape", "e")
        assert run.screen.query_one("#form-cause", TextArea).text == "half a thought"


async def test_the_form_begins_with_the_place_that_the_card_shows() -> None:
    async with running() as run:
        await run.press("e", "escape", "2")
        card = str(run.screen.query_one("DiagnosisCard .card-text", Static).render())
        await run.press("e")
        cause = run.screen.query_one("#form-cause", TextArea).text
        assert "line 15" in cause and card.startswith(cause)
        assert run.screen.query_one("#form-evidence", TextArea).text == "intervals.py:15 calls it for every pair"
        await run.press("escape", "1", "e")
        assert run.screen.query_one("#form-cause", TextArea).text == DIAGNOSIS["cause"]


async def test_an_edited_repair_must_parse() -> None:
    async with running() as run:
        await run.press("a", "e")
        editor = run.screen.query_one(CodeEditor)
        assert editor.has_focus
        assert editor.text == FIXED
        editor.load_text(FIXED + "def broken(:\n")
        await run.press("ctrl+s")
        assert len(run.session.decisions) == 1
        assert "line 20" in str(run.screen.query_one("#edit-problem", Static).render())
        assert editor.cursor_location[0] == 19
        await run.press("escape")
        assert run.screen.query_one(TabbedContent).active == "diff"
        await run.press("e")
        assert editor.text.endswith("def broken(:\n")
        editor.load_text(FIXED + "# mine\n")
        await run.press("ctrl+s")
        assert run.session.decisions[1][1].get("value") == {"changes": {"intervals.py": FIXED + "# mine\n"}}


async def test_an_edit_that_changes_nothing_is_not_sent() -> None:
    async with running() as run:
        await run.press("a", "e")
        run.screen.query_one(CodeEditor).load_text(CODE)
        await run.press("ctrl+s")
        assert len(run.session.decisions) == 1
        assert "Nothing differs" in str(run.screen.query_one("#edit-problem", Static).render())


async def test_another_candidate_is_shown_and_approved() -> None:
    async with running() as run:
        await run.press("a", "2")
        assert "1 test still not passing" in run.side_text()
        await run.press("a")
        assert run.session.decisions[1] == ("c5", approve("b"))


async def test_a_refused_answer_leaves_the_question_open() -> None:
    async with running() as run:
        await run.press("r", *"refuse", "space", *"me")
        await run.press("enter")
        assert "cannot be used" in run.side_text()
        await run.press("escape", "a")
        assert run.session.decisions == [("c3", approve())]


@SIZES
async def test_the_past_is_marked_and_left(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        await run.press("a", "left_square_bracket", "left_square_bracket")
        assert run.screen.model.position == "c3"
        assert run.screen.query_one("#past-banner").region.height == 1
        assert "again" in str(run.screen.query_one(Side).border_title)
        await run.press("n")
        assert run.screen.model.position == "c5"
        assert run.screen.query_one("#past-banner").region.height == 0


async def test_an_old_question_is_answered_again_on_a_new_branch() -> None:
    async with running() as run:
        await run.press("a", "left_square_bracket", "left_square_bracket", "a")
        assert [c for c, _ in run.session.decisions] == ["c3", "c3"]
        assert run.screen.model.past is None
        assert set(run.screen.model.timeline.branches) == {"main", "branch-2"}


async def test_a_fork_starts_at_the_moment_shown() -> None:
    async with running() as run:
        await run.press("a", "left_square_bracket", "left_square_bracket", "left_square_bracket", "f")
        await run.press(*"try", "enter")
        assert run.session.forks == [("c2", "try")]
        assert run.screen.model.timeline.branches["try"].forked_from == "c2"


async def test_a_fork_can_ask_the_models_afresh() -> None:
    async with running() as run:
        await run.press("f", "exclamation_mark", *"new", "enter")
        assert (run.session.forks, run.session.fork_changes) == ([("c3", "new")], [{"afresh": "yes"}])


async def test_another_model_is_a_fork_from_here() -> None:
    async with running() as run:
        await run.press("m", *"debugger=scripted:a.yaml", "enter")
        assert run.session.forks == [("c3", "")]
        assert run.session.fork_changes == [{"model": {"debugger": "scripted:a.yaml"}}]


async def test_moving_in_the_timeline_shows_that_moment() -> None:
    async with running() as run:
        await run.press("T", "up")
        assert run.screen.model.past is not None
        await run.press("escape", "escape")
        assert run.screen.model.past is None
        assert not run.screen.query_one("#timeline").region.area


async def test_a_failed_run_is_tried_again() -> None:
    session = FakeSession("s1", error=ProviderError("The model does not answer.", "Is it running?"))
    async with running(session) as run:
        assert "Is it running?" in run.side_text()
        await run.press("R")
        assert (run.session.resumed, run.screen.model.error) == (2, None)
        assert run.screen.model.question is not None


async def test_a_run_that_ended_is_not_tried_again() -> None:
    async with running() as run:
        await run.press("a", "a")
        assert run.screen.model.outcome == "healed"
        await run.press("R")
        assert run.session.resumed == 1 and run.screen.model.outcome == "healed"


async def test_a_pause_cancels_and_a_retry_goes_on() -> None:
    stall = asyncio.Event()
    async with running(FakeSession("s1", stall=stall)) as run:
        await run.press("p")
        assert not run.screen.model.running
        assert not run.screen.driver.running
        stall.set()
        await run.press("R")
        assert run.session.resumed == 2


async def test_a_busy_session_says_who_holds_it() -> None:
    async with running(session_id="busy") as run:
        assert "4711" in run.side_text()
        await run.press("b")
        assert isinstance(run.app.screen, SessionsScreen)


async def test_leaving_closes_the_session() -> None:
    async with running() as run:
        workbench = run.app.workbench
        assert isinstance(workbench, FakeWorkbench)
        assert workbench.open
        await run.press("b")
        assert not workbench.open
        assert isinstance(run.app.screen, SessionsScreen)


async def test_quitting_names_the_session_to_resume() -> None:
    async with running() as run:
        await run.press("q")
    assert run.app.return_value == "s1"
    assert run.session.decisions == []


async def test_no_key_answers_what_a_tiny_terminal_does_not_show() -> None:
    async with running() as run:
        await run.pilot.resize_terminal(50, 12)
        await run.press("a", "r", "s", "e", "f", "T")
        assert run.session.decisions == [] and run.session.forks == []
        await run.pilot.resize_terminal(80, 24)
        await run.settle()
        assert not run.screen.query_one(InlinePrompt).is_open
        await run.press("a")
        assert run.session.decisions == [("c3", approve())]


async def test_a_question_that_was_asked_out_of_sight_is_armed_once_it_is_seen() -> None:
    async with running(size=(50, 12)) as run:
        assert run.screen.model.question is not None and not run.screen._arming.armed
        await run.pilot.resize_terminal(80, 24)
        await run.settle()
        assert run.screen._arming.armed
        await run.press("a")
        assert run.session.decisions == [("c3", approve())]


@pytest.mark.parametrize("keys", [("e",), ("r",), ("a", "e"), ("a", "r"), ("t",)], ids="+".join)
async def test_what_is_written_goes_on_after_the_terminal_was_tiny(keys: tuple[str, ...]) -> None:
    async with running(size=(80, 24)) as run:
        await run.press(*keys)
        writing, tab = run.screen.focused, run.screen.query_one(Evidence).tabs.active
        assert writing is not None
        for size in ((50, 12), (140, 45), (50, 12), (80, 24)):
            await run.pilot.resize_terminal(*size)
            await run.settle()
        assert run.screen.focused is writing
        assert run.screen.query_one(Evidence).tabs.active == tab
        await run.press("escape")
        decisions = len(run.session.decisions)
        await run.press("a")
        assert len(run.session.decisions) == decisions + 1


@SIZES
async def test_a_prompt_shows_its_line_and_its_hint(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        side = run.screen.query_one(Side)
        for key in ("r", "s", "f", "F", "m", "o", "slash"):
            await run.press(key)
            prompt = side.picker if side.picker.is_open else side.prompt
            parts = [child for child in prompt.children if child.display]
            assert parts, key
            for part in parts:
                assert part.region.height and run.screen.region.contains_region(part.region), key
                assert side.region.contains_region(part.region), key
            await run.press("escape")
            assert any(row.region for row in side.query(KeyRow)), f"the keys are back after {key}"


async def test_the_editor_opens_at_the_first_change() -> None:
    async with running() as run:
        await run.press("a", "e")
        editor = run.screen.query_one(CodeEditor)
        row = next(n for n, (a, b) in enumerate(zip(CODE.split("\n"), FIXED.split("\n"), strict=True)) if a != b)
        assert editor.cursor_location == (row, 0)


async def test_a_tiny_terminal_says_what_it_needs() -> None:
    async with running(size=(50, 12)) as run:
        shown = [child for child in run.screen.children if child.display]
        assert [type(child).__name__ for child in shown] == ["TooSmall"]


async def test_foreign_text_is_never_markup() -> None:
    async with running() as run:
        run.screen.query_one(TabbedContent).active = "transcript"
        await run.settle()
        assert run.screen.query_one(Evidence).is_mounted
        assert "[red]" in run.app.export_screenshot().replace("&#x27;", "'")


@SIZES
@pytest.mark.parametrize(
    ("tab", "text"), [("code", "Join overlapping spans"), ("tests", "touching"), ("matrix", "touching")]
)
async def test_the_tab_in_front_shows_the_moment(size: tuple[int, int], tab: str, text: str) -> None:
    async with running(size=size) as run:
        run.screen.query_one(Evidence).tabs.activate(tab)
        await run.settle()
        assert text in run.app.export_screenshot().replace("&#160;", " ")


async def test_another_line_of_the_search_s_diagnosis_can_be_chosen() -> None:
    async with running() as run:
        assert run.side_text().count("calls it for every pair") == 1 and "2 line 15" in run.side_text()
        await run.press("2")
        assert "You chose line 15 of intervals.py. calls it for every pair" in run.side_text()
        await run.press("a")
        answer = run.session.decisions[0][1]
        assert (answer["verdict"], answer["pick"]) == ("approve", "2")


@pytest.mark.parametrize(
    ("typed", "avoid", "note"),
    [
        ("2", ["line:intervals.py:8"], ""),
        ("1,2", ["function:intervals.py:overlap", "line:intervals.py:8"], ""),
        ("9 no", None, "9 no"),
    ],
)
async def test_a_rejection_can_close_places_to_the_search(typed: str, avoid: list[str] | None, note: str) -> None:
    async with running() as run:
        await run.press("r")
        shown = run.side_text()
        assert "2 not line 8 of intervals.py" in shown and "tables of constants" not in shown
        assert "the search cannot read it; it only avoids this line" in shown
        await run.press(*("space" if key == " " else key for key in typed.replace(",", " ")), "enter")
        answer = run.session.decisions[0][1]
        assert (answer["verdict"], answer.get("avoid"), answer["note"]) == ("reject", avoid, note)


@SIZES
async def test_a_run_that_failed_offers_another_model_and_taking_back(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        run.screen.running.tell(
            RunFailed(ProviderError("Anthropic refused the key (401).", "Check ANTHROPIC_API_KEY."))
        )
        await run.settle()
        keys = [(hint.key, hint.words) for hint in run.screen.query_one("#panel-keys", KeyRow).hints]
        assert keys == [("R", "go on"), ("m", "another model"), ("u", "undo")]
        assert "Check ANTHROPIC_API_KEY." in run.side_text()
        await run.press("m", *"scripted:other", "enter")
        assert run.session.fork_changes == [{"model": {"*": "scripted:other"}}]


async def test_a_race_that_is_resumed_shows_the_moment_that_it_started_from() -> None:
    session = FakeSession("s1")
    async with running(session):
        pass
    never = asyncio.Event()

    async def race() -> Act:
        return Act(1, "race", {"at": "c3"}, "2026-01-01T00:00:00Z")

    async def lanes() -> AsyncGenerator[Event, None]:
        yield LaneTold("race-1", NodeStarted("diagnose"))
        await never.wait()

    session.branches.race = race  # type: ignore[assignment,method-assign]
    session.resume = lanes  # type: ignore[method-assign]
    async with running(session) as run:
        model = run.screen.model
        assert model.running and model.lanes and model.position == "c3"
        code = run.screen.query_one("#code CodeView", CodeView)
        rows = [code.render_line(y).text for y in range(code.size.height)]
        assert any("return a[0] <= b[1]" in row for row in rows), rows
