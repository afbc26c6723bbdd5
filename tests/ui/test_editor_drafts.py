"""What is written in the editor and left: each text is kept with its candidate and hunks, and the card says so."""

from __future__ import annotations

from textual.widgets import TextArea

from selfheal_tui.ui.kit.code_editor import CodeEditor
from tests.ui.fakes import FIXED, FakeSession, two_hunks
from tests.ui.running import SIZES, running

_MINE = "# mine\n" + FIXED


async def test_a_text_is_kept_while_another_candidate_is_edited() -> None:
    async with running() as run:
        await run.press("a", "e")
        editor = run.screen.query_one(CodeEditor)
        editor.load_text(_MINE)
        await run.press("escape")
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("2")
        assert "your text of repair 1 is kept: 1, then e" in run.side_text()
        await run.press("e", "escape", "1", "e")
        assert editor.text == _MINE


async def test_a_text_is_kept_while_another_choice_of_hunks_is_edited() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "e")
        editor = run.screen.query_one(CodeEditor)
        editor.load_text(_MINE)
        await run.press("escape", "space")
        assert "your text of the whole repair is kept: take back what you chose (space)" in run.side_text()
        await run.press("e")
        assert editor.text == FIXED
        await run.press("escape", "space")
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("e")
        assert editor.text == _MINE


async def test_a_text_of_some_hunks_names_them_also_when_the_session_is_opened_again() -> None:
    session = two_hunks()
    async with running(session) as run:
        await run.press("a", "j", "space", "e")
        run.screen.query_one(CodeEditor).load_text(_MINE)
        await run.press("escape", "space")
        words = "your text of hunk 1 of repair 1 is kept: choose just that, then e"
        assert words in run.side_text()
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session) as run:
        assert words in run.side_text()
        await run.press("2")
        assert "hunk 1 of repair 1 is kept: 1, choose just that" in run.side_text()
        await run.press("1", "j", "space", "e")
        assert run.screen.query_one(CodeEditor).text == _MINE


async def test_a_text_that_was_only_looked_at_is_no_draft() -> None:
    async with running() as run:
        await run.press("a", "e", "escape")
        assert "is kept" not in run.side_text()


@SIZES
async def test_a_text_left_in_the_editor_is_there_when_the_session_is_opened_again(size: tuple[int, int]) -> None:
    session = FakeSession("s1")
    async with running(session, size=size) as run:
        await run.press("a", "e")
        run.screen.query_one(CodeEditor).load_text(_MINE)
        await run.press("escape")
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session, size=size) as run:
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("e")
        assert run.screen.query_one(CodeEditor).text == _MINE
        await run.press("escape", "2", "a")
        assert "is kept" not in run.side_text() and session.texts.kept == {}


async def test_a_text_is_kept_while_it_is_written_and_no_more_once_it_is_as_it_began() -> None:
    async with running() as run:
        await run.press("a", "e")
        run.screen.query_one(CodeEditor).load_text(_MINE)
        await run.settle()
        (kept,) = run.session.texts.kept["c5"]
        assert kept == {"label": "a", "part": "", "texts": {"intervals.py": _MINE}}
        run.screen.query_one(CodeEditor).load_text("def (")
        await run.settle()
        assert run.session.texts.kept["c5"][0]["texts"] == {"intervals.py": "def ("}  # what does not parse too
        run.screen.query_one(CodeEditor).load_text(FIXED)
        await run.settle()
        assert run.session.texts.kept["c5"] == []


async def test_what_is_being_written_is_kept_when_the_app_is_left_before_a_pause() -> None:
    session = FakeSession("s1")
    async with running(session) as run:
        await run.press("a", "e")
        run.screen.query_one(CodeEditor).load_text(_MINE)
        await run.app.action_quit()
    assert session.texts.kept["c5"][0]["texts"] == {"intervals.py": _MINE}


async def test_a_diagnosis_left_in_its_form_is_there_when_the_session_is_opened_again() -> None:
    session = FakeSession("s1")
    async with running(session, size=(140, 45)) as run:
        await run.press("e")
        run.screen.query_one("#form-cause", TextArea).load_text("It is mine.")
        await run.settle()
        assert session.texts.kept["c3"][0]["texts"]["cause"] == "It is mine."
        await run.press("escape")
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("2")
        assert "your text of place 1 is kept: 1, then e" in " ".join(run.side_text().split())
        await run.press("e")
        assert run.screen.query_one("#form-cause", TextArea).text != "It is mine."
        await run.press("escape", "1", "e")
        assert run.screen.query_one("#form-cause", TextArea).text == "It is mine."
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session, size=(140, 45)) as run:
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("e")
        assert run.screen.query_one("#form-cause", TextArea).text == "It is mine."
        await run.press("ctrl+s")
        assert (session.decisions[-1][1]["value"] or {})["cause"] == "It is mine."
        assert "c3" not in session.texts.kept and "is kept" not in run.side_text()


async def test_a_text_of_a_test_file_is_kept_and_the_card_says_how_it_is_opened() -> None:
    session = FakeSession("s1")
    session.texts.kept["c3"] = [{"label": "test_spec.py", "part": "tests", "texts": {"test_spec.py": "# mine"}}]
    async with running(session, size=(140, 45)) as run:
        assert "your text of test_spec.py is kept: E on a case of it opens it" in " ".join(run.side_text().split())


async def test_what_was_refused_is_said_only_of_the_text_it_is_about() -> None:
    async with running() as run:
        await run.press("a", "e")
        problem = run.screen.query_one("#edit-problem")
        run.screen.query_one(CodeEditor).load_text("def (")
        await run.press("ctrl+s")
        assert problem.display and run.session.decisions[1:] == []
        run.screen.query_one(CodeEditor).load_text("def f(")
        await run.settle()
        assert not problem.display


async def test_a_text_that_is_as_the_code_says_what_else_there_is_to_do() -> None:
    async with running(FakeSession("s1"), size=(140, 45)) as run:

        def said() -> str:
            return str(run.screen.query_one("#edit-problem").render())

        await run.screen.editing.open_code()
        await run.settle()
        await run.press("ctrl+s")
        assert "change it, or leave with esc" in said() and "approve" not in said()
