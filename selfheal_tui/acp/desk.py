"""What a thread gets from the command line: the settings of its folder, and the objects that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from selfheal_tui.engine.moment.state import Mode
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.settings import Settings


class Desk(Protocol):
    """One folder: what it brings counts once the user has said yes."""

    @property
    def folder(self) -> Path:
        """The folder that the editor works in."""

    @property
    def asks(self) -> bool:
        """Whether a yes would change what holds now."""

    def brings(self) -> Sequence[str]:
        """Return what counts only after a yes, a line each: `model = ollama:q (selfheal.yaml, line 3)`."""

    def accept(self) -> None:
        """Let it count until it changes."""

    def settings(self) -> Settings:
        """Return the settings in force. Raises: SettingsError."""

    def options(self, mode: Mode) -> RunOptions:
        """Return what a new session runs with; blocks, and not to be called in an event loop. Raises: SettingsError."""

    def opened(self) -> AbstractAsyncContextManager[Workbench]:
        """Open a workbench, and close it in the end. Raises: SettingsError."""

    async def remember(self, workbench: Workbench, session_id: str) -> None:
        """Write down for later what the command line allows the tests of a session."""

    def notes(self, task: Task, paths: Sequence[Path]) -> Sequence[str]:
        """Return what there is to know before a task's tests run, a sentence each. Raises: SettingsError."""
