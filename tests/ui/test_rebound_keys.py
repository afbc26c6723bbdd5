"""Rebound keys on the run screen: they answer, are armed like the old ones, and show in card and help."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.widgets import Static

from selfheal_tui.engine.moment.review import approve
from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import default_settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.kit.key_row import KeyRow
from selfheal_tui.ui.screens.help import HelpScreen
from tests.ui.fakes import FakeSession, FakeWorkbench, settle
from tests.ui.running import Run


@asynccontextmanager
async def rebound(keys: dict[str, str]) -> AsyncIterator[Run]:
    session = FakeSession("s1")
    settings = replace(default_settings(), keys=keys)
    app = SelfHealApp(FakeWorkbench(session), session_id="s1", settings=settings)  # type: ignore[arg-type]
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        yield Run(app, pilot, session)


async def test_the_new_key_answers_and_the_old_one_does_nothing() -> None:
    async with rebound({"review.approve": "ctrl+y"}) as run:
        await run.press("a")
        assert run.session.decisions == []
        await run.press("ctrl+y")
        assert run.session.decisions == [("c3", approve())]


async def test_a_key_pressed_before_the_card_was_read_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arming, "QUIET", 3600.0)
    async with rebound({"review.approve": "Z,ctrl+y"}) as run:
        await run.press("Z", "ctrl+y", "Z")
        assert run.session.decisions == []


async def test_card_and_help_show_the_new_key() -> None:
    async with rebound({"review.approve": "ctrl+y"}) as run:
        hints = {(hint.key, hint.words) for row in run.screen.query(KeyRow) for hint in row.hints}
        assert ("^y", "approve") in hints and "a" not in {key for key, _ in hints}
        (row,) = [row for row in run.screen.query(KeyRow) if row.region]
        assert "^y approve" in str(row.render())
        await run.press("question_mark")
        assert isinstance(run.app.screen, HelpScreen)
        text = str(run.app.screen.query_one(Static).render())
        assert re.search(r"\^y +Accept the proposal that is shown\n", text)
        assert "Interrupt the run; what was saved stays (not now)" in text


async def test_the_help_tells_the_keys_of_what_has_the_focus() -> None:
    async with rebound({}) as run:
        await run.press("T", "question_mark")
        text = str(run.app.screen.query_one(Static).render())
        assert "Where you are" in text and "Move to the row below" in text
        assert "1…9" in text and re.search(r"n esc +Back to the newest moment", text)


async def test_sentences_name_the_new_key() -> None:
    async with rebound({"run.now": "f9"}) as run:
        await run.press("a", "left_square_bracket")
        assert "f9 now" in " ".join(str(run.screen.query_one("#past-banner", Static).render()).split())


def test_keys_that_clash_are_refused_before_the_app_starts() -> None:
    settings = replace(default_settings(), keys={"review.approve": "r"})
    with pytest.raises(SettingsError, match=r"review\.reject"):
        SelfHealApp(FakeWorkbench(), settings=settings)  # type: ignore[arg-type]
