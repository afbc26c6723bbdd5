"""What is written in the editor and left: each text is kept with its candidate and hunks, and the card says so."""

from __future__ import annotations

from selfheal_tui.ui.kit.code_editor import CodeEditor
from tests.ui.fakes import FIXED, two_hunks
from tests.ui.running import running

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
        assert "your text of other hunks is kept" in run.side_text()
        await run.press("e")
        assert editor.text == FIXED
        await run.press("escape", "space")
        assert "your text is kept: e opens it" in run.side_text()
        await run.press("e")
        assert editor.text == _MINE


async def test_a_text_that_was_only_looked_at_is_no_draft() -> None:
    async with running() as run:
        await run.press("a", "e", "escape")
        assert "is kept" not in run.side_text()
