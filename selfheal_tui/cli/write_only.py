"""`selfheal fix --no-run`: write the session down, and print the command that opens it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from selfheal_tui.money import json_text

from .allowing import remember_allowed
from .compose import build_workbench
from .next_steps import resume_command

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings


def write_only(settings: Settings, task: Task, options: RunOptions, *, as_json: bool) -> int:
    """Write the session of a task; return the exit code. Raises: InputError, SessionError."""
    session_id = asyncio.run(_write(settings, task, options))
    command = resume_command(session_id, settings)
    print(json_text({"session_id": session_id, "open": command}) if as_json else f"open     {command}")
    return 0


async def _write(settings: Settings, task: Task, options: RunOptions) -> str:
    workbench = build_workbench(settings)
    try:
        session_id = await workbench.create(task, options)
        await remember_allowed(workbench, session_id, settings)
        return session_id
    finally:
        await workbench.aclose()
