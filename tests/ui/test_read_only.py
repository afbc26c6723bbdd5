"""A session that is driven elsewhere: shown as it goes on, answered by no key, taken over once nobody drives it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.review import Comment
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.keys import GROUPS, changes
from selfheal_tui.ui.run.cards.goes_along import GoesAlong
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.run.status_bar import StatusBar
from tests.engine.driving import options, shop_task, to_repair, to_review
from tests.wire.rig import until

PATIENCE_S = 60.0
SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 45)], ids=["80x24", "140x45"])


@asynccontextmanager
async def watching(home: Path, session_id: str, size: tuple[int, int]) -> AsyncIterator[tuple[RunScreen, Pilot[Any]]]:
    """Open the app on a session that another workbench drives."""
    workbench = Workbench(home)
    app = SelfHealApp(workbench, session_id=session_id)
    try:
        async with app.run_test(size=size) as pilot:
            await until(lambda: isinstance(app.screen, RunScreen) and app.screen.model.watched is not None, PATIENCE_S)
            assert isinstance(app.screen, RunScreen)
            yield app.screen, pilot
            await pilot.press("q")
    finally:
        await workbench.aclose()


def side_text(screen: RunScreen) -> str:
    """Return what the side says when it asks nothing."""
    return str(screen.query_one(Side).query_one("#panel-text", Static).content)


def status_text(screen: RunScreen) -> str:
    return screen.query_one(StatusBar).render().plain


def _comments_shown(screen: RunScreen) -> list[str]:
    """Return the texts of the comments that the card names."""
    card = screen.side.card
    return [str(row.render()) for row in card.query(GoesAlong)] if card is not None else []


@SIZES
async def test_a_driven_session_is_shown_live_and_answered_by_no_key(tmp_path: Path, size: tuple[int, int]) -> None:
    driving = Workbench(tmp_path)
    session_id = await driving.create(shop_task(), options())
    async with driving.open_session(session_id) as driven, watching(tmp_path, session_id, size) as (screen, pilot):
        await until(lambda: bool(screen.model.watched), PATIENCE_S)
        asked = await to_review(driven.resume())
        await until(lambda: screen.model.review is not None, PATIENCE_S)
        await pilot.pause()
        assert "a diagnosis waits for a decision there" in side_text(screen)
        assert "READ ONLY" in status_text(screen) and "driven by process" in status_text(screen)
        assert screen.model.question is None and screen.model.timeline == await driven.timeline()

        await pilot.press("a", "enter", "A", "e", "r", "s", "f", "m", "o", "p", "R", "1")
        await pilot.pause()
        assert not screen.query_one(Side).prompt.is_open
        assert [c.decision for c in await driven.timeline() if c.decision] == []

        repair = await to_repair(driven, driven.decide(asked.checkpoint_id, review.approve()))
        await until(lambda: screen.model.position == repair.checkpoint_id, PATIENCE_S)
        assert screen.model.shown is not None and screen.model.shown.candidates
        await pilot.press("left_square_bracket")
        await until(lambda: screen.model.past is not None, PATIENCE_S)
        assert screen.model.question is None
        assert await driven.head() == repair.checkpoint_id
    await driving.aclose()


async def test_a_session_that_nobody_drives_any_more_is_taken_over(tmp_path: Path) -> None:
    driving = Workbench(tmp_path)
    session_id = await driving.create(shop_task(), options())
    async with driving.open_session(session_id) as driven:
        asked = await to_review(driven.resume())
        opened = watching(tmp_path, session_id, (140, 45))
        screen, pilot = await opened.__aenter__()
        await until(lambda: bool(screen.model.watched) and screen.model.review is not None, PATIENCE_S)
        kept: Comment = {"path": "shop.py", "line": 6, "text": "keep this", "quoted": "x"}
        await driven.comments.save(asked.checkpoint_id, [kept])
    try:
        await until(lambda: screen.model.watched == "", PATIENCE_S)
        await pilot.pause()
        assert "Nobody drives this session" in side_text(screen) and "R goes on" in status_text(screen)
        await pilot.press("a")
        assert screen.model.watched == ""
        await pilot.press("R")
        await until(lambda: screen._arming.armed and screen.model.question is not None, PATIENCE_S)
        assert screen.model.watched is None and screen.driver.session is not None
        assert screen.model.question is not None and screen.model.question.checkpoint_id == asked.checkpoint_id
        await until(lambda: "keep this" in "".join(map(str, _comments_shown(screen))), PATIENCE_S)
        await pilot.press("a")
        await until(lambda: screen.model.review is not None and screen.model.review.kind == "repair", PATIENCE_S)
        (decided,) = [c.decision for c in screen.model.timeline if c.decision]
        assert decided["comments"] == "1", "what was kept on disk goes with the answer"
    finally:
        await opened.__aexit__(None, None, None)
        await driving.aclose()


@SIZES
@pytest.mark.parametrize("harm", ["cut", "middle"])
async def test_of_a_damaged_session_the_moments_that_can_be_read_are_shown(
    tmp_path: Path, size: tuple[int, int], harm: str
) -> None:
    driving = Workbench(tmp_path)
    session_id = await driving.create(shop_task(), options())
    async with driving.open_session(session_id) as driven:
        await to_review(driven.resume())
    await driving.aclose()
    file = tmp_path / session_id / "session.db"
    data = bytearray(file.read_bytes())
    if harm == "cut":
        file.write_bytes(data[: int(len(data) * 0.9)])
    else:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(
                "update checkpoints set checkpoint=x'c1c1' where rowid=(select min(rowid)+1 from checkpoints)"
            )
    async with watching(tmp_path, session_id, size) as (screen, pilot):
        await until(lambda: screen.model.committed is not None, PATIENCE_S)
        await pilot.pause()
        assert screen.model.timeline.checkpoints and screen.model.rest
        shown = " ".join(side_text(screen).split())
        assert "is damaged" in shown and "Shown is what can be read" in shown
        for command in ("check", "show", "export"):
            assert f"selfheal sessions {command} {session_id}" in shown
        assert "R " not in shown and "saved; R" not in shown
        assert "READ ONLY" in status_text(screen) and "R goes on" not in status_text(screen)
        assert not screen.offers.has("retry", ())
        await pilot.press("R", "a", "left_square_bracket")
        await until(lambda: screen.model.past is not None, PATIENCE_S)
        assert screen.app.only_read_id == session_id == screen.app.last_session_id


@pytest.mark.parametrize("content", [b"", b"no database at all" * 99], ids=["empty", "other"])
async def test_with_a_session_of_which_nothing_can_be_read_nothing_goes_on(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "20260101-120000-shop-00aa"
    folder.mkdir()
    (folder / "session.db").write_bytes(content)
    workbench = Workbench(tmp_path)
    app = SelfHealApp(workbench, session_id=folder.name)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: isinstance(app.screen, RunScreen) and app.screen.model.error is not None, PATIENCE_S)
            await pilot.pause()
            assert isinstance(app.screen, RunScreen)
            shown = " ".join(side_text(app.screen).split())
            assert "Nothing goes on with a damaged session. Nothing of it can be read. Restore a copy" in shown
            assert "R goes on" not in shown and "can be looked at" not in shown and "sessions show" not in shown
            for action in ("retry", "undo", "compare", "fork"):
                assert not app.screen.offers.has(action, ()), action
            await pilot.press("q")
    finally:
        await workbench.aclose()


async def test_a_session_whose_folder_cannot_be_written_is_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driving = Workbench(tmp_path)
    session_id = await driving.create(shop_task(), options())
    async with driving.open_session(session_id) as driven:
        asked = await to_review(driven.resume())
        timeline = await driven.timeline()
    await driving.aclose()
    real_open, real_access = os.open, os.access

    def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY) and str(path).startswith(str(tmp_path)):
            raise OSError(errno.EROFS, "Read-only file system", path)
        return real_open(path, flags, *rest, **more)

    def may(path: Any, mode: int, **more: Any) -> bool:
        return real_access(path, mode, **more) and not (mode & os.W_OK and str(path).startswith(str(tmp_path)))

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "access", may)
    async with watching(tmp_path, session_id, (140, 45)) as (screen, pilot):
        await until(lambda: screen.model.position == asked.checkpoint_id, PATIENCE_S)
        await pilot.pause()
        assert [*screen.model.timeline.checkpoints] == [*timeline.checkpoints]
        shown = " ".join(side_text(screen).split())
        assert "cannot be written (Read-only file system)" in shown and "Everything that was saved is shown" in shown
        assert not screen.offers.has("retry", ()) and "R goes on" not in status_text(screen)


def test_keys_that_are_not_known_to_look_only_are_dead() -> None:
    named = {binding.action.partition("(")[0] for _, bindings in GROUPS for binding in bindings}
    assert {"approve", "reject", "edit", "pick", "fork", "model", "set", "pause", "retry"} <= set(
        filter(changes, named)
    )
    assert not any(changes(action) for action in ("step", "timeline", "now", "view", "sessions", "leave", "focus_next"))
