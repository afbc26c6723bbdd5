"""How sure the search is of a repair, in the words of the card, the command line and the end. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line

from .state import Diagnosis, Repair
from .steering import is_chosen_place

LITTLE = 0.8
"""Confidence below which the card warns and the end says it: in the benchmarks' sets a quarter of those from 0.7 to 0.8
were wrong."""


OTHERS_FAILED = "Other cases still failed then, so the search cannot say how sure it is of it."
"""Of a repair that mended a part only."""


def percent_words(confidence: float) -> str:
    """Return `only 56% sure`, `84% sure`; `not sure` for none."""
    only = "only " if confidence < LITTLE else ""
    return f"{only}{100 * confidence:.0f}% sure" if confidence > 0 else "not sure"


def cause_sureness(diagnosis: Mapping[str, Any], label: str = "") -> str:
    """Return `35% sure` of a diagnosis; empty where no edit mends a case, and for a place that the human chose.

    `label` is the number of the place that is looked at: the figure is of the first alone.
    """
    if not has_sureness(diagnosis):
        return ""
    if label not in ("", "1"):
        return "the search holds the first place for likelier"
    return f"{diagnosis.get('confidence', 0):.0%} sure"


def has_sureness(diagnosis: Mapping[str, Any]) -> bool:
    """Tell whether a diagnosis says how sure it is: how suspicious a line is says nothing where no edit of it helps."""
    from selfheal_tui.search.blame import NO_EDIT_LEFT, NOTHING_TO_EDIT

    helps_none = diagnosis.get("fixes") == [] or diagnosis.get("strategy") in (NO_EDIT_LEFT, NOTHING_TO_EDIT)
    is_chosen = (
        diagnosis.get("by") == "human" and "evidence" in diagnosis and is_chosen_place(cast(Diagnosis, diagnosis))
    )
    return not helps_none and not is_chosen


def sure_note(repair: Mapping[str, Any]) -> str:
    """Return `84% sure` of a repair of which the search is sure enough; empty for others."""
    confidence = repair.get("confidence", 0.0)
    return percent_words(confidence) if confidence >= LITTLE else ""


def is_doubted(repair: Mapping[str, Any], listed: Collection[Repair] = ()) -> bool:
    """Tell whether the search is little sure of a repair, or holds another of those `listed` for likelier."""
    return float(repair.get("confidence", LITTLE)) < LITTLE or _is_less_likely(repair, listed)


def _is_less_likely(repair: Mapping[str, Any], listed: Collection[Repair]) -> bool:
    """Tell whether it is another than the one whose confidence the search tells: the likeliest alone has one."""
    if repair.get("by") != SEARCH or "confidence" in repair or not any("confidence" in other for other in listed):
        return False
    report = repair.get("report")
    return report is not None and report["verdict"] == "passed" and not _was_left_out(repair)


def _was_left_out(repair: Mapping[str, Any]) -> bool:
    """Tell whether the human left it out of an earlier repair: then it comes last, however likely it is."""
    return any(mark["kind"] == "declined" for mark in repair.get("marks", []))


def unsure_line(repair: Mapping[str, Any], listed: Collection[Repair] = ()) -> str:
    """Say that the search is little sure of a repair, that nobody knows how sure, or that it fails what a human said.

    Of another than the likeliest of those `listed` it says so. The confidence was fitted on repairs with which every
    case passes.
    """
    if "confidence" in repair:
        return f"the search is {percent_words(repair['confidence'])} of it" if is_doubted(repair) else ""
    if _is_less_likely(repair, listed):
        return "the search holds another one for likelier"
    if said := repair.get("against_said"):
        return f"only what you said yourself fails with it: {one_line('; '.join(said), 300)}. Undo takes that back"
    report = repair.get("report")
    is_part = report is not None and report["verdict"] != "passed" and bool(repair.get("fixes"))
    if not is_part or repair.get("by") != SEARCH:
        return ""
    used_up = f"; it used up its {used_s:.0f} s" if (used_s := repair.get("search_s", 0.0)) else ""
    return f"how sure the search is: not known while other cases fail{used_up}"


def unsure_of_taken(
    taken: Repair, proposed: Sequence[Repair], candidates: Collection[Repair], *, in_part: bool = False
) -> str:
    """Say how little the search is sure of what a person took; empty where it is sure, or cannot tell.

    `taken` was made of the candidates `proposed`: of several together, or (`in_part`) of some hunks of one. The search
    tells its confidence of the likeliest candidate alone: of another one, that it holds that one for likelier.
    """
    ours = [one for one in proposed if one["by"] == SEARCH]
    if not ours:
        return ""
    if taken["report"]["verdict"] != "passed":
        return OTHERS_FAILED
    told = [one["confidence"] for one in ours if "confidence" in one]
    if told:
        what = "the whole of it" if in_part else "one of them" if len(proposed) > 1 else "it"
        return f"The search is {percent_words(min(told))} of {what}." if min(told) < LITTLE else ""
    likeliest = next((one["confidence"] for one in candidates if "confidence" in one), None)
    if likeliest is None or len(proposed) > 1 or any(map(_was_left_out, ours)):
        return ""
    return f"The search holds another repair beside it for likelier, and is {percent_words(likeliest)} of that one."
