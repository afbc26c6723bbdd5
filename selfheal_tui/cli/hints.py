"""Commands that an error names are made complete: with the session at hand, and where its folder is."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace

from selfheal_tui.errors import SelfHealError

_OF_SESSIONS = re.compile(r"selfheal (?:sessions [a-z]+|lessons [a-z]+|resume)(?: SESSION)?(?! SESSION)\b")


def complete_commands(error: SelfHealError, args: Namespace) -> None:
    """Put the session of this command in the place of the word SESSION in a hint, and its `--sessions` after it."""
    hint = error.hint
    if (folder := getattr(args, "sessions", None)) and "--sessions" not in hint:
        hint = _OF_SESSIONS.sub(lambda command: f"{command[0]} --sessions {shlex.quote(str(folder))}", hint)
    session = getattr(args, "session", None)
    if isinstance(session, str):
        hint = re.sub(r"\bSESSION\b", lambda _: shlex.quote(session), hint)
    error.hint = hint
