"""`selfheal fix --wrong`: what the user says is wrong is tried once, before a session is made of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .suite_once import run_suite

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings

_LONGEST = 120


def check_wrong(task: Task, settings: Settings, sentences: Sequence[str] = ()) -> None:
    """Check that the program gives none of what it should give already, and tell where it gives not what they say.

    Raises: InputError, SandboxError.
    """
    from selfheal_tui.engine.suites.told import answer_text, read_told, told_now
    from selfheal_tui.engine.task.given_examples import wrong_suite
    from selfheal_tui.search.weigh.equal_values import are_equal

    said = {read_told(sentence)[0]: told_now(sentence) for sentence in sentences}
    for call, answer in task.wrong:
        suite = wrong_suite(replace(task, wrong=((call, answer),)))
        alone = replace(task, files={**task.files, **suite}, tests=tuple(suite), pytest_args=())
        report = asyncio.run(run_suite(alone, settings))
        now = next((case["actual"] for case in report["cases"] if case["actual"]), "")
        if now and (claimed := said.get(call)) and not are_equal(now, claimed):
            shown = one_line(call, _LONGEST)
            words = f"selfheal: {shown} gives {answer_text(now)}, not {answer_text(claimed)}: is it the right program?"
            print(words, file=sys.stderr)
        if report["verdict"] == "passed":
            verb = "raises" if answer.startswith("!") else "gives"
            raise InputError(f"{one_line(call, _LONGEST)} {verb} {answer_text(answer)} already.", "Say what is wrong.")
