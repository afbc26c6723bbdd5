"""What the command line lends to the server: the settings in force, and the objects that it makes of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.sandbox.base import CaseFinished, SuiteReport
from selfheal_tui.settings import Settings


@dataclass(frozen=True, slots=True)
class Front:
    """The functions of `cli/` that tools use, so that a tool does what the command does."""

    settings: Callable[[], Settings]
    """Read the settings in force now: the user may change them while the server runs. Raises: SettingsError."""
    workbench: Callable[[Settings], AbstractAsyncContextManager[Workbench]]
    """Open the workbench of these settings."""
    run_tests: Callable[[Task, Settings, Callable[[CaseFinished], None]], Awaitable[SuiteReport]]
    """Run a task's tests once in the sandbox, telling of each case."""
    result: Callable[[Session, Event | None, Snapshot | None, Settings], Awaitable[dict[str, Any]]]
    """Return what `--json` prints of a run that ended with this event; its newest moment is the snapshot."""
    progress_line: Callable[[Event], str]
    """Say what an event tells; empty for nothing."""
    left_out: Callable[[Settings], list[str]]
    """Say what the folder's own settings would change, had the user accepted them."""
    decide_command: Callable[[str, str, Settings], str]
    """Return the command with which the human answers: of this session, with this verdict and what belongs to it."""
