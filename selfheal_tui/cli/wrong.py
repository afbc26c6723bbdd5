"""`selfheal fix --wrong`: what the user says is wrong is tried once, before a session is made of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .suite_once import run_suite

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings

_LONGEST = 120


def check_wrong(task: Task, settings: Settings) -> None:
    """Check that the program gives none of what it should give already. Raises: InputError, SandboxError."""
    from selfheal_tui.engine.suites.told import answer_text
    from selfheal_tui.engine.task.given_examples import wrong_suite

    for call, answer in task.wrong:
        suite = wrong_suite(replace(task, wrong=((call, answer),)))
        alone = replace(task, files={**task.files, **suite}, tests=tuple(suite), pytest_args=())
        if asyncio.run(run_suite(alone, settings))["verdict"] == "passed":
            verb = "raises" if answer.startswith("!") else "gives"
            raise InputError(f"{one_line(call, _LONGEST)} {verb} {answer_text(answer)} already.", "Say what is wrong.")
