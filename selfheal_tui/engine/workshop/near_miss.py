"""A model's candidate that mends some cases but not all: a short search on it may find what is left."""

from __future__ import annotations

from contextlib import aclosing
from typing import cast

from selfheal_tui.setting_values import SEARCH

from ..moment.events import SearchProgressed
from ..moment.state import Repair
from .rehearsal import Rehearsal
from .role_context import RoleContext


async def mended(context: RoleContext, rehearsal: Rehearsal, near: Repair) -> Repair | None:
    """Return a rehearsed repair that fixes more and breaks no more than `near`; None when there is none in time.

    Raises: SandboxError.
    """
    from selfheal_tui.search.repair import Budget, Found, repair

    time_s = context.state["policy"]["near_miss_s"]
    helps = bool(near["fixes"]) and near["report"]["verdict"] == "failed" and near["by"] != SEARCH
    if not helps or not time_s or near.get("of_test"):
        return None
    workspace = rehearsal.workspace
    found: Found | None = None
    steps = repair(
        {**workspace.files, **near["changes"]},
        workspace.program,
        workspace.tests,
        near["report"],
        context.deps.sandbox,
        budget=Budget(time_s=time_s),
        limits=context.deps.suite_limits,
        pytest_args=workspace.pytest_args,
    )
    async with aclosing(steps) as progress:
        async for step in progress:
            if isinstance(step, Found):
                found = step
            else:
                context.emit(SearchProgressed(step.judged, step.total, step.best))
    if found is None or not found.candidates:
        return None
    best = found.candidates[0]
    tried = await rehearsal.run(
        cast(
            Repair,
            {
                "summary": f"{near['summary']} Then, by search: {best.summary}",
                "changes": {**near["changes"], **best.changes},
                "strategy": f"{near['strategy']} + search",
                "by": near["by"],
                **({"cost_usd": near["cost_usd"]} if "cost_usd" in near else {}),
            },
        )
    )
    gained = len(tried["fixes"]) - len(tried["breaks"]) > len(near["fixes"]) - len(near["breaks"])
    return tried if gained else None
