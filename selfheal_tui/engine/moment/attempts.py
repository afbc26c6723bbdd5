"""Which attempt at a repair or a diagnosis this is: what the human rejected since the last repair went in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from selfheal_tui.text import plural

from .state import Record
from .steering import Avoid, avoid_words
from .timeline import Timeline


def attempt_number(records: Sequence[Record]) -> int:
    """Return 1 for the first attempt, 2 after a rejection by the human; `records` are the newest first."""
    return 1 + len(_rejected(records))


def attempt_words(records: Sequence[Record], avoid: Sequence[Avoid] = ()) -> str:
    """Say what a later attempt leaves out: `Without the 5 repairs that you rejected; not in area`; else empty."""
    rejected = _rejected(records)
    if not rejected:
        return ""
    programs = sum(max(1, len(record["keys"])) for record in rejected)
    what = "the repair" if programs == 1 else f"the {plural(programs, 'repair')}"
    return "; ".join(filter(None, (f"Without {what} that you rejected", avoid_words(avoid))))


def diagnosis_attempt(timeline: Timeline, checkpoint_id: str) -> int:
    """Return 1 for the first diagnosis since the last repair went in, 2 after the human rejected one."""
    attempt, at = 1, timeline.checkpoints.get(checkpoint_id)
    while at is not None:
        decision = at.decision or {}
        if decision.get("kind") == "repair" and decision.get("verdict") in ("approve", "edit"):
            break
        rejected = decision.get("kind") == "diagnosis" and decision.get("verdict") == "reject"
        attempt += rejected and decision.get("by") == "human"
        at = timeline.checkpoints.get(at.parent_id or "")
    return attempt


def _rejected(records: Sequence[Record]) -> list[Record]:
    return list(takewhile(lambda record: record["verdict"] == "reject" and record["by"] == "human", records))
