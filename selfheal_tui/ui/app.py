"""The app: one screen at a time over one workbench. Imports neither LangGraph nor the engine's heavy modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from selfheal_tui.settings import Settings, default_settings

from .keymap import build_keymap
from .screens.help import HelpScreen, live_keys
from .screens.run import RunScreen
from .screens.sessions import SessionsScreen

if TYPE_CHECKING:
    from selfheal_tui.engine.workbench import RunOptions, Workbench


class SelfHealApp(App[str | None]):
    """Returns the id of the session that was open last, None when none was."""

    TITLE = "selfheal"
    CSS_PATH = ["app.tcss", "screens/sessions.tcss", "screens/run.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (120, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (32, "-tall")]

    def __init__(
        self,
        workbench: Workbench,
        *,
        session_id: str | None = None,
        options: RunOptions | None = None,
        settings: Settings | None = None,
    ) -> None:
        """`session_id` opens that session at once; `options` hold for sessions started in the app.

        Raises: SettingsError for keys that cannot be bound so.
        """
        super().__init__()
        self.workbench = workbench
        self.options = options
        self.settings = settings or default_settings()
        self.keymap: dict[str, str] = {}
        """Binding id -> keys with commas, for those that the user has rebound."""
        self.last_session_id = session_id
        """The session whose resume command is worth printing after the app has ended."""
        self.deleted_sessions: list[str] = []
        """Ids of the sessions that can be brought back, the one deleted last at the end."""
        self.use_keys(build_keymap(self.settings.keys))

    def use_keys(self, keymap: dict[str, str]) -> None:
        """Rebind keys from now on."""
        self.keymap = keymap
        self.set_keymap(keymap)

    async def on_mount(self) -> None:
        """Start with the session that was asked for, else with all sessions."""
        await self.push_screen(RunScreen(self.last_session_id) if self.last_session_id else SessionsScreen())

    def show_run(self, session_id: str) -> None:
        """Open a session."""
        self.last_session_id = session_id
        self.switch_screen(RunScreen(session_id))

    def show_sessions(self) -> None:
        """List all sessions."""
        self.switch_screen(SessionsScreen())

    def action_help(self) -> None:
        """List the keys of the screen that is shown."""
        self.push_screen(HelpScreen(live_keys(self.screen, self.keymap)))

    async def action_quit(self) -> None:
        """Close the open session in order, then end."""
        for screen in self.screen_stack:
            if isinstance(screen, RunScreen):
                await screen.driver.close()
        self.exit(self.last_session_id)
