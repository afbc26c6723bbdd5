"""Opening the full-screen app; the only place of the command line that imports Textual."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.text import and_list, strip_controls

from . import BUG
from .allowing import remember_allowed
from .compose import LateWorkbench, build_options
from .folding import folded
from .options import RUN_SETTINGS, STORE_SETTINGS, add_settings
from .trusting import Standing

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.ui.app import SelfHealApp, Started
    from selfheal_tui.ui.screens.trust import TrustQuestion

_CRASHED = 1
"""What Textual calls the end of an app that raised something; it has printed the traceback."""
_UNHEALED = ("gave_up", "stalled", "budget", "stopped")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the flags of `selfheal` alone."""
    add_settings(parser, (*RUN_SETTINGS, "theme"))


def run(args: Namespace) -> int:
    """Open the app on the sessions screen."""
    standing = Standing(args)
    require_terminal(standing.settings())
    return open_app(standing, lambda settings: Begun(None, _checked_options(settings)))


def has_terminal() -> bool:
    """Tell whether a person can see and steer the app."""
    if "TEXTUAL_DRIVER" in os.environ:  # `selfheal serve`: the terminal is a browser
        return True
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def require_terminal(settings: Settings) -> None:
    """Check that the app can be shown. Raises: SettingsError for what was given, else InputError naming --headless."""
    if not has_terminal():
        build_options(settings)
        raise InputError(
            f"This is not a terminal ({_elsewhere()}), so the app cannot be shown.",
            "Run demo, new, fix or resume with --headless or --json; see `selfheal --help`.",
        )


def _elsewhere() -> str:
    """Say which of the three streams is none: `errors go elsewhere`."""
    streams = ((sys.stdin, "input comes from"), (sys.stdout, "output goes"), (sys.stderr, "errors go"))
    return and_list([f"{what} elsewhere" for stream, what in streams if not stream.isatty()])


class Begun(NamedTuple):
    """What the app is opened on, for the settings that hold."""

    find: Callable[[Workbench], Awaitable[str]] | None
    """Returns the id of the session to open; None for the list of sessions."""
    options: RunOptions | None
    """What sessions run with that are started in the app; None when all is as it comes."""
    prepare: Callable[[Workbench], None] | None = None
    """Begins what takes its time beside us and leaves nothing behind; before Textual is imported."""
    notice: str = ""
    """What is said once the app stands: files that were left out; empty for nothing."""


Begin = Callable[[Settings], Begun]


def open_app(standing: Standing, begin: Begin) -> int:
    """Show the app; afterwards say how to go on.

    What the folder brings is asked about first, in the app, and `begin` is told the settings that hold then. It is
    called outside of any event loop. Raises: whatever `begin` does.
    """
    settings = standing.settings()
    begun = None if standing.asks else begin(settings)
    app = asyncio.run(_show(standing, begin, begun))
    if app.last_session_id and app.last_session_id == app.only_read_id:
        command = f"sessions show {app.last_session_id}{sessions_flag(app.settings)}"
        print(folded(f"selfheal: it can only be looked at: selfheal {command}", sys.stderr), file=sys.stderr)
    elif app.last_session_id and (command := _way_on(app.settings, app.last_session_id, app.last_commits)):
        # The command alone, so that its whole line can be copied.
        print(folded(f"selfheal: {command}", sys.stderr), file=sys.stderr)
        if app.search_lost:
            print("selfheal: the search that was under way starts anew then", file=sys.stderr)
        if app.wider_command:
            print(strip_controls(f"selfheal: to search there too: {app.wider_command}"), file=sys.stderr)
    return BUG if app.return_code == _CRASHED else app.return_code or 0


async def _show(standing: Standing, begin: Begin, begun: Begun | None) -> SelfHealApp:
    workbenches: list[LateWorkbench] = []

    async def start(begun: Begun) -> Started:
        settings = standing.settings()
        workbench = LateWorkbench(settings)
        workbenches.append(workbench)
        if begun.prepare is not None:
            begun.prepare(await asyncio.to_thread(workbench))
        # In a thread: what was begun goes on meanwhile.
        await asyncio.to_thread(importlib.import_module, "selfheal_tui.ui.app")
        from selfheal_tui.ui.app import SelfHealApp, Started

        # Before a session is made: a theme or keys that cannot be used must not leave one behind.
        SelfHealApp(workbench, settings=settings)
        session_id = await begun.find(await asyncio.to_thread(workbench)) if begun.find else None
        if session_id is not None:
            await remember_allowed(await asyncio.to_thread(workbench), session_id, settings)
        return Started(settings, workbench, session_id, begun.options, begun.notice)

    async def answered(trusted: bool) -> Started:
        if trusted:
            standing.accept()
        return await start(await asyncio.to_thread(begin, standing.settings()))

    try:
        if begun is not None:
            first = await start(begun)
            from selfheal_tui.ui.app import SelfHealApp

            app = SelfHealApp(
                first.workbench,
                session_id=first.session_id,
                options=first.options,
                settings=first.settings,
                notice=first.notice,
            )
        else:
            from selfheal_tui.ui.app import SelfHealApp

            settings = standing.settings()
            app = SelfHealApp(LateWorkbench(settings), settings=settings, question=_question(standing), start=answered)
        try:
            await app.run_async()
        finally:
            app.window.give_back()
        if app.failure is not None:
            raise app.failure
        return app
    finally:
        for workbench in workbenches:
            await workbench.aclose()


def _question(standing: Standing) -> TrustQuestion:
    from selfheal_tui.ui.screens.trust import TrustQuestion

    return TrustQuestion(str(standing.folder), standing.settings().left_out)


def _checked_options(settings: Settings) -> RunOptions | None:
    """Check what sessions would run with; None when all is as it comes, so that the engine need not be there yet."""
    names = ["role_models", *(name for name in RUN_SETTINGS if name not in STORE_SETTINGS)]
    if all(settings.origins.get(name) == "default" for name in names):
        return None
    return build_options(settings)


def _way_on(settings: Settings, session_id: str, commits: Sequence[str] = ()) -> str:
    from selfheal_tui.engine.moment.state import WELL_ENDED
    from selfheal_tui.store.sessions import SessionStore

    from .next_steps import resume_command

    try:
        row = SessionStore(settings.sessions).row(session_id)
    except OSError:
        return ""
    if row.outcome in WELL_ENDED:
        return _healed_words(settings, session_id, commits) if row.outcome == "healed" else ""
    command = resume_command(session_id, settings)
    return (
        f"it ended unhealed; look at it, or answer otherwise, with: {command}"
        if row.outcome in _UNHEALED
        else f"go on with: {command}"
    )


def _healed_words(settings: Settings, session_id: str, commits: Sequence[str]) -> str:
    """Say what became of a healed program: committed, written, or only in its session."""
    from selfheal_tui.store.applied import applied_branch

    from .next_steps import resume_command

    if commits:
        return f"healed, committed as {', '.join(commits)}"
    if applied_branch(settings.sessions / session_id):
        return "healed, and written into your files"
    return f"healed; look at it or take it with: {resume_command(session_id, settings)}"
