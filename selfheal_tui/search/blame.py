"""A diagnosis from what edits do: which places, when changed, make failing cases pass; coverage where none does."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, TypedDict

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import CaseResult, Coverage, SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import and_list, one_line, plural

from .explain import UNKNOWN, DiagnosisEvidence, OtherEdit, SearchDiagnosis, diagnose, example_of, syntax_diagnosis
from .hunt.several_lines import read_several_lines
from .hunt.tried import CutShort, tried_words
from .program.localise import BLIND, Suspect, is_failing
from .uncollected import is_uncollected, uncollected_strategy, uncollected_words

if TYPE_CHECKING:
    from .hunt.places import Place
    from .weigh.found import Found

_BECOMES = re.compile(r"`([^`]+)` becomes `([^`]+)`")
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"))
_MOST_WHY = 320
_SLOW_S = 1.0
"""Seconds of a run of the tests from which on they are the reason why few edits could be tried."""
_EDIT = 80
"""Characters of another edit that does as much; a longer one is counted and not named, as a cut one tells nothing."""
BY_COMMANDS = (
    "selfheal resume SESSION --model PROVIDER:NAME, or selfheal sessions fork SESSION --at CHECKPOINT "
    "--set code:FILE=@YOURS --run"
)
"""How a person or a model goes on without the app."""
NO_EDIT_LEFT = f"The search knows no other single edit, so a person or a model has to write this repair: {BY_COMMANDS}."
"""The strategy of a diagnosis after a search that tried all single edits, in vain."""
NOTHING_TO_EDIT = (
    "The search edits code that is there, and this program has none. "
    f"A person or a model has to write it: {BY_COMMANDS}."
)
"""The strategy of a diagnosis of an empty program."""


class PlaceEffect(TypedDict):
    """A line, and what the edit there does that does most."""

    file: str
    line: int
    edit: str
    """What changes: "`<` becomes `<=`"; with `together` each change after its line."""
    together: bool
    """Several edits at once; the line is that of the first."""
    edits: NotRequired[int]
    """With `together`, or where the same slip is made in several functions: how many. Absent in sessions of before."""
    each: NotRequired[list[str]]
    """With `together`, where each edit mends cases of its own: all of them, that at this line first."""
    others: NotRequired[list[OtherEdit]]
    """With `each`: the edits at other lines. Absent in sessions of before."""
    fixes: list[str]
    """Failing cases that pass with it."""
    breaks: int
    """Cases that break with it, as far as known; 0 is none."""
    whole: bool
    """Every case passes with it."""
    family: NotRequired[str]
    """The kind of edit: `off_by_one`; absent where several are of different kinds, and in sessions of before."""
    alike: int
    """How many edits at this line do as much."""
    so_do: NotRequired[list[str]]
    """The first few of the others that do as much, as `edit` says it; absent in sessions of before."""
    marks: NotRequired[list[str]]
    """Sentences on why the edit may be a coincidence, as its repair bears them; absent where nothing says so."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search tells about the cause."""

    places: Sequence[PlaceEffect]
    judged: int
    tried_all: bool
    left_out: int
    """Edits that were not tried because they are where the search may not edit."""
    confidence: float
    """0..1: how often a first-ranked repair like this one is right; 0 where none passes every case."""
    avoided: str = ""
    """What the human said the search must leave alone: `not in total`."""
    singles: int = 0
    """Of those judged: single edits; 0 in sessions of before."""
    edits_refused: int = 0
    """With how many edits that the human rejected every failing case passes; 0 where there are none."""
    cut_short: CutShort = ""
    """What ended the search before it had tried all that it would; empty for nothing, and in sessions of before."""
    said: str = ""
    """A sentence on what the human said, where nothing else fails with the most telling edit."""


def is_empty(program: Mapping[str, str]) -> bool:
    """Tell whether no file (path -> text) has a statement, but for imports and docstrings."""
    trees = map(parse_or_none, program.values())
    no_work = ast.Import | ast.ImportFrom | ast.Pass
    return all(
        tree is not None
        and all(
            isinstance(node, no_work) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            for node in tree.body
        )
        for tree in trees
    )


def effects_of(found: Found) -> list[PlaceEffect]:
    """Return the places of a search's result as plain values, the most telling first."""
    return [_effect_of(place) for place in found.places]


def _effect_of(place: Place) -> PlaceEffect:
    best = place.best
    together = bool(best.before) and not best.as_one
    effect: PlaceEffect = {
        "file": place.path,
        "line": place.line,
        "edit": best.summary if together else best.summary.partition(": ")[2],
        "together": together,
        "fixes": list(best.fixes),
        "breaks": len(best.breaks),
        "whole": best.complete,
        "alike": place.alike,
    }
    kinds = set(best.operator.split(" + "))
    if len(kinds) == 1:
        effect["family"] = kinds.pop()
    if (several := read_several_lines(effect["edit"])) and several.holders:
        effect["edits"] = 1 + len(several.others)
    if together:
        effect["edits"] = len(best.before) + 1
    if others := [one.summary.partition(": ")[2] for one in place.others if not one.before]:
        effect["so_do"] = others
    if best.edits:
        effect["each"] = list(best.edits)
        at = [*best.before, (best.path, best.line)]
        words = [edit.partition(": ")[2] for edit in best.edits]
        if len(at) == len(words):
            effect["others"] = [
                {"file": path, "line": line, "edit": edit} for (path, line), edit in zip(at[1:], words[1:], strict=True)
            ]
    if best.marks:
        effect["marks"] = [mark.why for mark in best.marks]
    return effect


def explain(
    report: SuiteReport,
    searched: Searched,
    suspects: Sequence[Suspect],
    program: Mapping[str, str],
    *,
    of_group: bool = False,
    some_closed: bool = False,
    coverage: Coverage | None = None,
) -> SearchDiagnosis:
    """Say why the suite fails by what edits do; `suspects` are those of coverage, for where no edit helps.

    `of_group` tells that failing cases of other groups wait, and are not in the report; `some_closed` that suspects
    that are left alone are not among these.
    """
    by_coverage = diagnose(report, suspects, program, some_closed=some_closed, coverage=coverage)
    if syntax_diagnosis(program) is not None:
        return by_coverage
    failing = [case for case in report["cases"] if is_failing(case)]
    if not searched.places:
        if not failing:
            return by_coverage
        why = _nothing(searched), searched.said, _slow(searched, report), by_coverage["cause"]
        tried_nothing = " ".join(filter(None, why))
        nothing: SearchDiagnosis = {**by_coverage, "cause": tried_nothing, "fixes": []}
        if is_empty(program):
            return {**nothing, "strategy": NOTHING_TO_EDIT}
        if is_uncollected(failing):
            seen = [suspect for suspect in suspects if suspect.why != BLIND]
            by_coverage = diagnose(report, seen, program, some_closed=some_closed, coverage=coverage)
            return _uncollected(by_coverage, failing, program, searched)
        return {**nothing, "strategy": NO_EDIT_LEFT} if searched.judged and searched.tried_all else nothing
    first, several = searched.places[0], len(program) > 1
    words = [place_sentence(first, len(failing), several), *_warnings(first)]
    if not first["whole"]:
        tried = tried_words(searched.judged, searched.singles)
        but = "; what you rejected does" if searched.edits_refused else ""
        alone = " without breaking another case" if any(place["breaks"] for place in searched.places) else ""
        words += [
            f"None of the {tried} that were tried mends them all{alone}{but}.",
            searched.said,
            _left_out(searched),
        ]
    inside = {(first["file"], first["line"]), *((one["file"], one["line"]) for one in first.get("others", []))}
    others = [place for place in searched.places[1:] if (place["file"], place["line"]) not in inside]
    words += _others(others, first["whole"], several)
    mended = [case for case in failing if case["id"] in first["fixes"]]
    words += [_slow(searched, report), example_of(mended or failing)]
    return {
        "fault": "code",
        "category": first.get("family", UNKNOWN).replace("_", " "),
        "cause": " ".join(word for word in words if word),
        "evidence": [_row(place, len(failing), several, of_group) for place in searched.places],
        "strategy": _strategy(first["whole"], all(place["breaks"] for place in searched.places)),
        "confidence": searched.confidence
        if first["whole"]
        else _partly(by_coverage["confidence"], first, len(failing)),
        "by": SEARCH,
        "disproof": _disproof(first["whole"], first.get("edits", 1)),
        "fixes": first["fixes"],
        **_slip(first),  # type: ignore[typeddict-item]
        **_edits(searched),
    }


def _uncollected(
    by_coverage: SearchDiagnosis, failing: Sequence[CaseResult], program: Mapping[str, str], searched: Searched
) -> SearchDiagnosis:
    """Say why no case could run, and what helps."""
    return {
        **by_coverage,
        "cause": " ".join(filter(None, (uncollected_words(failing, program), _nothing(searched), searched.said))),
        "fixes": [],
        "strategy": uncollected_strategy(failing, program, BY_COMMANDS),
        "disproof": "A small edit of this program lets the tests be collected.",
    }


def _slip(first: PlaceEffect) -> dict[str, str]:
    """Return what the edit's kind corrects, in words: its name says it to programs only."""
    from .angelic.base import FORCED
    from .angelic.results import NAME, REASON
    from .operators.base import OPERATORS

    name = first.get("family", "")
    family = OPERATORS.get(name) or FORCED.get(name)
    reason = family.reason if family is not None else REASON if name == NAME else ""
    return {"slip": reason} if reason else {}


def _edits(searched: Searched) -> dict[str, int]:
    """Return with how many edits every failing case passes, and with how many that the human rejected."""
    first = searched.places[0]
    if first["whole"]:
        return {"edits": first.get("edits", 1)}
    return {"edits_refused": searched.edits_refused} if searched.edits_refused else {}


def place_sentence(place: PlaceEffect, failing: int, several: bool) -> str:
    """Say what an edit at a place does: "Line 12 compares with `<`; with `<=` both failing cases pass.".

    One that mends no case (a part of a repair) is told without a count: "Line 12 has `<` where `<=` is meant.".
    """
    if not place["fixes"]:
        return _place_alone(place, several)
    effect = _effect(place, failing)
    where = f"line {place['line']} of {place['file']}" if several else f"line {place['line']}"
    if place["together"]:
        if each := place.get("each"):
            return _sentence(f"With {len(each)} independent edits {effect}: {'; '.join(each)}")
        return _sentence(f"With {place.get('edits', 2)} edits together {effect}: {_with_file(place, several)}")
    if match := _BECOMES.fullmatch(place["edit"]):
        old, new = match.groups()
        verb = "compares with" if old in _COMPARISONS else "has"
        return f"L{where[1:]} {verb} `{old}`; with `{new}` {effect}."
    if same := read_several_lines(place["edit"]):
        lines = and_list([*dict.fromkeys([str(place["line"]), *same.others])])
        at = f"lines {lines} of {place['file']}" if several else f"lines {lines}"
        at += f" ({same.holders})" if same.holders else ""
        return _sentence(f"With the same edit at {at}, {effect}: {same.edit}")
    return _sentence(f"With one edit at {where}, {effect}: {place['edit']}")


def _place_alone(place: PlaceEffect, several: bool) -> str:
    """Say what an edit changes, and nothing of cases."""
    where = f"line {place['line']} of {place['file']}" if several else f"line {place['line']}"
    if place["together"]:
        return _sentence(f"What is changed: {_with_file(place, several)}")
    if match := _BECOMES.fullmatch(place["edit"]):
        return f"L{where[1:]} has `{match[1]}` where `{match[2]}` is meant."
    return _sentence(f"What is changed at {where}: {place['edit']}")


def _sentence(words: str) -> str:
    """End with one full stop; a summary that is quoted may bring its own."""
    return f"{words.rstrip('.')}."


def _warnings(place: PlaceEffect) -> list[str]:
    return [f"⚠ {_sentence(why)}" for why in place.get("marks", [])]


def _effect(place: PlaceEffect, failing: int) -> str:
    mended = len(place["fixes"])
    if mended < failing:
        words = f"{mended} of {failing} failing cases {'passes' if mended == 1 else 'pass'}"
    elif failing == 1:
        words = "the failing case passes"
    else:
        words = "both failing cases pass" if failing == 2 else f"all {failing} failing cases pass"
    return f"{words}, but some that passed break" if place["breaks"] else words


def _row(place: PlaceEffect, failing: int, several: bool, of_group: bool) -> DiagnosisEvidence:
    every = "every case of this group passes" if of_group else "every case passes"
    effect = every if place["whole"] else _effect(place, failing)
    alike = 0 if "each" in place else place["alike"] - 1
    words = f"{_edit_words(place, several)}: {effect}{_alike_words(alike, place.get('so_do', []))}"
    row: DiagnosisEvidence = {
        "file": place["file"],
        "line": place["line"],
        "why": one_line(" ".join([words, *_warnings(place)]), _MOST_WHY).rstrip("."),
    }
    if others := place.get("others"):
        row["also"] = others
    return row


def _alike_words(number: int, edits: Sequence[str]) -> str:
    """Say what else does it: `` (2 other edits of this line do it too: `min` becomes `sum`, ...) ``."""
    if number <= 0:
        return ""
    short = [line for edit in edits if len(line := one_line(edit)) <= _EDIT]
    named = ", ".join([*short, *["..."] * (number > len(short))])
    does = "does" if number == 1 else "do"
    return f" ({plural(number, 'other edit')} of this line {does} it too{f': {named}' if short else ''})"


def _edit_words(place: PlaceEffect, several: bool) -> str:
    """Say what is edited at a line, and which lines are edited with it."""
    if not (each := place.get("each")):
        return _with_file(place, several) if place["together"] else place["edit"]
    edit, others = each[0].partition(": ")[2], place.get("others", [])
    if not others:
        return f"{edit}, with {plural(len(each) - 1, 'other edit')}"
    at = sorted((other["file"], other["line"]) for other in others)
    lines = [f"{file}:{line}" if several else str(line) for file, line in at]
    noun = "" if several else "line " if len(lines) == 1 else "lines "
    return f"{edit}, with {noun}{' and '.join([', '.join(lines[:-1])] * (len(lines) > 1) + lines[-1:])}"


def _with_file(place: PlaceEffect, several: bool) -> str:
    """Return edits that go together, with their file where the program has several and the edits name none."""
    return f"{place['file']} {place['edit']}" if several and place["edit"].startswith("line ") else place["edit"]


def _others(places: Sequence[PlaceEffect], whole: bool, several: bool) -> list[str]:
    if not places:
        return []
    at = sorted({(place["file"], place["line"]) for place in places})
    named = ", ".join(f"{file}:{line}" if several else str(line) for file, line in at)
    if not whole:
        return [f"Edits at other lines help too: {named}."]
    number = "1 other line" if len(at) == 1 else f"{len(at)} other lines"
    return [f"{number} could do it too: {named}."]


def _partly(by_coverage: float, place: PlaceEffect, failing: int) -> float:
    """Return how sure a place is whose edit mends a part: never surer than coverage, half as sure where cases
    break, and where it bears a mark."""
    share = len(place["fixes"]) / failing if failing else 0.0
    return round(by_coverage * share * (0.5 if place["breaks"] else 1.0) * (0.5 if place.get("marks") else 1.0), 2)


def _left_out(searched: Searched) -> str:
    """Say how many edits were not tried, and why; empty where none was left out."""
    because = f", left out after your answers: {searched.avoided}" if searched.avoided else ""
    were = "1 edit was" if searched.left_out == 1 else f"{searched.left_out:,} edits were"
    return f"{were} not tried{because}." if searched.left_out else ""


def _slow(searched: Searched, report: SuiteReport) -> str:
    """Say that few edits could be tried because the tests take long; empty where that is not the reason."""
    if searched.cut_short != "time" or report["duration_s"] < _SLOW_S:
        return ""
    tried = tried_words(searched.judged, searched.singles)
    return f"Only {tried} could be tried in the time: one run of the tests takes {report['duration_s']:.1f} s."


def _nothing(searched: Searched) -> str:
    left_out = f" {words}" if (words := _left_out(searched)) else ""
    if not searched.judged:
        return f"No edit was tried.{left_out}"
    whole = " The search knows no other single edit." if searched.tried_all and not left_out else ""
    tried = tried_words(searched.judged, searched.singles)
    which = f"any of the {tried} that were tried" if searched.judged > 1 else "the one edit that was tried"
    return f"No failing case passes with {which}.{left_out}{whole}"


def _strategy(whole: bool, breaks: bool) -> str:
    if whole:
        return "Rehearse the edits that were found, the likeliest first."
    if breaks:
        return "Look for what mends these cases and breaks nothing: each edit that was found breaks a case."
    return "Take an edit that helps and breaks nothing, then look for the rest."


def _disproof(whole: bool, edits: int) -> str:
    if whole:
        what = "This edit gives" if edits == 1 else "These edits give"
        return f"{what} a wrong answer for a call that no case makes."
    return "A repair elsewhere mends every case."
