"""What the tests run with and may have beyond the sandbox, said before they run: no permission is remembered."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.allowance import (
    Allowance,
    allowed_words,
    allowing_flags,
    checked_allowance,
    no_more_words,
)
from selfheal_tui.settings import Settings
from selfheal_tui.text import strip_controls

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession


def tell_allowed(settings: Settings) -> None:
    """Say on stderr what the tests may have; nothing where nothing is allowed. Raises: SettingsError."""
    allowed = checked_allowance(settings.allow_read, settings.allow_network, settings.sessions, os.environ)
    if names := allowed.names():
        _say(f"the tests can {allowed_words(names)} ({allowing_flags(names)})")


async def tell_no_more(session: SavedSession) -> None:
    """Say on stderr what the session's tests had and have no more."""
    if words := no_more_words(await session.had_allowed(), session.allowed):
        _say(words)


def flags_of(settings: Settings) -> str:
    """Return ` --python X --allow-network ...` where a later command needs it to run the same, else empty."""
    was_flag = [settings.origins.get(name, "").startswith("flag") for name in ("allow_read", "allow_network")]
    names = Allowance(
        settings.allow_read if was_flag[0] else (), settings.allow_network if was_flag[1] else False
    ).names()
    python = (
        f" --python {shlex.quote(settings.python)}" if settings.origins.get("python", "").startswith("flag") else ""
    )
    return f"{python} {allowing_flags(names)}" if names else python


def _say(words: str) -> None:
    print(strip_controls(f"selfheal: {words}"), file=sys.stderr, flush=True)
