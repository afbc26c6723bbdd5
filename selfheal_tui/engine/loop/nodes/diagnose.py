"""Node: explain why the suite fails."""

from __future__ import annotations

import time
from typing import cast

from langgraph.runtime import Runtime

from ...dialogue.roles.debugger import find_cause
from ...moment.gist import diagnosis_words
from ...moment.state import HealState, Manifest, no_spend
from ...suites.missing_packages import missing_packages, missing_words, rest_words
from ...workshop.deps import Deps
from ...workshop.heard import heard_notes
from ...workshop.inquiries import earlier_inquiries, with_inquiry
from ...workshop.kept_search import all_closed_words, is_all_closed, only_search_repairs
from .common import out_of_budget, role_context, took


async def diagnose(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the debugger; keep its diagnosis, the steps that led to it and the lines that the cases point to."""
    started = time.monotonic()
    blobs = runtime.context.blobs
    if stop := await out_of_budget(state, runtime.context, "diagnose"):
        return stop
    heard = await heard_notes(state, runtime, "diagnose", "debugger")
    state = cast(HealState, {**state, **heard})
    context = await role_context(state, runtime)
    packages = missing_packages(context.report["cases"], context.workspace.files) if context.report else []
    # A model may do without the package, or know that its name is a slip; an edit of the search's cannot help.
    if packages and only_search_repairs(state):
        assert context.report is not None
        manifest: Manifest = await blobs.get(state["manifest_ref"])
        reason = " ".join(
            [*rest_words(context.report), missing_words(packages, manifest["root"], context.report["cases"])]
        )
        return {"outcome": "gave_up", "reason": reason, "spent": took(started, no_spend())}
    finding = await find_cause(context)
    if (kept := finding.searched) and is_all_closed(kept) and only_search_repairs(state):
        # What the last diagnosis named is mended by now, or was refused.
        return {
            "outcome": "gave_up",
            "reason": all_closed_words(context.avoid),
            "diagnosis_ref": "",
            "spent": took(started, finding.spent),
        }
    inquiries = with_inquiry(await earlier_inquiries(blobs, state), state, finding.diagnosis, finding.steps)
    return {
        "gist": diagnosis_words(finding.diagnosis),
        "diagnosis_ref": await blobs.put(finding.diagnosis),
        "debug_ref": await blobs.put(list(finding.steps)) if finding.steps else "",
        "inquiries_ref": await blobs.put(inquiries),
        "suspects_ref": await blobs.put(finding.suspects) if finding.suspects else "",
        "search_ref": await blobs.put(finding.searched) if finding.searched else "",
        "decision": None,
        "attempt": state.get("attempt", 0) + 1,
        "budget_ref": "",
        "candidates": {},
        "spent": took(started, finding.spent),
        **heard,
    }
