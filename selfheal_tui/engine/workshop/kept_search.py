"""One search for the diagnosis and the repair: its result is kept, and used again for the same program and suite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from selfheal_tui.extensions import enabled_record
from selfheal_tui.sandbox.base import Coverage
from selfheal_tui.search.blame import PlaceEffect, Searched, effects_of
from selfheal_tui.search.hunt.candidates import changes_key
from selfheal_tui.search.hunt.tried import CutShort
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.blobs import json_text, text_ref
from selfheal_tui.text import one_line

from ..moment.closed import open_again
from ..moment.events import Noticed
from ..moment.hunks import left_before, left_out_words
from ..moment.state import Diagnosis, HealState, Mark, Question, Record, Repair
from ..moment.steering import TAKE_BACK, Avoid, avoid_words
from ..moment.taken import touched_lines
from ..suites.answers import MOST_QUESTIONS, answers_suite, may_ask, question_of, settled_calls
from .deps import Deps
from .role_context import RoleContext, load_declined, load_records
from .searched import repairs_of, searched, touched_of

if TYPE_CHECKING:
    from selfheal_tui.search.hunt.candidates import Candidate
    from selfheal_tui.search.hunt.places import Place
    from selfheal_tui.search.weigh.found import Found

_OF_KEY = ("manifest_ref", "changes", "suites", "spec_ref", "head", "avoid", "afresh")
"""What a search depends on, beside the places that a diagnosis points to; refused repairs are in `head`."""


_AFTER_A_WRONG_ONE = 0.7
"""The most that the search is sure of once an answer spoke against its first: of ten such repairs of HumanEvalFix seven
were right."""


_AFTER_A_REFUSED_ONE = 0.5
"""The most that the search is sure of once the human rejected its first for what it does."""


class KeptSearch(TypedDict):
    """What a search found."""

    key: str
    """Hash of what it was made for."""
    repairs: list[Repair]
    """Best first, not rehearsed."""
    places: list[PlaceEffect]
    """Where edits make failing cases pass, the most telling first."""
    judged: int
    tried_all: bool
    """No single edit is left."""
    singles: NotRequired[int]
    """Of those judged: single edits, the others combine several. Absent in sessions of before."""
    cut_short: NotRequired[CutShort]
    """What ended the search before it had tried all that it would. Absent in sessions of before."""
    time_s: NotRequired[float]
    """How long it might take. Absent in sessions of before."""
    left_out: int
    """Edits that were not tried because they are where the search may not edit."""
    confidence: float
    """0..1; 0 where no repair passes every case."""
    question: NotRequired[Question]
    """Where repairs disagree."""
    questions: NotRequired[list[Question]]
    """The same, then what would tell most beside it: for a human who does not know the answer."""


def key_of(state: HealState, hints: Collection[tuple[str, int]] = ()) -> str:
    """Return what identifies the search for a state; `hints` are the places that a diagnosis points to."""
    values = [cast(Mapping[str, Any], state).get(name) or None for name in _OF_KEY]
    if aside := state.get("set_aside_ref"):
        values.append(aside)
    if operators := [one for one in enabled_record().items() if one[0].startswith("operator:")]:
        values.append(operators)
    return text_ref(json_text([values, sorted(hints)]))


def hints_of(diagnosis: Diagnosis) -> list[tuple[str, int]]:
    """Return the lines to look at first: those of a diagnosis that the search itself did not make."""
    return [(e["file"], e["line"]) for e in diagnosis["evidence"]] if diagnosis["by"] != SEARCH else []


async def kept_for(state: HealState, deps: Deps, hints: Collection[tuple[str, int]] = ()) -> KeptSearch | None:
    """Return the result that the state names, where it is for this program, suite, steering and places."""
    ref = state.get("search_ref", "")
    kept = cast(KeptSearch, await deps.blobs.get(ref)) if ref else None
    return kept if kept is not None and kept["key"] == key_of(state, hints) else None


async def search_once(
    context: RoleContext,
    hints: Sequence[tuple[str, int]] = (),
    *,
    chosen: bool = False,
    coverage: Coverage | None = None,
) -> KeptSearch:
    """Return the kept result, or search: also where its time was used up, and there is more of it now.

    `chosen`: the human chose the places `hints`, so repairs there come first.
    `coverage` is that of the newest report, where it is known. Raises: SandboxError.
    """
    time_s = context.search_time_s
    if (kept := await kept_for(context.state, context.deps, hints)) and not 0 < used_up_s(kept) < time_s:
        return kept
    where = ", ".join(f"line {line} of {one_line(path, 60)}" for path, line in hints)
    if chosen and (before := await kept_for(context.state, context.deps)):
        if again := _with_first(before, context.workspace.files, hints):
            context.emit(Noticed(f"The diagnosis has searched already: its repairs at {where} come first."))
            return {**again, "key": key_of(context.state, hints)}
        anew = "the one of the diagnosis kept its likeliest repairs, and none is there"
        context.emit(Noticed(f"A new search looks at {where} first: {anew}."))
    assert context.report is not None
    records = await load_records(context.deps, context.state.get("head", ""))
    refused = _refused(records, context.state.get("iteration", 0))
    found = await searched(
        context,
        context.workspace.files,
        context.report,
        time_s,
        suspects_hint=hints,
        prefer=hints if chosen else (),
        exclude={key for record, old in records for key in (changes_key(old["changes"]), *record.get("refused", ()))},
        refused=[one["changes"] for one in refused],
        spec=context.spec,
        coverage=coverage,
    )
    found = await _declined_last(found, context)
    if any(one["report"]["verdict"] == "passed" for one in refused):
        found = replace(found, confidence=min(found.confidence, _AFTER_A_REFUSED_ONE))
    if context.state.get("misjudged"):
        found = replace(found, confidence=min(found.confidence, _AFTER_A_WRONG_ONE))
    kept = {
        "key": key_of(context.state, hints),
        "repairs": [
            _with_mark(one, context) for one in repairs_of(found, hints if chosen else (), settled_calls(context.state))
        ],
        "places": effects_of(found),
        "judged": found.judged,
        "tried_all": found.tried_all,
        "singles": found.singles,
        "cut_short": found.cut_short,
        "time_s": time_s,
        "left_out": found.left_out,
        "confidence": found.confidence,
    }
    if chosen and kept["repairs"] and not any(one.get("at_chosen") for one in kept["repairs"]):
        context.emit(Noticed(f"No edit at {where} was found that helps: the repairs are at other lines."))
    program, tests = context.workspace.program_texts, context.workspace.test_texts
    # What no test can be made of would be answered for nothing.
    asked = (one for one in found.questions(MOST_QUESTIONS) if answers_suite([[one.call, "0"]], program, (), tests))
    questions = [question_of(one) for one in asked]
    return {**kept, "question": questions[0], "questions": questions} if questions else kept


def _refused(records: Sequence[tuple[Record, Repair]], iteration: int) -> list[Repair]:
    """Return the search's repairs of the program as it is that the human rejected for what they do; newest first."""
    refused: list[Repair] = []
    for record, repair in records:
        if record["verdict"] != "reject" or record["by"] != "human" or record["iteration"] != iteration:
            break
        if repair["by"] == SEARCH and not record.get("of_place"):
            refused.append(repair)
    return refused


async def _declined_last(found: Found, context: RoleContext) -> Found:
    """Return what was found: what the human left out of an earlier repair last, and what comes first instead says so.

    How sure the search is of that, goes by how much less likely it is.
    """
    from selfheal_tui.search.program.mark import Mark

    declined = await load_declined(context.deps, context.state.get("head", ""))
    program = context.workspace.program_texts

    def is_declined(one: Candidate) -> bool:
        return bool(left_before(declined, program, one.changes))

    def told(one: Candidate) -> Candidate:
        line = left_before(declined, program, one.changes)
        return replace(one, marks=(*one.marks, Mark("declined", left_out_words(line)))) if line else one

    if not declined:
        return found
    found = replace(
        found,
        candidates=tuple(map(told, found.candidates)),
        places=tuple(replace(place, best=told(place.best)) for place in found.places),
    )
    if not any(map(is_declined, found.candidates[:1])):
        return found
    held_back = found.candidates[0]
    in_order = sorted(found.candidates, key=is_declined)
    if is_declined(in_order[0]):
        return replace(found, confidence=min(found.confidence, _AFTER_A_REFUSED_ONE))
    places = [_led_by_another(place, in_order, is_declined) for place in found.places]
    places.sort(key=lambda place: is_declined(place.best))
    # The first repair is the edit that the diagnosis leads with: what comes next may be here for doing something else.
    leads = places[0].best.changes if places else in_order[0].changes
    first, *others = sorted(in_order, key=lambda one: (is_declined(one), one.changes != leads))
    if places and leads == first.changes:
        places[0] = replace(places[0], best=_holding_back(places[0].best, held_back))
    return replace(
        found,
        candidates=(_holding_back(first, held_back), *others),
        places=tuple(places),
        confidence=round(min(found.confidence * _times_as_likely(found, first), _AFTER_A_REFUSED_ONE), 2),
    )


def _holding_back(first: Candidate, held_back: Candidate) -> Candidate:
    """Return what is first now, with a mark that names what was likelier."""
    from selfheal_tui.search.program.mark import Mark

    why = f"The search holds another edit for likelier, which you left out of an earlier repair: {held_back.summary}."
    return replace(first, marks=(*first.marks, Mark("held_back", why)))


def _times_as_likely(found: Found, other: Candidate) -> float:
    """Return how likely a repair is beside the first-ranked one, 0..1; 0 for one that is not ranked."""
    ranking = found.ranking
    at = next((n for n, one in enumerate(ranking.candidates) if one.changes == other.changes), None)
    return 0.0 if at is None else min(1.0, 2.0 ** (ranking.scores[0] - ranking.scores[at]))


def _led_by_another(place: Place, candidates: Sequence[Candidate], is_declined: Callable[[Candidate], bool]) -> Place:
    """Return a place with an edit in front that the human has not left out before, where it has such a one."""
    if not is_declined(place.best):
        return place
    here = [*(one for one in candidates if (one.path, one.line) == (place.path, place.line)), *place.others]
    best = next((one for one in here if not is_declined(one)), None)
    if best is None:
        return place
    return replace(place, best=best, others=(*(one for one in place.others if one != best), place.best))


def _with_mark(repair: Repair, context: RoleContext) -> Repair:
    """Return a repair that is marked where it edits what the human closed to the search for other failing cases."""
    opened = open_again(context.state.get("avoid", ()), context.report)
    if not opened:
        return repair
    there = touched_of(opened, context.workspace.files, repair["changes"])
    if not there:
        return repair
    mark: Mark = {
        "kind": "reopened",
        "why": f"For other failing cases your answers left this alone: {avoid_words(there)}.",
    }
    return {**repair, "marks": [*repair.get("marks", []), mark]}


def used_up_s(kept: KeptSearch) -> float:
    """Return the seconds that a search had and used up; 0 where it ended otherwise, and in sessions of before."""
    return kept.get("time_s", 0.0) if kept.get("cut_short") == "time" else 0.0


def _with_first(kept: KeptSearch, files: Mapping[str, str], places: Collection[tuple[str, int]]) -> KeptSearch | None:
    """Return the result with the repairs at `places` first; None where it has none there that mends every case."""
    if not kept["confidence"]:
        return None
    there: list[Repair] = []
    others: list[Repair] = []
    for repair in kept["repairs"]:
        if touched_lines(files, {**files, **repair["changes"]}).isdisjoint(places):
            others.append(repair)
        else:
            there.append({**repair, "at_chosen": True})
    return {**kept, "repairs": [*there, *others]} if there else None


def next_question(kept: KeptSearch, state: HealState) -> Question | None:
    """Return what to ask the human about these repairs; nothing that they have answered or do not know."""
    if not may_ask(state):
        return None
    settled = settled_calls(state)
    questions = kept.get("questions") or ([kept["question"]] if "question" in kept else [])
    return next((one for one in questions if one["call"] not in settled), None)


def only_search_repairs(state: HealState) -> bool:
    """Tell whether no model proposes repairs."""
    models = state["models"]
    return (models.get("repairer") or models["*"]) == SEARCH


def is_all_closed(kept: KeptSearch) -> bool:
    """Tell whether nothing could be tried because all of it is to be left alone."""
    return not kept["judged"] and kept["left_out"] > 0


def all_closed_words(avoid: Sequence[Avoid]) -> str:
    """Say that nothing is left to edit, and why."""
    return f"Nothing is left for the search to edit after your answers: {avoid_words(avoid)}. {TAKE_BACK}"


def as_searched(kept: KeptSearch, avoid: Sequence[Avoid], edits_refused: int = 0) -> Searched:
    """Return what the diagnosis is made from; `avoid` is what was closed, `edits_refused` as in `Searched`."""
    avoided = avoid_words(avoid)
    whole = kept["judged"], kept["tried_all"], kept["left_out"]
    singles, cut_short = kept.get("singles", 0), kept.get("cut_short", "")
    return Searched(kept["places"], *whole, kept["confidence"], avoided, singles, edits_refused, cut_short)
