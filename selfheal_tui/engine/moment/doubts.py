"""What speaks against a program that passes every case, each part in words. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypedDict

from selfheal_tui.text import outcome_word

from .unsettled import unsettled_words

if TYPE_CHECKING:
    from .snapshot import Snapshot
    from .state import Unsettled


class Doubt(TypedDict):
    """One thing that speaks against a repair or a program."""

    call: str
    """The call that the tests leave open; empty where the doubt is no call."""
    values: list[str]
    """What it gives, that of the program that was kept first; empty where the doubt is no call."""
    why: str
    """One sentence."""


def build_doubts(snapshot: Snapshot | None) -> list[Doubt]:
    """Return what speaks against repairs that nobody looked at, then the calls that the tests leave open.

    Where nothing was to heal, the lines that no case ran come last.
    """
    if snapshot is None:
        return []
    doubts: list[Doubt] = [{"call": "", "values": [], "why": why} for why in snapshot.doubts]
    doubts += map(_of_call, snapshot.unmet)
    if snapshot.unmet_rest:
        doubts.append({"call": "", "values": [], "why": snapshot.unmet_rest})
    doubts += [_of_call(snapshot.unsettled)] if snapshot.unsettled else []
    if snapshot.outcome == "nothing_to_heal" and (objection := snapshot.objection) and objection["unexercised"]:
        doubts.append({"call": "", "values": [], "why": objection["summary"]})
    return doubts


def _of_call(open_call: Unsettled) -> Doubt:
    values = [open_call["taken"], *open_call["others"]]
    return {"call": open_call["call"], "values": values, "why": unsettled_words(open_call)}


def least_confidence(snapshot: Snapshot | None) -> float | None:
    """Return how sure the search is of what was taken: of the least sure repair; None where nobody can say."""
    taken = [record["taken"] for record in (snapshot.records if snapshot else ()) if "taken" in record]
    return min((one["confidence"] for one in taken if "confidence" in one), default=None)


def outcome_with_doubts(outcome: str, doubts: Collection[Doubt]) -> str:
    """Say how a run or a lane ended: `healed, with doubts` where something speaks against it."""
    return outcome_word(outcome) + (", with doubts" if outcome == "healed" and doubts else "")
