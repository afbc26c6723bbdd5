"""`selfheal acp`: the loop for an editor that speaks the Agent Client Protocol, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.allowance import allowed_words, checked_allowance
from selfheal_tui.settings import Settings

from .allowing import remember_allowed
from .compose import build_startable_options, build_workbench, close_workbench
from .options import RUN_SETTINGS, add_settings
from .trusting import Standing, left_out_words, load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.state import Mode
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.engine.task.task import Task

_REGISTER = "Register `selfheal acp` as an agent in your editor."


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = "An editor starts this command; with --trust what the folder brings that it is started in counts."
    add_settings(parser, RUN_SETTINGS)


def run(args: Namespace) -> int:
    """Serve until the editor closes its end. Raises: InputError without the package, and where no editor is."""
    if find_spec("acp") is None:
        raise InputError("acp needs agent-client-protocol.", "Run: pip install 'selfheal-tui[acp]'.")
    if not (_is_pipe(sys.stdin) and _is_pipe(sys.stdout)):
        raise InputError("An editor starts this command and speaks to it over pipes; here are none.", _REGISTER)
    load_from(args)
    from selfheal_tui.acp.serving import serve

    # What was trusted by the flag is the folder that we were started in, and no other that an editor opens.
    asked = Namespace(**{**vars(args), "trust": False})
    asyncio.run(serve(lambda folder: FolderDesk(asked, folder)))
    return 0


def _is_pipe(stream: TextIO) -> bool:
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class FolderDesk:
    """What a thread gets to know of its folder: see `selfheal_tui/acp/desk.py`."""

    def __init__(self, args: Namespace, folder: Path) -> None:
        """Read what the folder brings. Raises: SettingsError."""
        self._standing = Standing(args, folder)
        self._standing.settings()

    @property
    def folder(self) -> Path:
        """The folder."""
        return self._standing.folder

    @property
    def asks(self) -> bool:
        """Whether a yes would change what holds now."""
        return self._standing.asks

    def brings(self) -> Sequence[str]:
        """Return what counts only after a yes, a line each."""
        return [left_out_words(one) for one in self.settings().left_out if not (one.why or one.meanwhile)]

    def accept(self) -> None:
        """Let it count until it changes."""
        self._standing.accept()

    def settings(self) -> Settings:
        """Return the settings in force."""
        return self._standing.settings()

    def options(self, mode: Mode) -> RunOptions:
        """Return what a new session runs with; blocks."""
        return build_startable_options(self.settings(), mode)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Workbench]:
        """Open a workbench, and close it in the end."""
        workbench = build_workbench(self.settings())
        try:
            yield workbench
        finally:
            await close_workbench(workbench)

    async def remember(self, workbench: Workbench, session_id: str) -> None:
        """Write down what the command line allows the tests of a session."""
        await remember_allowed(workbench, session_id, self.settings())

    def notes(self, task: Task, paths: Sequence[Path]) -> Sequence[str]:
        """Return what there is to know before a task's tests run."""
        from .fix import others_words, tests_words
        from .start import interpreter_line, left_out_lines

        settings = self.settings()
        allowed = checked_allowance(settings.allow_read, settings.allow_network, settings.sessions, os.environ)
        names = allowed.names()
        lines = [
            *left_out_lines(task),
            interpreter_line(settings, Path(task.root) if task.root else None),
            f"The tests can {allowed_words(names)}." if names else "",
            tests_words(paths, task) or others_words(paths, task, settings) if task.mode == "fix" else "",
        ]
        return [line for line in lines if line]
