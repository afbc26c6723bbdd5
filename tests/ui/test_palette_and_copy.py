"""What works everywhere: the palette, copies and exports, themes, the window's title and the bell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.cli.export import FORMATS
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import default_settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.terminal import WindowTitle
from selfheal_tui.ui.run import questions, taking
from selfheal_tui.ui.run.status_bar import StatusBar
from selfheal_tui.ui.run.tabs.copying import FILE_NAME, case_text
from tests.ui.fakes import CODE, FakeSession, FakeWorkbench, report, settle
from tests.ui.running import Run
from tests.wire.rig import until


@asynccontextmanager
async def running(home: Path, theme: str = "textual-dark", session_id: str | None = "s1") -> AsyncIterator[Run]:
    session = FakeSession("s1")
    settings = replace(default_settings(), sessions=home, theme=theme)
    app = SelfHealApp(FakeWorkbench(session), session_id=session_id, settings=settings)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        yield Run(app, pilot, session)


def offered(run: Run) -> dict[str, str]:
    return {command.title: command.help for command in run.app.get_system_commands(run.app.screen)}


async def test_the_palette_holds_every_live_action_with_its_key(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        found = offered(run)
        assert found["Fork"].endswith("on a new branch (f)")
        assert {
            "Approve",
            "Reject",
            "Timeline",
            "Help",
            *(f"Export {form}" for form in FORMATS),
            "Theme: selfheal-contrast",
        } <= set(found)
        assert "Pause" not in found, "nothing runs"
        missing = [
            a.binding.id
            for a in run.screen.active_bindings.values()
            if a.binding.id and a.binding.id != "run.escape" and a.binding.description not in found
        ]
        assert missing == []


async def test_choosing_approve_in_the_palette_only_names_the_key(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        await run.press("ctrl+p")
        await run.pilot.press(*"approve")
        await run.pilot.pause(0.3)
        await run.press("enter", "enter")
        assert run.session.decisions == []
        assert [n.message for n in run.app._notifications] == ["Press a for that: Enter never approves."]
        await run.press("escape", "a")
        assert run.session.decisions == [("c3", approve())]


async def test_an_action_of_the_palette_runs(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        command = next(c for c in run.app.get_system_commands(run.screen) if c.title == "Reject")
        await command.callback()  # type: ignore[misc]
        assert run.screen.query_one("InlinePrompt").has_class("-open")


@pytest.mark.parametrize(
    ("tab", "text"),
    [
        ("code", CODE),
        ("diff", "+    return a[0] < b[1] and b[0] < a[1]\n"),
        ("tests", "test_intervals.py::test_touching"),
    ],
)
async def test_y_copies_what_the_tab_shows(tmp_path: Path, tab: str, text: str) -> None:
    async with running(tmp_path) as run:
        await run.press("a")
        run.screen.query_one("TabbedContent").active = tab  # type: ignore[attr-defined]
        await run.press("y")
        assert text in run.app.clipboard
        kept = tmp_path / FILE_NAME
        assert kept.read_text() == run.app.clipboard
        assert kept.stat().st_mode & 0o077 == 0
        assert [p.name for p in tmp_path.iterdir()] == [FILE_NAME]


async def test_a_copied_text_cannot_steer_the_terminal_that_it_is_pasted_into(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        run.app.copy("code", "x = 1\x1b[201~\nrm -rf /\n")
        assert run.app.clipboard == "x = 1\nrm -rf /\n"
        assert (tmp_path / FILE_NAME).read_bytes() == b"x = 1\x1b[201~\nrm -rf /\n"


async def test_nothing_to_copy_keeps_what_was_copied_before(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        run.app.copy("a", "first")
        run.app.copy("b", "  \n")
        assert run.app.clipboard == "first"


def test_a_case_is_told_whole() -> None:
    text = case_text(report(1)["cases"][0])
    assert text.splitlines() == [
        "test_intervals.py::test_touching: failed",
        "AssertionError: assert not True",
        "expected: False",
        "actual:   True",
        "at intervals.py:8",
    ]


async def test_a_theme_that_there_is_not_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="selfheal-contrast"):
        async with running(tmp_path, "selfheal-contrasts"):
            pass
    async with running(tmp_path, "selfheal-contrast") as run:
        assert run.app.theme == "selfheal-contrast"


def test_the_window_has_its_old_title_again_and_foreign_text_stays_in_it() -> None:
    written: list[str] = []
    window = WindowTitle(written.append)
    window.give_back()
    assert written == []
    window.show("◆ selfheal: your decision · a\x07b\x1b]2;evil\x07")
    window.show("◆ selfheal: your decision · a\x07b\x1b]2;evil\x07")
    window.give_back()
    window.give_back()
    assert written == ["\x1b[22;2t", "\x1b]2;◆ selfheal: your decision · a\ufffdb\x07", "\x1b]2;\x07\x1b[23;2t"]


async def test_the_window_says_what_waits_and_the_bell_rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[bool] = []
    monkeypatch.setattr(SelfHealApp, "bell", lambda self: rung.append(True))
    async with running(tmp_path) as run:
        assert run.app.window.now == "◆ selfheal: your decision · intervals"
        assert rung == [], "a short run in the window in front is quiet"
        monkeypatch.setattr(questions, "_LONG_S", -1.0)
        await run.press("a")
        assert rung == [True]
        run.app.settings = replace(run.app.settings, bell=False)
        await run.press("a")
        assert run.app.window.now == "✓ selfheal: healed · intervals"
        await run.press("b")
        assert run.app.window.now == "selfheal"
        assert rung == [True]


async def test_a_report_that_takes_long_says_so_and_esc_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "SLOW_S", 0.01)
    monkeypatch.chdir(tmp_path)
    async with running(tmp_path) as run:
        reached, never = asyncio.Event(), asyncio.Event()

        async def stuck(checkpoint_id: str) -> Snapshot:
            reached.set()
            await never.wait()
            raise AssertionError(checkpoint_id)

        monkeypatch.setattr(run.session, "snapshot", stuck)
        screen, bar = run.screen, run.screen.query_one(StatusBar)
        screen.taking.export("md")
        await reached.wait()
        await until(lambda: "the report is being made" in bar.said(80).plain, 10.0)
        await run.pilot.press("escape")
        await until(lambda: "your decision" in bar.said(80).plain, 10.0)
        assert [n.message for n in run.app._notifications] == ["Stopped; nothing was written."]
        assert not screen.taking.stop() and list(tmp_path.glob("*.md")) == []
