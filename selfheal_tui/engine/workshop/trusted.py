"""Which repair may be taken where nobody looks: it mends all, or a mistake of its own, by no coincidence. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line, plural

from ..moment.opinion import opinion_words
from ..moment.state import Question, Repair
from ..moment.sureness import LITTLE, OTHERS_FAILED, percent_words
from ..moment.unsettled import answer_words

_SURE = 0.5
"""Confidence from which a marked repair of the search is taken: in the benchmarks' sets nearly all right ones were
above it, of the wrong ones one in sixteen."""
_GUESS = 0.3
"""Confidence below which no repair of the search is taken: in the benchmarks' sets one in four of them was right."""
_NEVER = frozenset(
    (
        *("raises", "untold", "narrows", "acts", "mutates", "unasked", "unordered", "part"),
        *("reopened", "equality", "declined", "overwrites", "whole", "loses", "lets_in", "refused", "skips"),
        *("left_over", "other_end", "readings"),
    )
)
"""Marks with which a repair of the search is not taken, however sure it is."""
_EQUALS = frozenset({"untold", "unasked", "rivals"})
"""Marks that say of a repair that others mend as much."""
_SUMMARY = 120
"""Most characters of what a repair does in the sentence that doubts it."""
_SEARCH_SUMMARY = 600
"""The same for the search, which says where each of its edits is."""
NOBODY = "Nobody looked at"
_GRAVE = frozenset({"silences", "special", "unordered"})
"""Marks that speak against a repair of a model too, which had reasons for the others."""


def withheld(repair: Repair, *, needs_surety: bool = False) -> str:
    """Say why nobody but a person should take a rehearsed repair; empty when it may be taken unseen.

    `needs_surety`: one of the search that mends all needs confidence too, also where nothing marks it.
    """
    by_search = repair["strategy"] == SEARCH
    marks = repair.get("marks", [])
    if repair["report"]["verdict"] == "passed":
        weighty = [mark for mark in marks if by_search or mark["kind"] in _GRAVE]
        if by_search and _signs_agree(repair):
            weighty = [mark for mark in weighty if mark["kind"] in _NEVER] or (weighty if len(weighty) > 1 else [])
        if not weighty:
            doubtful = needs_surety and by_search and repair.get("confidence", 0.0) < _SURE
            return (
                f"With it every case passes, but the search is {percent_words(repair.get('confidence', 0.0))} of it."
                if doubtful
                else ""
            )
        return f"With it every case passes, but that may be a coincidence. {weighty[0]['why']}"
    left = repair["report"]["failed"] + repair["report"]["errors"] + repair["report"]["timeouts"]
    used_up = f"The search used up its {used_s:.0f} s. " if (used_s := repair.get("search_s", 0.0)) else ""
    mends = f"It mends {plural(len(repair['fixes']), 'case')}"
    part = f"{used_up}{mends}, and {plural(left, 'case')} {_still_words(repair, left)}"
    if weighty := [mark for mark in marks if by_search or mark["kind"] in _GRAVE]:
        return f"{part}; that may be a coincidence. {weighty[0]['why']}"
    if by_search and not repair.get("independent", False):
        return f"{part}{_tie_words(repair, left)}."
    return ""


def _still_words(repair: Repair, left: int) -> str:
    """Return `still fail`; `fail` where the repair breaks some of them."""
    return ("" if repair["breaks"] else "still ") + ("fails" if left == 1 else "fail")


def _tie_words(repair: Repair, left: int) -> str:
    """Say why the cases that fail may be of the same mistake, or that the repair breaks some of them."""
    if repair["breaks"]:
        return f": {len(repair['breaks'])} of them passed before" if left > 1 else ", which passed before"
    if not repair["fixes"]:
        return ""
    if repair.get("unseen_lines"):
        which = "that case ran" if left == 1 else "one of them ran"
        return f"; which lines {which} was not seen, so it may be the same mistake"
    which = "that case runs" if left == 1 else "some of them run"
    return f"; {which} the changed lines too, so the mistake there may be mended only in part"


def _signs_agree(repair: Repair) -> bool:
    """Tell whether the search is sure of it, and could ask the repairs for more than the cases do."""
    return repair.get("confidence", 0.0) >= _SURE and repair.get("clusters", 0) > 0


def doubts_about(
    repair: Repair, first_withheld: str = "", *, first: Repair | None = None, several: bool = False
) -> str:
    """Say what speaks against a repair that was taken where nobody looked; empty when nothing does.

    `first_withheld` is why the `first` candidate beside it was not taken, where this is another one. `several`: the
    program has more than one file, so a line needs its file's name.
    """
    reasons = [mark["why"] for mark in repair.get("marks", [])]
    if _is_part(repair):
        reasons.append(OTHERS_FAILED)
    confidence = repair.get("confidence", 1.0)
    if confidence < LITTLE:
        reasons.append(f"The search is {percent_words(confidence)} of it.")
    if first_withheld:
        # A later round has a candidate 1 too: what the edit does tells them apart.
        named = f" ({_place(first, 'in', several)}{_summary(first)})" if first is not None else ""
        why = f"{first_withheld[0].lower()}{first_withheld[1:]}"
        reasons.append(f"The first candidate beside it{named} was passed over: {why}")
        if first is not None and "confidence" in first and "confidence" not in repair:
            sure = percent_words(first["confidence"])
            reasons.append(f"The search holds that one for likelier, and is {sure} of it.")
    if not reasons:
        return ""
    return " ".join([f"{NOBODY} {_named(repair, several)}", *reasons])


def doubts_of_person(
    repair: Repair, unsure: str, *, with_marks: bool, proposed: Repair, in_part: bool, several: bool = False
) -> str:
    """Say what speaks against a repair that a person took, or some hunks of it; empty when nothing does.

    `unsure` says how little the search is sure of it. `with_marks`: of a run that works alone, whose end says all.
    `several`: as in `doubts_about`.
    """
    reasons = [mark["why"] for mark in repair.get("marks", [])] if with_marks else []
    reasons += [unsure] if unsure else []
    if not reasons:
        return ""
    taken = f"You took a part of {_named(proposed, several)}" if in_part else f"You approved {_named(repair, several)}"
    return " ".join([taken, *reasons])


def doubts_about_part(repair: Repair, *, several: bool = False) -> str:
    """Say what speaks against a part of a repair that was taken unseen; empty for others.

    Only a repair that mends every case tells how sure the search is.
    """
    return f"{NOBODY} {_named(repair, several)} {OTHERS_FAILED}" if _is_part(repair) else ""


def _is_part(repair: Repair) -> bool:
    """Tell whether other cases still fail with a repair of the search: only of others it says how sure it is."""
    return repair["by"] == SEARCH and "confidence" not in repair and repair["report"]["verdict"] != "passed"


def _named(repair: Repair, several: bool) -> str:
    return f"this repair{_place(repair, ' of', several, '')}: {_summary(repair)}."


def _place(repair: Repair, word: str, several: bool, end: str = ", ") -> str:
    """Return the file that a repair is of; empty for those of more than one, whose edits name theirs."""
    paths = [*repair["changes"]]
    return f"{word} {one_line(paths[0])}{end}" if several and len(paths) == 1 else ""


def _summary(repair: Repair) -> str:
    most = _SEARCH_SUMMARY if repair["by"] == SEARCH else _SUMMARY
    return one_line(repair["summary"].rstrip(". "), most)


def _ranks_first_all_the_same(repair: Repair) -> bool:
    """Tell whether only an exception on a call that no case makes speaks against it: what avoids that is seldom meant.

    `len(xs[1:]) + 1` divides for an empty list, where the plain `len(xs)` raises.
    """
    return repair["report"]["verdict"] == "passed" and [mark["kind"] for mark in repair.get("marks", [])] == ["raises"]


def _has_equals(repair: Repair) -> bool:
    """Tell whether others are as good as a repair that mends all: that speaks for none which does something else."""
    return repair["report"]["verdict"] == "passed" and any(one["kind"] in _EQUALS for one in repair.get("marks", []))


def against_opinion(question: Question | None, repair: Repair) -> str:
    """Say that a model, however often it was asked, said that the call gives something else; empty where it did not."""
    opinion = question.get("opinion") if question is not None else None
    if question is None or opinion is None or not opinion["text"] or opinion["agree"] < opinion["asked"]:
        return ""
    own = repair.get("answers", {}).get(question["call"])
    if own is None or own == opinion["text"]:
        return ""
    words = opinion_words(opinion).removeprefix("the ")
    return f"Of {call_words(question['call'])} the {words}; with this repair it {answer_words(own, question['call'])}."


def taken_unseen(
    ranked: Sequence[Repair], question: Question | None = None, *, needs_surety: bool = False
) -> tuple[str, str]:
    """Return the label of the repair that may be taken where nobody looks, and why the first one may not.

    It is one that mends all only where the first does; ("", why) when there is none, ("1", "") when it is the first.
    Where a model's opinion on the `question` is against it none is, also no other: an opinion chooses nothing.
    """
    label, why = _taken_unseen(ranked, needs_surety=needs_surety)
    if label and (doubt := against_opinion(question, ranked[int(label) - 1])):
        return "", f"{why} {doubt}".strip()
    return label, why


def _sureness(ranked: Sequence[Repair]) -> float:
    """Return how sure the search is of the first repair: 0 where it says so of none, 1 where it is not asked."""
    says = any("confidence" in repair for repair in ranked)
    return ranked[0].get("confidence", 1.0 if says or ranked[0]["strategy"] != SEARCH else 0.0)


def _taken_unseen(ranked: Sequence[Repair], *, needs_surety: bool) -> tuple[str, str]:
    why = withheld(ranked[0], needs_surety=needs_surety)
    if why and (_ranks_first_all_the_same(ranked[0]) or _has_equals(ranked[0])):
        return "", why
    if (sure := _sureness(ranked)) < _GUESS and ranked[0]["report"]["verdict"] == "passed":
        # The others are less likely still.
        return "", why or f"With it every case passes, but the search is {percent_words(sure)} of it."
    mends_all = ranked[0]["report"]["verdict"] == "passed"
    for number, repair in enumerate(ranked, 1):
        gains = len(repair["fixes"]) > len(repair["breaks"])
        alike = (repair["report"]["verdict"] == "passed") == mends_all
        if gains and alike and not withheld(repair, needs_surety=needs_surety):
            return str(number), why
    return "", why
