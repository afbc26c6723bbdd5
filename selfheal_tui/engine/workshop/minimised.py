"""A model's repair that mends everything, without what no case needs: offered beside the whole one, never instead."""

from __future__ import annotations

from typing import cast

from ..moment.state import Repair
from .rehearsal import Rehearsal

LABEL = "minimised"
_STRATEGY = "minimal"
"""Other strategies change more than the cases ask for on purpose."""


async def minimised(rehearsal: Rehearsal, whole: Repair) -> Repair | None:
    """Return the smallest part of a repair that passes every case, rehearsed; None when it is all of it.

    Raises: SandboxError.
    """
    from selfheal_tui.search.minimise import build_pieces, minimise

    passes = whole["report"]["verdict"] == "passed" and not whole["breaks"]
    if whole["strategy"] != _STRATEGY or not passes or whole.get("of_test"):
        return None
    workspace, deps = rehearsal.workspace, rehearsal.deps
    old = {path: workspace.files.get(path, "") for path in whole["changes"]}
    parts = len(build_pieces(old, whole["changes"]))
    if parts < 2:
        return None
    suite = workspace.suite(deps.suite_limits)
    least = await minimise(deps.sandbox, suite, whole["changes"])
    needed = len(build_pieces(old, least))
    if needed >= parts:
        return None
    tried = await rehearsal.run(
        cast(
            Repair,
            {
                "summary": f"{whole['summary']} Minimised: every case passes with {needed} of its {parts} changes.",
                "changes": least,
                "strategy": whole["strategy"],
                "by": whole["by"],
                **({"cost_usd": whole["cost_usd"]} if "cost_usd" in whole else {}),
            },
        )
    )
    return tried if tried["report"]["verdict"] == "passed" else None
