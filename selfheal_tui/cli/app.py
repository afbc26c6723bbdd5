"""Opening the full-screen app; the only place of the command line that imports Textual."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings

from .compose import LateWorkbench, build_options
from .options import RUN_SETTINGS, STORE_SETTINGS, add_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.workbench import RunOptions, Workbench

_ENDED = ("healed", "gave_up", "stalled", "budget", "stopped")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the flags of `selfheal` alone."""
    add_settings(parser, (*RUN_SETTINGS, "theme"))


def run(args: Namespace) -> int:
    """Open the app on the sessions screen."""
    require_terminal()
    return open_app(load_from(args), None)


def require_terminal() -> None:
    """Check that a person can see and steer the app. Raises: InputError naming --headless."""
    if "TEXTUAL_DRIVER" in os.environ:  # `selfheal serve`: the terminal is a browser
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise InputError(
            "This is not a terminal, so the app cannot be shown.",
            "Run demo, new, fix or resume with --headless or --json; see `selfheal --help`.",
        )


def open_app(
    settings: Settings, find: Callable[[Workbench], Awaitable[str]] | None, options: RunOptions | None = None
) -> int:
    """Show the app, on the session that `find` names or on the list; afterwards say how to go on."""
    last = asyncio.run(_show(settings, find, options or _checked_options(settings)))
    if last and (command := _unfinished(settings, last)):
        print(f"selfheal: go on with: {command}", file=sys.stderr)
    return 0


async def _show(
    settings: Settings, find: Callable[[Workbench], Awaitable[str]] | None, options: RunOptions | None
) -> str | None:
    from selfheal_tui.ui.app import SelfHealApp

    workbench = LateWorkbench(settings)
    try:
        session_id = None
        if find:
            # Before a session is made: a theme or keys that cannot be used must not leave one behind.
            SelfHealApp(workbench, settings=settings)
            session_id = await find(workbench())
        app = SelfHealApp(workbench, session_id=session_id, options=options, settings=settings)
        try:
            await app.run_async()
        finally:
            app.window.give_back()
        return app.last_session_id
    finally:
        await workbench.aclose()


def _checked_options(settings: Settings) -> RunOptions | None:
    """Check what sessions would run with; None when all is as it comes, so that the engine need not be there yet."""
    names = ["role_models", *(name for name in RUN_SETTINGS if name not in STORE_SETTINGS)]
    if all(settings.origins.get(name) == "default" for name in names):
        return None
    return build_options(settings)


def _unfinished(settings: Settings, session_id: str) -> str:
    from selfheal_tui.store.sessions import SessionStore

    from .human import resume_command

    try:
        row = SessionStore(settings.sessions).row(session_id)
    except OSError:
        return ""
    return "" if row.outcome in _ENDED else resume_command(session_id, settings)
