"""What is known of a repair, of some of its hunks, or of several repairs together, as the text of a card. Pure."""

from __future__ import annotations

from collections.abc import Collection

from textual.content import Content

from selfheal_tui.engine.moment.beside_tests import beside_tests
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.sureness import sure_note, unsure_line
from selfheal_tui.engine.moment.together import whole_summary
from selfheal_tui.engine.moment.words import not_verified_line, not_verified_words, ran_before_words
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.sandbox.account import NOT_VERIFIED
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural, strip_controls

from ...view.joined import Joined
from ...view.selection import Selection
from ...view.words import names

_DIM = "$foreground 60%"
Part = tuple[str, str]
_GOES_ON = " · "
"""Begins what stands in the line of the verdict."""
_TOLD = "The models are told what you leave out."
_MARKED = "If the search proposes again what you leave out, it says so."
_OF_TEST: Part = ("This changes a test, not the program.\n", "bold $text-warning")


def selection_content(repair: Repair, selection: Selection) -> Content:
    """Return what only some hunks of a repair do: theirs, not the whole repair's."""
    parts: list[Part] = [
        (f"◧ {selection.words}", "bold $text-warning"),
        (f"\nof: {strip_controls(repair['summary']).strip()}", _DIM),
    ]
    if selection.tried is not None:
        chosen = _tried_repair(repair, selection.tried)
        counts = f" · fixes {len(chosen['fixes'])}, breaks {len(chosen['breaks'])}"
        parts[1:1] = [(" · ", _DIM), _verdict(chosen["report"]), (counts, "")]
        parts += [("\nThese hunks alone:", _DIM), *_effect(chosen)[1:]]
    elif selection.error:
        parts.insert(1, (f"\n? could not be tried: {strip_controls(selection.error)}", "$text-warning"))
    elif selection.taken:
        parts.insert(1, (" · … trying these hunks alone", "$text-primary"))
    else:
        parts.insert(1, ("\nNothing to take: take a hunk (space), or reject (r).", "$text-warning"))
    told = _MARKED if repair.get("by") == SEARCH else _TOLD
    parts.append((f"\n\n{told}", _DIM))
    return Content.assemble(*parts)


def joined_content(joined: Joined) -> Content:
    """Return what candidates do together: theirs, not what any of them does alone."""
    start = f"◉ {joined.words} together"
    if joined.repair is None:
        return Content.styled(f"✗ {strip_controls(joined.error)}", "bold $text-error")
    parts: list[Part] = [(start, "bold $text-warning")]
    if joined.tried is not None:
        tried = _tried_repair(joined.repair, joined.tried)
        counts = f" · fixes {len(tried['fixes'])}, breaks {len(tried['breaks'])}"
        parts += [(" · ", _DIM), _verdict(tried["report"]), (counts, ""), *_effect(tried)[1:], *_still_failing(tried)]
    elif joined.error:
        parts.append((f"\n? could not be tried: {strip_controls(joined.error)}", "$text-warning"))
    else:
        parts.append((" · … trying them together", "$text-primary"))
    parts += [(f"\n⚠ {strip_controls(mark['why'])}", "$text-warning") for mark in joined.marks]
    return Content.assemble(*parts)


def _tried_repair(repair: Repair, tried: SuiteTried) -> Repair:
    return {
        "summary": repair["summary"],
        "changes": repair["changes"],
        "strategy": repair["strategy"],
        "by": repair["by"],
        "report": tried.report,
        "fixes": list(tried.fixes),
        "breaks": list(tried.breaks),
    }


def _still_failing(repair: Repair) -> list[Part]:
    cases = [case["id"] for case in repair["report"]["cases"] if case["outcome"] not in ("passed", "skipped")]
    others = [case_id for case_id in cases if case_id not in repair["breaks"]]
    return [("\n✗ still not passing ", "$text-error"), (names(others), "")] if others else []


def repair_content(
    repair: Repair,
    beside_first: str = "",
    *,
    listed: Collection[Repair] = (),
    waiting: int = 0,
    has_room: bool = False,
) -> Content:
    """Return a repair as text: the promise first, then the verdict with the doubts about it, then the rest.

    One that is `listed` with others stands there with what it changes: what parts it from the first candidate
    (`beside_first`) comes below the doubts then. `waiting` counts the cases of other groups, of which no run
    tells. Where there is room (`has_room`) no edit of a joined repair is cut.
    """
    words = whole_summary(repair) if has_room else repair["summary"]
    summary = (strip_controls(words).strip(), "" if listed else "bold")
    parts: list[Part] = [_OF_TEST] if repair.get("of_test") else []
    verdict, *effect = _effect(repair, listed=bool(listed), waiting=waiting)
    parts += [*([] if listed else [summary, ("\n", "")]), verdict]
    # Right below the verdict that they qualify: on a small screen the rest is below the fold.
    doubts: list[Part] = [(f"\n⚠ {strip_controls(mark['why'])}", "$text-warning") for mark in repair.get("marks", [])]
    if unsure := unsure_line(repair, listed):
        doubts.append((f"\n? {unsure}", "$text-warning"))
    beside: list[Part] = []
    if beside_first:
        beside = [("\n≠ compared with 1: ", "$text-accent"), (strip_controls(beside_first), "")]
    for line in beside_tests(repair):
        beside += [("\n≠ no test asks: ", "$text-accent"), (line, "")]
    parts += [*doubts, *beside, *(_on_own_line(effect) if doubts or beside else effect)]
    if repair.get("independent"):
        parts.append(("\n· the tests that still fail run none of the lines it changes, and say nothing of it", _DIM))
    report = repair.get("report")
    if not_verified_words(report) == NOT_VERIFIED:
        parts.append(("\n· it is verified once it is taken: then tests and program run apart", _DIM))
    elif doubt := not_verified_line(report):
        label, colon, why = doubt.partition(": ")
        parts += [(f"\n? {label}{colon}", "$text-warning"), (strip_controls(why), "")]
    if listed:
        parts += [("\n", ""), summary]
    meta = []
    if repair["strategy"] and repair["strategy"] != repair["by"]:
        meta.append(strip_controls(repair["strategy"]).strip())
    meta.append(f"by {one_line(repair['by'], 60)}")
    if sure := sure_note(repair):
        meta.append(sure)
    parts.append(("\n" + " · ".join(meta), _DIM))
    return Content.assemble(*parts)


def _on_own_line(effect: list[Part]) -> list[Part]:
    """Return what a repair does without the verdict: what went on in the verdict's line begins one of its own."""
    if effect and effect[0][0].startswith(_GOES_ON):
        words, style = effect[0]
        return [(f"\n✓ {words.removeprefix(_GOES_ON)}", style), *effect[1:]]
    return effect


def _verdict(report: SuiteReport, waiting: int = 0, mended: int = 0) -> Part:
    """`mended` of the `waiting` cases of other groups pass too."""
    if report["verdict"] == "passed":
        left = waiting - mended
        if mended and left:
            return f"✓ every test of this group passes, and {mended} of {waiting} of the others", "bold $text-success"
        too = f", {mended} of other groups too" if mended else ""
        others = f" but {left} of other groups, which {'waits' if left == 1 else 'wait'}" if left else ""
        return f"✓ every test passes{too}{others}", "bold $text-success"
    if report["error"]:
        return f"✗ {strip_controls(report['error'])}", "bold $text-error"
    not_passing = report["failed"] + report["errors"] + report["timeouts"]
    return f"✗ {plural(not_passing, 'test')} still not passing", "bold $text-error"


def _effect(repair: Repair, *, listed: bool = False, waiting: int = 0) -> list[Part]:
    """Return what a repair does to the cases; the list has said already of a `listed` one how many."""
    report = repair.get("report")
    if report is None:
        return [("? not rehearsed", "bold $text-warning")]
    fixes, breaks = repair.get("fixes", []), repair.get("breaks", [])
    parts: list[Part] = [_verdict(report, waiting, len(repair.get("mends_waiting", [])))]
    if fixes:
        parts += [(f"{_GOES_ON}fixes " if listed else "\n✓ fixes ", "$text-success"), (names(fixes), "")]
    elif not listed:
        parts.append(("\n· fixes nothing", "$text-warning"))
    if breaks:
        parts += [("\n✗ breaks ", "bold $text-error"), (names(breaks), "")]
    elif not listed:
        parts.append(("\n· breaks nothing", _DIM))
    if lost := set(repair.get("regressions", [])) - set(breaks):
        parts += [("\n✗ loses what passed earlier ", "$text-error"), (names(sorted(lost)), "")]
    if "same_as" in repair:
        parts.append((f"\n= {ran_before_words(repair['same_as'])}", "$text-warning"))
    return parts
