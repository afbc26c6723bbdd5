"""A session that was cancelled on the command line: what goes on with it, in words or as an object."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from selfheal_tui.money import json_text

from . import CANCELLED
from .event_stream import EventStream, say_result
from .next_steps import resume_command

if TYPE_CHECKING:
    from selfheal_tui.settings import Settings


def tell_cancelled(
    session_id: str, settings: Settings, *, as_json: bool, events: EventStream | None = None, command: str = ""
) -> int:
    """Say how to go on, with `--json` also as one object on stdout; return the exit code.

    `session_id` is empty where none was made yet: then there is nothing to go on with. `command` goes on with it where
    that is not `resume`.
    """
    command = command or (resume_command(session_id, settings) if session_id else "")
    told = {"error": "cancelled", "session_id": session_id, "next": command}
    if as_json:
        say_result(json_text(told), told, as_json=True, events=events)
    if events is not None:
        events.ends_with({**told, "outcome": "cancelled"}, whole=as_json)
    if command:
        print(f"selfheal: cancelled; go on with: {command}", file=sys.stderr)
    return CANCELLED
