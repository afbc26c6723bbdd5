"""The app: one screen at a time over one workbench. Imports neither LangGraph nor the engine's heavy modules.

Screens that are not there at the first paint are imported when they are shown.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App, SystemCommand
from textual.driver import Driver
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Input, TextArea

from selfheal_tui.errors import SelfHealError, SettingsError
from selfheal_tui.extensions import take_problems
from selfheal_tui.setting_layers import reload_settings
from selfheal_tui.setting_values import nearest
from selfheal_tui.settings import Settings, default_settings
from selfheal_tui.text import strip_controls

from .kit.colourless import Colourless, without_greys
from .kit.desktop import notification, way_of
from .kit.end_signals import EndSignals
from .kit.key_order import KeyOrder, KeyPassed
from .kit.key_owner import owner_of_keys
from .kit.keymap import build_keymap
from .kit.last_gate import LastGate
from .kit.motion import STILL
from .kit.readable import Readable
from .kit.terminal import WindowTitle
from .kit.themes import CONTRAST
from .screens.sessions import SessionsScreen
from .screens.setting_rows import AT_ONCE, UNSAVED

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench

    from .screens.trust import TrustQuestion


@dataclass(frozen=True, slots=True)
class Started:
    """What the app works with, once the user has said whether the folder is trusted."""

    settings: Settings
    workbench: Callable[[], Workbench]
    session_id: str | None
    """The session to open; None for the list."""
    options: RunOptions | None
    notice: str = ""
    """What is said once at the start; empty for nothing."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A session that does not lie in the sessions folder is shown, and what holds again afterwards."""

    workbench: Workbench
    sessions: Path
    """The sessions folder of the settings."""
    origin: str
    session_id: str | None
    """What was open last there."""


class SelfHealApp(App[str | None]):
    """Returns the id of the session that was open last, None when none was."""

    TITLE = "selfheal"
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (120, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (32, "-tall")]

    def __init__(
        self,
        workbench: Workbench | Callable[[], Workbench],
        *,
        session_id: str | None = None,
        options: RunOptions | None = None,
        settings: Settings | None = None,
        question: TrustQuestion | None = None,
        start: Callable[[bool], Awaitable[Started]] | None = None,
        notice: str = "",
    ) -> None:
        """`session_id` opens that session at once; `options` hold for sessions started in the app.

        `workbench` may be what returns it, called from any thread after the first paint. With a `question` it is
        asked first, and `start` is told the answer and says what to work with. A `notice` is shown once at the start.
        Raises: SettingsError for a theme that there is not, and for keys that cannot be bound so.
        """
        # The other screens bring their rules with them: to read them all took a tenth of the time to the first paint.
        super().__init__(css_path=["app.tcss", "run/run.tcss" if session_id else "screens/sessions.tcss"])
        self.register_theme(CONTRAST)
        self._filters += [Readable(self, CONTRAST.name), LastGate()]
        # An empty variable asks for nothing (no-color.org); Textual takes it for a wish.
        self.no_color = bool(os.environ.get("NO_COLOR"))
        self._filters = without_greys(self._filters)
        if self.no_color:
            self._filters.append(Colourless(self))
        self._full_motion = self.animation_level
        self._key_order = KeyOrder(self, super().on_event, self._line_answers)
        self._workbench = workbench
        self._question, self._start, self._notice = question, start, notice
        self.failure: SelfHealError | None = None
        """Why the app ended before it showed anything else than the question about the folder."""
        self._settled = False
        self.options = options
        self.settings = settings or default_settings()
        self.keymap: dict[str, str] = {}
        """Binding id -> keys with commas, for those that the user has rebound."""
        self.last_session_id = session_id
        """The session whose resume command is worth printing after the app has ended."""
        self.only_read_id = ""
        """The session that can only be looked at, if it was opened: nothing is told to go on with it."""
        self.last_commits: tuple[str, ...] = ()
        """Short ids of what was committed last on the branch that is checked out."""
        self.wider_command = ""
        """What searches files too that failing cases run and the session does not search; empty for none."""
        self.search_lost = False
        """Whether the app ended in the middle of a search."""
        self.deleted_sessions: list[str] = []
        """Ids of the sessions that can be brought back, the one deleted last at the end."""
        self.bench_folders: list[Path] = []
        """Folders of benchmark runs that the user named."""
        self._elsewhere: Elsewhere | None = None
        self._beside: dict[Path, Workbench] = {}
        """Sessions folder -> the workbench over it, of those that were taken beside that of the settings."""
        self.sessions_filter = ""
        """What the list of sessions was filtered by when it was left."""
        self.new_run_draft: dict[str, str] = {}
        """What stood in the form of a new run when it was left."""
        self.unsaved_settings: dict[str, object] = {}
        """Setting -> value changed in the app and not saved; None takes it out of the file."""
        self.window = WindowTitle(self._tell_terminal)
        self.use_keys(build_keymap(self.settings.keys))
        self.use_theme(self.settings.theme)
        self._use_motion()

    async def on_event(self, event: events.Event) -> None:
        """Hand on what is typed in its order; everything else at once."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self._key_order.take(event)
        else:
            await super().on_event(event)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something at the edge, once: a key that is pressed again is not answered by a second toast."""
        if any((shown.message, shown.severity) == (message, severity) for shown in self._notifications):
            return
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def _line_answers(self) -> bool:
        return self.is_running and (owner := owner_of_keys(self.screen)) is not None and owner.is_answered

    def on_key_passed(self, event: KeyPassed) -> None:
        """The key before was handled."""
        self._key_order.passed(event)

    async def on_key(self, event: events.Key) -> None:
        """Give an open line the keys that nothing else took, wherever the focus is: they are no commands."""
        if (prompt := owner_of_keys(self.screen)) is not None and await prompt.take(event):
            event.stop()
            event.prevent_default()

    @property
    def workbench(self) -> Workbench:
        """All sessions. The first use may import the engine: not on the way to the first paint."""
        if self._elsewhere is not None:
            return self._elsewhere.workbench
        return self._workbench() if callable(self._workbench) else self._workbench

    def settle(self) -> None:
        """Call `gc.freeze()` once everything is imported, so that a full collection never delays a key."""
        if not self._settled and not self.is_headless:
            self._settled = True
            gc.freeze()

    def use_theme(self, name: str) -> None:
        """Show these colours from now on. Raises: SettingsError."""
        if name not in self.available_themes:
            raise SettingsError(f"There is no theme {name!r}.", nearest(name, sorted(self.available_themes)))
        self.theme = name

    def use_keys(self, keymap: dict[str, str]) -> None:
        """Rebind keys from now on."""
        self.keymap = keymap
        self.set_keymap(keymap)

    async def new_run_options(self) -> RunOptions:
        """Return what a session started now runs with. Raises: SettingsError."""
        if self.options is not None:
            return self.options
        from selfheal_tui.engine.session.options import chosen_models, run_options

        models, _ = await chosen_models(self.settings.models())
        return run_options(self.settings, models)

    def change_setting(self, name: str, value: Any, *, unset: bool = False) -> None:
        """Use a checked value until the app ends; `save_settings` keeps it, or takes it out with `unset`."""
        origins = {**self.settings.origins, name: UNSAVED}
        changed: dict[str, Any] = {name: value, "origins": origins}
        self.settings = replace(self.settings, **changed)
        self.unsaved_settings[name] = None if unset else value
        self.options = self.options if name in AT_ONCE else None
        self._apply_settings()

    def save_settings(self) -> str:
        """Write the changed settings into the user's own file; say what was done. Raises: SettingsError."""
        from selfheal_tui.settings_file import save_settings

        names, changed = list(self.unsaved_settings), self.settings
        path = save_settings(self.unsaved_settings)
        self.unsaved_settings = {}
        self.settings = reload_settings(self.settings)
        self._apply_settings()
        hidden = [name for name in names if getattr(self.settings, name) != getattr(changed, name)]
        stronger = f" {hidden[0]} is still set by: {self.settings.origins[hidden[0]]}." if hidden else ""
        return f"Saved {', '.join(names)} in {path}.{stronger}"

    def _apply_settings(self) -> None:
        self.use_keys(build_keymap(self.settings.keys))
        if self.theme != self.settings.theme:
            self.use_theme(self.settings.theme)
        self._use_motion()

    def _use_motion(self) -> None:
        """Let things move as the settings and TEXTUAL_ANIMATIONS say."""
        still = self.settings.reduced_motion
        self.animation_level = "none" if still else self._full_motion
        self.set_class(still, STILL)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Let a cursor stand still where nothing is to move."""
        if self.has_class(STILL) and isinstance(event.widget, Input | TextArea):
            event.widget.cursor_blink = False

    async def notify_desktop(self, words: str) -> None:
        """Let the terminal show a notification, where it has them and the user looks elsewhere."""
        if self.app_focus or self.is_headless or self.is_web:
            return
        way = await asyncio.to_thread(way_of, self.settings.notify, os.environ)
        if way is not None and not self.app_focus:
            self._tell_terminal(notification(way[0], "selfheal", words, way[1]))

    def action_settings(self) -> None:
        """Show all settings."""
        from .screens.settings import SettingsScreen

        self.push_screen(SettingsScreen())

    def get_driver_class(self) -> type[Driver]:
        """Return what shows the app: for a terminal ours, which also survives a stop and a closed window."""
        driver_class = super().get_driver_class()
        if driver_class.__name__ != "LinuxDriver":
            return driver_class
        from .kit.terminal_driver import TerminalDriver

        return TerminalDriver

    async def on_mount(self) -> None:
        """Ask about the folder, if there is something to ask; then show what was asked for."""
        if not (self.is_headless or self.is_web):
            EndSignals(self._close_session, lambda code: self.exit(self.last_session_id, code), os._exit).attend()
        if self._question is None:
            await self._show_first()
            return
        from .screens.trust import TrustScreen

        await self.push_screen(TrustScreen(self._question), self._on_trust)

    async def _show_first(self) -> None:
        """Start with the session that was asked for, else with all sessions; say what there is to say of it."""
        if self._notice:
            self.notify(self._notice, severity="warning", markup=False)
        for sentence in take_problems():
            self.notify(sentence, severity="warning", markup=False)
        if not self.last_session_id:
            await self.push_screen(SessionsScreen())
            return
        from .run.run import RunScreen

        await self.push_screen(RunScreen(self.last_session_id))

    async def _on_trust(self, trusted: bool | None) -> None:
        """Go on with what holds after the user's answer; a failure ends the app, and its caller tells it."""
        assert self._start is not None
        try:
            started = await self._start(bool(trusted))
            self._workbench, self.options = started.workbench, started.options
            self.settings, self.last_session_id = started.settings, started.session_id
            self._notice = started.notice
            self._apply_settings()
        except SelfHealError as error:
            self.failure = error
            self.exit(None)
            return
        await self._show_first()
        left_out = [one.name for one in self.settings.left_out if not one.why]
        if left_out:
            self.notify(f"Left out of what this folder brings: {', '.join(left_out)}.", markup=False)

    def show_run(self, session_id: str, *, paused: bool = False) -> None:
        """Open a session and go on with it; one that was `paused` stays so."""
        from .run.run import RunScreen

        self.last_session_id, self.last_commits, self.wider_command = session_id, (), ""
        self._leave_for(RunScreen(session_id, paused=paused))

    def show_new_run(self) -> None:
        """Show the form of a new run."""
        from .screens.new_run import NewRunScreen

        self._leave_for(NewRunScreen())

    def show_compare(self, session_id: str, a: str, b: str) -> None:
        """Compare two checkpoints or branches of the session that is open."""
        from .run.run import RunScreen
        from .screens.compare import CompareScreen

        for screen in self.screen_stack:
            if isinstance(screen, RunScreen) and screen.session_id == session_id and screen.driver.session is not None:
                self.push_screen(CompareScreen(screen.driver.session, screen.model.timeline, a, b, screen))
                return

    async def show_kept(self, sessions: Path, session_id: str) -> None:
        """Open a session of another sessions folder over what is shown; nothing runs by itself. Leaving it comes back.

        Until then the app works with that folder, so that what it tells to go on with names it.
        Raises: SettingsError.
        """
        from .run.run import RunScreen

        if sessions not in self._beside:
            self._beside[sessions] = await asyncio.to_thread(lambda: self.workbench.beside(sessions))
        settings, name = self.settings, "sessions"
        self._elsewhere = Elsewhere(
            self._beside[sessions], settings.sessions, settings.origins.get(name, ""), self.last_session_id
        )
        self.settings = replace(settings, sessions=sessions, origins={**settings.origins, name: "flag --sessions"})
        self.last_session_id, self.last_commits, self.wider_command = session_id, (), ""
        self.clear_notifications()
        self.push_screen(RunScreen(session_id, waits=True))

    def _leave_elsewhere(self, elsewhere: Elsewhere) -> None:
        """Work with the sessions folder of the settings again."""
        self._elsewhere = None
        origins = {**self.settings.origins, "sessions": elsewhere.origin}
        self.settings = replace(self.settings, sessions=elsewhere.sessions, origins=origins)
        self.last_session_id, self.last_commits, self.wider_command = elsewhere.session_id, (), ""

    async def on_unmount(self) -> None:
        """Close the workbenches of sessions elsewhere; that of the settings belongs to whoever gave it."""
        for workbench in self._beside.values():
            await workbench.aclose()

    def show_sessions(self, *, paused: bool = False) -> None:
        """List all sessions; Escape goes back to the last one, which stays `paused` if it was.

        From a session elsewhere it goes back to where that was opened.
        """
        self.window.show("selfheal")
        if self._elsewhere is not None:
            self.clear_notifications()
            self.pop_screen()
            self._leave_elsewhere(self._elsewhere)
            return
        self._leave_for(SessionsScreen(paused=paused))

    def _leave_for(self, screen: Screen[None]) -> None:
        """Show a screen in the place of another, without its toasts: a key that they name does something else here."""
        self.clear_notifications()
        self.switch_screen(screen)

    def action_bench(self) -> None:
        """Show the benchmark runs of this folder."""
        from .screens.bench import BenchScreen

        self.push_screen(BenchScreen())

    def action_help(self) -> None:
        """List the keys of the screen that is shown."""
        from .screens.help import HelpScreen, live_keys

        self.push_screen(HelpScreen(live_keys(self.screen, self.keymap)))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Fill the command palette."""
        from .palette import commands

        return commands(self, screen)

    def action_picture(self) -> None:
        """Keep a picture of the screen."""
        try:
            name = self.save_screenshot(path=os.getcwd())
        except OSError as error:
            self.notify(f"No picture: {error.strerror}.", severity="error", markup=False)
            return
        self.notify(f"Picture: {name}", markup=False)

    def copy(self, title: str, text: str) -> None:
        """Hand a text to the terminal's clipboard and keep it in a file; say what was copied and where."""
        from .run.tabs.copying import keep_copy

        if not text.strip():
            self.notify(f"There is nothing to copy here ({title}).", markup=False)
            return
        self.copy_to_clipboard(strip_controls(text))
        size = f"{len(text.splitlines())} lines" if "\n" in text.strip() else f"{len(text)} characters"
        try:
            also_in = f"; also in {keep_copy(Path(self.settings.sessions), text)}"
        except OSError:
            also_in = ""
        self.notify(f"Copied {title}, {size}{also_in}.", markup=False)

    def _tell_terminal(self, sequence: str) -> None:
        if self.is_headless or self.is_web:
            return
        if self.is_running and self._driver is not None:
            self._driver.write(sequence)
        elif sys.__stderr__ is not None:
            print(sequence, end="", file=sys.__stderr__, flush=True)

    def action_help_quit(self) -> None:
        """Say on ctrl-c which key ends the app: Textual would name one of its own that nothing here tells of."""
        bindings = [(key, at.binding) for key, at in self.active_bindings.items()]
        key = next((key for key, one in bindings if one.action == "app.quit" or one.id == "run.quit"), "")
        back = not key or isinstance(self.focused, Input | TextArea)
        self.notify(f"{'First esc, then ' if back else ''}{key or 'q'} quits.", markup=False)

    async def action_quit(self) -> None:
        """Close the open session in order, then end."""
        await self._close_session()
        self.exit(self.last_session_id)

    async def _close_session(self) -> None:
        for screen in self.screen_stack:
            if (close := getattr(screen, "close_session", None)) is not None:
                self.search_lost = getattr(screen, "searches", False)
                await close()
