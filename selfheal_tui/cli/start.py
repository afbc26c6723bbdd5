"""What demo, new and fix share: create a session from a task, then drive it headless or in the app."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from .app import open_app, require_terminal
from .compose import build_options
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.task import Task
    from selfheal_tui.engine.workbench import Workbench


def start_session(args: Namespace, load: Callable[[], Task]) -> int:
    """Load the task, create its session and heal it; return the exit code.

    Raises: InputError before anything is created when task, settings or terminal cannot be used.
    """
    headless = args.headless or args.json
    if not headless:
        require_terminal()
    settings = load_from(args)
    options = build_options(settings)
    task = load()

    async def create(workbench: Workbench) -> str:
        # Opened first: a sandbox that cannot be had must not leave a session behind.
        _ = workbench.sandbox
        return await workbench.create(task, options)

    if not headless:
        return open_app(settings, create, options)
    from .drive import drive_headless, resume

    return drive_headless(settings, create, resume, as_json=args.json)
