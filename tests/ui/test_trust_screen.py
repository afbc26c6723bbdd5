"""The question about a folder's own settings: asked first, armed once it can be read, answered once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from selfheal_tui.errors import InputError
from selfheal_tui.settings import LeftOut, Settings, default_settings
from selfheal_tui.ui.app import SelfHealApp, Started
from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.screens.sessions import SessionsScreen
from selfheal_tui.ui.screens.trust import TrustQuestion, TrustScreen, question_content
from tests.ui.fakes import FakeWorkbench, settle

QUESTION = TrustQuestion(
    "/home/me/clone",
    (
        LeftOut("max_iterations", "50", "selfheal.yaml, line 2"),
        LeftOut("model", "ollama:q", "selfheal.yaml, line 1"),
        LeftOut("OLLAMA_HOST", "http://evil.example:11434", ".env"),
        LeftOut("OPENAI_API_KEY", "not shown", ".env"),
        LeftOut("verify", "false", "selfheal.yaml, line 3", "the file of a project folder never sets it"),
    ),
)


class Asked:
    """An app with the question, and what it was told."""

    def __init__(self, fails: bool = False) -> None:
        self.answers: list[bool] = []
        self._fails = fails
        workbench: Any = FakeWorkbench()
        self.app = SelfHealApp(workbench, settings=self.settings, question=QUESTION, start=self._start)
        self._workbench = workbench

    @property
    def settings(self) -> Settings:
        return default_settings({})

    async def _start(self, trusted: bool) -> Started:
        self.answers.append(trusted)
        if self._fails:
            raise InputError("There is no session.")
        return Started(self.settings, lambda: self._workbench, None, None)


@asynccontextmanager
async def asked(size: tuple[int, int] = (80, 24), fails: bool = False) -> AsyncIterator[tuple[Asked, Pilot[Any]]]:
    one = Asked(fails)
    async with one.app.run_test(size=size) as pilot:
        await settle(pilot)
        yield one, pilot


@pytest.mark.parametrize(("key", "answer"), [("t", True), ("n", False), ("escape", False)])
async def test_the_answer_decides_what_the_app_works_with(key: str, answer: bool) -> None:
    async with asked() as (one, pilot):
        assert isinstance(one.app.screen, TrustScreen)
        await pilot.press(key)
        await settle(pilot)
        assert one.answers == [answer] and isinstance(one.app.screen, SessionsScreen)


async def test_enter_and_other_keys_answer_nothing() -> None:
    async with asked() as (one, pilot):
        await pilot.press("enter", "space", "y", "a", "j", "k", "tab")
        await settle(pilot)
        assert one.answers == [] and isinstance(one.app.screen, TrustScreen)


async def test_a_key_typed_ahead_answers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arming, "QUIET", 3600.0)
    async with asked() as (one, pilot):
        await pilot.press("t", "t")
        await settle(pilot)
        assert one.answers == []


async def test_a_yes_counts_once_all_has_been_in_sight() -> None:
    long = TrustQuestion(QUESTION.folder, [*QUESTION.brings, *(LeftOut(f"E2B_{n}", "x", ".env") for n in range(40))])
    one = Asked()
    one.app._question = long
    async with one.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert one.answers == [] and isinstance(one.app.screen, TrustScreen)
        for _ in range(10):
            await pilot.press("t")
            await settle(pilot)
        assert one.answers == [True]


@pytest.mark.parametrize("size", [(50, 24), (80, 12)])
async def test_a_terminal_too_small_for_the_question_takes_no_answer(size: tuple[int, int]) -> None:
    async with asked(size) as (one, pilot):
        await pilot.press("t", "n")
        await settle(pilot)
        assert one.answers == []
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert one.answers == [False]


async def test_what_cannot_be_started_ends_the_app_with_the_reason() -> None:
    one = Asked(fails=True)
    async with one.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("n")
        await pilot.pause()
    assert isinstance(one.app.failure, InputError)


def test_the_question_names_what_would_change_where_code_goes_first_and_no_secret() -> None:
    text = question_content(QUESTION).plain
    assert text.index("model = ollama:q") < text.index("OLLAMA_HOST = http://evil.example:11434")
    assert text.index("OLLAMA_HOST = http://evil.example:11434") < text.index("max_iterations = 50")
    assert "4 things" in text and "OPENAI_API_KEY = not shown" in text
    assert text.index("Not used, whatever you answer") < text.index("verify")


async def test_markup_and_escapes_of_a_folder_are_text(tmp_path: Path) -> None:
    nasty = TrustQuestion("/x[/bold]\x1b[2J", (LeftOut("model", "[red]a:b[/]\x1b]0;x\x07", "selfheal.yaml, line 1"),))
    app = SelfHealApp(FakeWorkbench(), settings=default_settings({}), question=nasty)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = str(app.screen.query_one("#trust Static", Static).render())
        assert "[red]a:b[/]" in shown and "\x1b" not in shown
