"""A model's repair that mends everything, without what cases say is not needed: offered beside the whole one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from selfheal_tui.setting_values import SEARCH

from ..moment.state import Diagnosis, Repair
from .rehearsal import Rehearsal

if TYPE_CHECKING:
    from selfheal_tui.search.weigh.remains import Named

LABEL = "minimised"
_STRATEGY = "minimal"
"""Other strategies change more than the cases ask for on purpose."""


async def minimised(rehearsal: Rehearsal, whole: Repair) -> Repair | None:
    """Return the smallest sound part of a repair that passes every case, rehearsed; None when it is all of it.

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
    least = await minimise(deps.sandbox, suite, whole["changes"], await _named(rehearsal))
    needed = len(build_pieces(old, least))
    if needed >= parts:
        return None
    tried = await rehearsal.run(
        cast(
            Repair,
            {
                "summary": f"{needed} of the {parts} changes of this repair, as no case needs the others: "
                f"{whole['summary']}",
                "changes": least,
                "strategy": whole["strategy"],
                "by": whole["by"],
                "part_of": whole["key"],
                **({"cost_usd": whole["cost_usd"]} if "cost_usd" in whole else {}),
            },
        )
    )
    return tried if tried["report"]["verdict"] == "passed" else None


async def _named(rehearsal: Rehearsal) -> Named:
    """Return what the diagnosis and the specification name; the search's evidence is where it looked, not a finding."""
    from selfheal_tui.search.weigh.remains import Named

    blobs, state = rehearsal.deps.blobs, rehearsal.state
    diagnosis = cast(Diagnosis, await blobs.get(state["diagnosis_ref"]))
    evidence = diagnosis["evidence"] if diagnosis["by"] != SEARCH else []
    texts = [diagnosis["cause"], diagnosis["strategy"], *(one["why"] for one in evidence)]
    texts.append(await blobs.get_text(state["spec_ref"]))
    words = re.findall(r"[^\W\d]\w*", " ".join(texts))
    return Named(frozenset((one["file"], one["line"]) for one in evidence), frozenset(words))
