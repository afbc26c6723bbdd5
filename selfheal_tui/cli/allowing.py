"""What the tests run with and may have beyond the sandbox: said before they run, and remembered for their session."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from selfheal_tui.errors import SettingsError
from selfheal_tui.sandbox.allowance import (
    Allowance,
    allowed_words,
    allowing_flags,
    checked_allowance,
    flagged,
    no_more_words,
)
from selfheal_tui.settings import Settings
from selfheal_tui.text import strip_controls

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.session.workbench import Workbench


def tell_allowed(settings: Settings) -> None:
    """Say on stderr what the tests may have; nothing where nothing is allowed. Raises: SettingsError."""
    allowed = checked_allowance(settings.allow_read, settings.allow_network, settings.sessions, os.environ)
    if names := allowed.names():
        _say(f"the tests can {allowed_words(names)} ({allowing_flags(names)})")


async def remember_allowed(workbench: Workbench, session_id: str, settings: Settings) -> None:
    """Write down what the command line allows the tests of a session: later commands need not say it again."""
    allowed = flagged(settings)
    if not allowed.names():
        return
    checked_allowance(allowed.read, allowed.network, settings.sessions, os.environ)
    try:
        await workbench.remember_allowed(session_id, allowed)
    except SettingsError as error:
        _say(f"the tests can {allowed_words(allowed.names())} for this once: {error}")


async def tell_remembered(session: SavedSession, settings: Settings) -> None:
    """Say on stderr what the session's tests may have by an earlier command, and what they had and have no more."""
    now = Allowance(settings.allow_read, settings.allow_network).names()
    if before := [name for name in session.allowed if name not in now]:
        folder = shlex.quote(str(settings.sessions / session.id))
        _say(
            f"the tests can {allowed_words(before)}, as you allowed it for this session; "
            f"to take it back: selfheal config --forget {folder}"
        )
    if words := no_more_words(await session.had_allowed(), session.allowed):
        _say(words)


def _say(words: str) -> None:
    print(strip_controls(f"selfheal: {words}"), file=sys.stderr, flush=True)
