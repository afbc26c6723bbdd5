"""A model's candidate that mends some cases but not all: a short search on it may find what is left."""

from __future__ import annotations

from typing import cast

from selfheal_tui.setting_values import SEARCH

from ..moment.state import Repair
from .rehearsal import Rehearsal
from .role_context import RoleContext
from .searched import searched


async def mended(context: RoleContext, rehearsal: Rehearsal, near: Repair) -> Repair | None:
    """Return a rehearsed repair that fixes more and breaks no more than `near`; None when there is none in time.

    Raises: SandboxError.
    """
    time_s = context.state["policy"]["near_miss_s"]
    helps = bool(near["fixes"]) and near["report"]["verdict"] == "failed" and near["by"] != SEARCH
    if not helps or not time_s or near.get("of_test"):
        return None
    files = {**rehearsal.workspace.files, **near["changes"]}
    candidates = (await searched(context, files, near["report"], time_s)).candidates
    if not candidates:
        return None
    best = candidates[0]
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
