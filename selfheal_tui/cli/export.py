"""`selfheal sessions export`: a branch as a report, JSON or a patch; all decisions; the session. No key leaves."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.out.export.plugged import FORMATS, check_format
from selfheal_tui.errors import InputError, SessionDamaged, SessionError
from selfheal_tui.text import show_controls, size_words
from selfheal_tui.walled import named_report
from selfheal_tui.whole_file import not_written, write_named

from .completers import completes
from .find import find_branch, find_or_newest
from .look import look_at, look_at_rest
from .options import add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.history.watched_session import WatchedSession
    from selfheal_tui.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser, optional=True)
    parser.add_argument("--branch", metavar="B", help="which branch (default: the one that ran last; jsonl: all)")
    forms = (
        "md (the default) and html: a report to read; json and patch: for programs; sarif: for code scanning; rdjson: "
        "for reviewdog; prompts: what the models were asked and said; jsonl: the decisions; session: all of it, to go "
        "on with elsewhere; and those of enabled plug-ins"
    )
    metavar = "|".join(FORMATS)
    completes(parser.add_argument("--format", metavar=metavar, default="md", help=forms), lambda **_: list(FORMATS))
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it there, not to stdout")
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Export and write."""
    settings = load_from(args)
    check_format(args.format)
    args.session = find_or_newest(settings, args)
    if args.format == "session":
        return _hand_on(settings, args)

    async def read(session: SavedSession) -> str:
        from selfheal_tui.engine.out.export.forms import decision_line, exported
        from selfheal_tui.engine.out.tell import tell_decisions, tell_story

        home = str(Path.home())
        branch = find_branch(await session.timeline(), args.branch)
        if args.format == "jsonl":
            decisions = tell_decisions(session, branch if args.branch else None)
            return "".join([decision_line(one, os.environ, home) async for one in decisions])
        return exported(await tell_story(session, branch), args.format, os.environ, home, await session.root())

    from selfheal_tui.engine.out.export.patch import patch_bytes

    damaged: SessionDamaged | None = None
    try:
        content = patch_bytes(look_at(settings, args.session, read))
    except SessionDamaged as error:
        damaged = error
        content = patch_bytes(_of_the_rest(settings, args, error, read))
    _write(args, content)
    if damaged is not None:
        damaged.shown = True
        raise damaged
    return 0


def _of_the_rest(
    settings: Settings, args: Namespace, damaged: SessionDamaged, read: Callable[[SavedSession], Awaitable[str]]
) -> str:
    """Return the export of what can be read of a damaged session, and let its error say so. Raises: that error."""

    async def read_rest(session: WatchedSession) -> str:
        content = await read(session)
        if session.rest is not None:
            damaged.message += f" Exported is what can be read: {session.rest.words}."
        return content

    try:
        return look_at_rest(settings, args.session, damaged, read_rest)
    except (SessionError, InputError) as error:
        raise damaged from error


def _write(args: Namespace, content: bytes) -> None:
    """Write an export where it was wished."""
    if args.format == "patch" and not content:
        print("selfheal: That branch changes nothing: the patch is empty. Another one: --branch B", file=sys.stderr)
    if args.output is None:
        # A patch is not made safe for a terminal: it would no longer apply.
        if sys.stdout.isatty():
            sys.stdout.write(show_controls(content.decode("utf-8", "replace")))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        return
    try:
        write_named(named_report(args.output), content)
    except OSError as error:
        raise not_written(args.output, error) from error
    print(f"Written: {args.output} ({size_words(len(content))})", file=sys.stderr)


def _hand_on(settings: Settings, args: Namespace) -> int:
    """Write the whole session as one file: to its end, or not at all."""
    from selfheal_tui.engine.out.transfer.writing import write_session_file
    from selfheal_tui.store.sessions import SessionStore

    if args.branch:
        raise InputError("A session is exported with all its branches.", "Leave --branch out.")
    if args.output is None:
        raise InputError("A session is written to a file.", "Name it: -o NAME.selfheal")
    folder = SessionStore(settings.sessions).folder(args.session)
    done = write_session_file(folder, named_report(args.output), os.environ, str(Path.home()))
    for place in done.redacted:
        print(f"Without keys and your home folder: {show_controls(place)}", file=sys.stderr)
    size = size_words(args.output.stat().st_size)
    print(
        f"Written: {args.output} ({size}); open it with: selfheal resume {shlex.quote(str(args.output))}",
        file=sys.stderr,
    )
    return 0
