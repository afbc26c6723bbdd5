"""Whether models can work on a task: asked before a session is made, and where a run is only looked at."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.llm.registry import check_model, check_role, check_writers
from selfheal_tui.setting_values import SEARCH

from ..task.task import Task
from ..task.unparsed import without_unparsed


def checked_task(task: Task, models: Mapping[str, str]) -> Task:
    """Return the task that these models can work on: for the search, a file that does not parse is left alone.

    `models`: role -> PROVIDER:NAME, `*` for the others. Raises: InputError, also where the tests import such a file.
    """
    models = {"*": SEARCH, **models}
    for role, spec in models.items():
        if role != "*":
            check_role(role)
        check_model(spec)
    if task.mode == "spec":
        check_writers(models)
        return task
    if models.get("repairer", models["*"]) != SEARCH:
        return task
    return without_unparsed(task)
