"""The settings screen: what it tells, what it refuses while typing, what holds at once, what it writes and where."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

from selfheal_tui.brought import read_brought
from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import setting_names
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.screens.sessions import SessionsScreen
from selfheal_tui.ui.screens.setting_rows import FIRST, MORE, choices, holds, parsed, setting_order
from selfheal_tui.ui.screens.settings import SettingsScreen
from tests.ui.fakes import FakeWorkbench, settle

OWN = "selfheal/selfheal.yaml"


class Shown:
    """The settings screen, and what a test asks of it."""

    def __init__(self, app: SelfHealApp, pilot: Pilot[str | None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await settle(self.pilot)

    async def goto(self, name: str) -> None:
        table = self.app.screen.query_one(DataTable)
        table.move_cursor(row=table.get_row_index(name))
        await self.pilot.pause()

    async def type(self, name: str, text: str) -> None:
        await self.goto(name)
        await self.press("enter")
        self.app.screen.query_one("#value", Input).value = ""
        await self.press(*text, "enter")

    def text(self, part: str) -> str:
        return str(self.app.screen.query_one(part, Static).render())


@asynccontextmanager
async def shown(config: Path, flags: dict[str, str] | None = None) -> AsyncIterator[Shown]:
    environ = {"XDG_CONFIG_HOME": str(config)}
    accepted = read_brought(config, environ).digest
    settings = load_settings({"sessions": str(config), **(flags or {})}, environ, config, accepted=accepted)
    app = SelfHealApp(FakeWorkbench(), settings=settings)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("comma")
        await settle(pilot)
        assert isinstance(app.screen, SettingsScreen)
        yield Shown(app, pilot)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_a_wrong_value_is_told_while_it_is_typed_and_not_taken(config: Path) -> None:
    async with shown(config) as screen:
        await screen.goto("max_tokens")
        await screen.press("enter", *"many")
        assert "max_tokens must be a whole number above 0" in screen.text("#message")
        await screen.press("enter")
        assert screen.app.settings.max_tokens is None and screen.app.screen.query_one(Input).has_focus
        await screen.press("escape")
        assert screen.app.unsaved_settings == {}
        assert screen.text("#message") == "" and screen.app.screen.query_one(Input).value == ""


async def test_after_enter_it_says_that_the_value_is_set_and_how_it_is_kept(config: Path) -> None:
    async with shown(config) as screen:
        await screen.type("max_tokens", "5000")
        assert screen.text("#message") == "✓ set; ^s saves it"
        await screen.press("x")
        assert screen.text("#message").startswith("✓ the default again")
        await screen.press("down")
        assert screen.text("#message") == ""


async def test_a_theme_shows_at_once_and_is_written_on_request_only(config: Path) -> None:
    async with shown(config) as screen:
        await screen.type("theme", "selfheal-contrast")
        assert screen.app.theme == "selfheal-contrast"
        assert not (config / OWN).exists()
        await screen.press("ctrl+s")
        assert (config / OWN).read_text() == "theme: selfheal-contrast\n"
        assert str(config / OWN) in screen.app.settings.origins["theme"]
        assert screen.app.unsaved_settings == {}


async def test_a_key_works_at_once_on_the_screen_below(config: Path) -> None:
    async with shown(config) as screen:
        await screen.type("keys", "sessions.settings=f5")
        await screen.press("escape", "comma")
        assert isinstance(screen.app.screen, SessionsScreen)
        await screen.press("f5")
        assert isinstance(screen.app.screen, SettingsScreen)


async def test_comments_stay_and_a_change_here_wins_over_the_flag_that_started_the_app(config: Path) -> None:
    (config / "selfheal").mkdir()
    (config / OWN).write_text("# mine\nbell: false  # quiet\nmax_calls: 3\n")
    async with shown(config, {"max_calls": "9"}) as screen:
        await screen.goto("bell")
        await screen.press("space")
        await screen.type("max_calls", "5")
        await screen.press("ctrl+s")
        assert (config / OWN).read_text() == "# mine\nbell: true  # quiet\nmax_calls: 5\n"
        told = [n.message for n in screen.app._notifications]
        assert told == [f"Saved bell, max_calls in {config / OWN}."]
        assert screen.app.settings.max_calls == 5


async def test_the_default_again_takes_the_line_out(config: Path) -> None:
    (config / "selfheal").mkdir()
    (config / OWN).write_text("bell: false\nmodel: ollama:a\n")
    async with shown(config) as screen:
        await screen.goto("bell")
        await screen.press("x", "ctrl+s")
        assert (config / OWN).read_text() == "model: ollama:a\n"
        assert screen.app.settings.bell and screen.app.settings.origins["bell"] == "default"


async def test_a_project_file_is_never_written(config: Path, tmp_path: Path) -> None:
    project = config / "selfheal.yaml"
    project.write_text("autonomy: full_auto\n")
    async with shown(config) as screen:
        await screen.type("autonomy", "review_all")
        await screen.press("ctrl+s")
        assert project.read_text() == "autonomy: full_auto\n"
        assert "still set by" in next(n.message for n in screen.app._notifications)


async def test_a_file_that_cannot_be_changed_stays_and_the_change_too(config: Path) -> None:
    async with shown(config) as screen:
        (config / "selfheal").mkdir()
        (config / OWN).write_text("a: [\n")
        await screen.type("max_calls", "5")
        await screen.press("ctrl+s")
        assert (config / OWN).read_text() == "a: [\n"
        assert screen.app.unsaved_settings == {"max_calls": 5}


async def test_new_sessions_run_with_what_was_changed(config: Path) -> None:
    async with shown(config) as screen:
        await screen.type("strategies", "minimal,search")
        options = await screen.app.new_run_options()
        assert options.policy["strategies"] == ["minimal", "search"]


async def test_what_people_change_first_comes_first_and_the_cursor_steps_over_the_heading(config: Path) -> None:
    async with shown(config) as screen:
        table = screen.app.screen.query_one(DataTable)
        assert table.get_row_index("model") == 0
        assert table.get_row_index(MORE) == len(FIRST) < table.get_row_index("sessions")
        await screen.press(*["down"] * len(FIRST))
        assert screen.text("#help").startswith(setting_order()[len(FIRST)])
        await screen.press("up")
        assert screen.text("#help").startswith(FIRST[-1])


async def test_advisors_are_picked(config: Path) -> None:
    async with shown(config) as screen:
        await screen.goto("advisors")
        await screen.press("enter", "down", "space", "down", "space", "enter")
        assert screen.app.settings.advisors == "security_review,quality"
        await screen.press("enter", "down", "space", "down", "space", "up", "up", "enter")
        assert screen.app.settings.advisors == ""


def test_every_setting_is_listed_once_and_says_since_when_it_holds() -> None:
    assert sorted(setting_order()) == sorted(setting_names())
    assert {holds(name).split(".")[0] for name in setting_order()} == {
        "Holds at once",
        "Holds for new sessions",
        "Holds from the next start of selfheal",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("theme", "nordd"),
        ("keys", "review.approve=enter"),
        ("strategies", "minimum"),
        ("model", "olama:x"),
        ("role_models", "debugger=olama:x"),
        ("prices", "olama:x=1/2"),
        ("prices", "openai:x=1"),
        ("effort", "debugger=highest"),
        ("sandbox", "locale"),
        ("bell", "perhaps"),
        ("min_confidence", "1.5"),
    ],
)
def test_what_no_run_could_use_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingsError):
        parsed(name, text, ["nord"])


def test_few_values_are_offered() -> None:
    assert choices("bell") == ["true", "false"] and "full_auto" in choices("autonomy") and choices("model") == []
