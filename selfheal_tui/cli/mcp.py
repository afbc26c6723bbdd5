"""`selfheal mcp`: tools for other agents, over the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.text import with_session

from . import UNREAD
from .compose import build_workbench, close_workbench
from .next_steps import decide_command, next_command, rest_of
from .options import RUN_SETTINGS, add_settings
from .trusting import Standing, left_out_words

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.mcp_server.front import Front

_PERMISSIONS = ("autonomy", "allow_unsandboxed", "allow_read", "allow_network")
"""What no command line gives an agent: it may be a project's file that registers the server."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    names = tuple(name for name in RUN_SETTINGS if name not in _PERMISSIONS)
    add_settings(parser, names, trust=False)
    parser.epilog = "An agent starts this; docs/mcp.md says how it is registered, and what an agent may do."


def run(args: Namespace) -> int:
    """Serve until the client goes away. Raises: InputError where the package is missing, SettingsError."""
    if find_spec("mcp") is None:
        raise InputError("mcp needs the package mcp.", "Run: pip install 'selfheal-tui[mcp]'.")
    Standing(args).told()
    if sys.stdin.isatty():
        print(
            "selfheal: an agent starts this and speaks with it; to register it in Claude Code: "
            "claude mcp add selfheal -- selfheal mcp. Ctrl-C ends.",
            file=sys.stderr,
        )
    return asyncio.run(_serve(lambda: front_of(args)))


def front_of(args: Namespace) -> Front:
    """Return what the server uses of the command line."""
    from selfheal_tui.mcp_server.front import Front
    from selfheal_tui.mcp_server.permissions import permitted

    from .human import progress_line
    from .suite_once import run_suite

    def settings() -> Settings:
        return permitted(Standing(args).settings())

    return Front(settings, _workbench, run_suite, _result, progress_line, _left_out, decide_command)


def _left_out(settings: Settings) -> list[str]:
    return [left_out_words(one) for one in settings.left_out if not (one.why or one.meanwhile)]


@asynccontextmanager
async def _workbench(settings: Settings) -> AsyncIterator[Workbench]:
    workbench = build_workbench(settings)
    try:
        yield workbench
    finally:
        await close_workbench(workbench)


async def _result(session: Session, last: Event | None, newest: Snapshot | None, settings: Settings) -> dict[str, Any]:
    from .result import result_of

    result, _ = result_of(last, newest, session.id)
    result["reason"] = with_session(result["reason"], shlex.quote(session.id) + sessions_flag(settings))
    result["next"] = next_command(result, settings, await rest_of(session, newest, last, settings))
    return result


async def _serve(front_of: Callable[[], Front]) -> int:
    """Serve until stdin ends, or a signal: then what is in flight is ended first."""
    ended_by: asyncio.Queue[int] = asyncio.Queue()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ended_by.put_nowait, number)
    # Not before: a signal meanwhile would be taken for Ctrl-C by a loop that waits for the client.
    from selfheal_tui.mcp_server.server import HealServer
    from selfheal_tui.mcp_server.work import Works

    works = Works()
    serving = asyncio.create_task(HealServer(front_of(), works).run_stdio_async())
    ending = asyncio.create_task(ended_by.get())
    await asyncio.wait({serving, ending}, return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        await works.end_all()
        sys.stderr.flush()
        # A thread waits for the next line of stdin, and nothing but the client wakes it.
        os._exit(128 + ending.result())
    ending.cancel()
    code = 0
    try:
        await serving
    except* BrokenPipeError:
        code = UNREAD
    return code
