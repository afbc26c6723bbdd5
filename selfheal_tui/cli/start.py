"""What demo, new and fix share: create a session from a task, then drive it headless or in the app."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.environments import project_environment, python_words
from selfheal_tui.errors import InputError
from selfheal_tui.setting_layers import interpreter_words
from selfheal_tui.text import one_line, strip_controls

from .allowing import tell_allowed
from .app import Begun, open_app, require_terminal
from .compose import build_startable_options
from .event_stream import events_of
from .narrowing import NothingToHeal, tell_nothing
from .trusting import Standing
from .write_only import write_only

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings


_MOST_TOLD = 10


def start_session(args: Namespace, load: Callable[[Settings], Task]) -> int:
    """Load the task, create its session and heal it; return the exit code.

    Raises: InputError before anything is created when task, settings or terminal cannot be used.
    """
    no_run = getattr(args, "no_run", False)
    events = events_of(args)
    if events is not None and no_run:
        raise InputError("--events tells of a run, and --no-run makes none.", "Leave one of them out.")
    headless = args.headless or args.json or no_run or events is not None
    standing = Standing(args)
    settings = standing.told() if headless else standing.settings()
    try:
        task = load(settings)
    except NothingToHeal as nothing:
        return tell_nothing(nothing, as_json=args.json, events=events)
    tell_left_out(task)
    tell_interpreter(settings, Path(task.root) if task.root else None)
    if not headless and not settings.plain:
        tell_allowed(settings)
        require_terminal(settings)

    # First: a sandbox that cannot be had must not leave a session behind.
    def prepare(workbench: Workbench) -> None:
        workbench.warm_up(task)

    def begin(settings: Settings) -> Begun:
        options = build_startable_options(settings, task.mode)
        notice = strip_controls("\n".join(left_out_lines(task)))
        return Begun(lambda workbench: workbench.create(task, options), options, prepare, notice)

    if not headless and settings.plain:
        from .plain import run_plain

        return run_plain(standing, lambda settings: _to_create(begin(settings)))
    if not headless:
        return open_app(standing, begin)
    from .drive import drive_headless, resume

    options = build_startable_options(settings, task.mode)

    async def create(workbench: Workbench) -> str:
        prepare(workbench)
        return await workbench.create(task, options)

    if no_run:
        return write_only(settings, task, options, as_json=args.json)
    return drive_headless(settings, create, resume, as_json=args.json, events=events)


def _to_create(begun: Begun) -> Callable[[Workbench], Awaitable[str]]:
    async def create(workbench: Workbench) -> str:
        if begun.prepare is not None:
            begun.prepare(workbench)
        assert begun.find is not None, "it starts a session"
        return await begun.find(workbench)

    return create


def tell_interpreter(settings: Settings, root: Path | None) -> None:
    """Say on stderr what `interpreter_line` says."""
    if line := interpreter_line(settings, root):
        print(f"selfheal: {line}", file=sys.stderr)


def interpreter_line(settings: Settings, root: Path | None) -> str:
    """Say where the tests run with the shell's environment, or could run with the project's own; empty for neither."""
    if root is None:
        return ""
    names_python = any(one.name == "python" for one in settings.left_out)
    if (settings.python or not names_python) and (words := interpreter_words(settings, os.environ)):
        return words
    if not (settings.python or names_python) and (environment := project_environment(root, os.environ)):
        python = one_line(python_words(environment.path, Path.cwd()))
        return f"{environment.words} is not used; to run its tests with it: --python {shlex.quote(python)}"
    return ""


def tell_shell_python(settings: Settings) -> None:
    """Say on stderr which interpreter the shell's environment makes the tests run with, or why it runs none."""
    if words := interpreter_words(settings, os.environ):
        print(f"selfheal: {words}", file=sys.stderr)


def tell_left_out(task: Task) -> None:
    """Say on stderr what was met and not read."""
    for line in left_out_lines(task):
        print(f"selfheal: {line}", file=sys.stderr)


def left_out_lines(task: Task) -> list[str]:
    """Say what was met and not read, a line each."""
    unread = [one_line(one.words, 400) for one in task.unread]
    stopped = [f"{one_line(path)} lies outside of the folder, or leads there." for path in task.left_out]
    lines = []
    for words in (unread, stopped):
        lines += [f"left out: {line}" for line in words[:_MOST_TOLD]]
        if (more := len(words) - _MOST_TOLD) > 0:
            lines.append(f"left out: {more} more such files; to list them: selfheal fix PATH --dry-run --json")
    return lines
