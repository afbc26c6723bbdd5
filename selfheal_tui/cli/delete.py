"""`selfheal sessions delete`: remove sessions for good."""

from __future__ import annotations

import asyncio
import shlex
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from selfheal_tui.errors import SelfHealError
from selfheal_tui.money import json_text

from .asking import agreed
from .completers import completes, session_ids
from .compose import build_workbench
from .find import find_session
from .options import add_json, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    session = parser.add_argument("session", metavar="SESSION", nargs="+", help="ids, or the starts of ids")
    completes(session, session_ids)
    parser.add_argument("--yes", action="store_true", help="do not ask; without a terminal nobody is asked")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Delete."""
    settings = load_from(args)
    ids = list(dict.fromkeys(find_session(settings.sessions, prefix) for prefix in args.session))
    if not args.yes and sys.stdin.isatty() and not agreed(f"Delete {', '.join(ids)} for good? [y/N] "):
        print(json_text({"deleted": []}) if args.json else "Nothing was deleted.")
        return 0
    asyncio.run(_delete(settings, ids))
    if args.json:
        print(json_text({"deleted": ids}))
    else:
        print(f"Deleted {', '.join(ids)}.")
    return 0


async def _delete(settings: Settings, ids: list[str]) -> None:
    workbench = build_workbench(settings)
    try:
        for session_id in ids:
            try:
                await workbench.delete_session(session_id)
            except SelfHealError as error:
                # Of several sessions only here it is known which one.
                error.hint = error.hint.replace("SESSION", shlex.quote(session_id))
                raise
    finally:
        await workbench.aclose()
