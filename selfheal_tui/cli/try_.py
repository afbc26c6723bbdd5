"""`selfheal sessions try`: run Python or a case beside the program of a moment; the run does not move."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.text import strip_controls

from .find import find_moment
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.workshop.trial import Tried


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument(
        "text",
        metavar="CODE",
        help="an expression, Python whose last expression counts, test functions, or the name of a case; `-`: stdin",
    )
    parser.add_argument("--at", metavar="CHECKPOINT", help="a moment or a branch (default: the newest moment)")
    parser.add_argument("--pick", default="", metavar="LABEL", help="with this candidate of that moment laid over")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Print what came of it; 0 when it ended without an exception."""
    text = sys.stdin.read() if args.text == "-" else args.text

    async def tried_there(session: SavedSession) -> Tried:
        return await _try(session, text, args.at, args.pick)

    tried = look_at(load_from(args), args.session, tried_there)
    print(json_text(tried) if args.json else _words(tried))
    return 0 if tried["outcome"] == "passed" else 1


async def _try(session: SavedSession, text: str, at: str | None, pick: str) -> Tried:
    checkpoint_id = find_moment(await session.timeline(), at) if at else await session.head()
    if checkpoint_id is None:
        raise InputError("The session has not run yet.", "Start it: selfheal resume SESSION")
    if not pick:
        return await session.try_text(checkpoint_id, text)
    candidates = (await session.snapshot(checkpoint_id)).candidates
    if pick not in candidates:
        there = f"There are: {', '.join(candidates)}." if candidates else "No repair is proposed there."
        raise InputError(f"There is no candidate {pick!r} at this moment.", there)
    return await session.try_text(checkpoint_id, text, candidates[pick]["changes"], f"repair {pick}")


def _words(tried: Tried) -> str:
    from selfheal_tui.engine.workshop.trial import frames_above

    lines = [tried["output"].rstrip("\n")] if tried["output"].strip() else []
    if tried["value"] is not None:
        lines.append(tried["value"])
    if tried["error"]:
        lines += [*frames_above(tried).splitlines(), *([] if tried["cases"] else [tried["error"]])]
    elif tried["kind"] == "case":
        lines.append(f"{tried['text']}: {tried['outcome']}")
    for case in tried["cases"]:
        lines.append(f"{case['name']}: {case['outcome']}" + (f": {case['error']}" if case["error"] else ""))
    return strip_controls("\n".join(lines) or "It ended without an exception, and has no value.")
