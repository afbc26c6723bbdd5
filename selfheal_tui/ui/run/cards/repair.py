"""The card that asks whether a repair goes in: what it changes, what it was seen to do, what nobody checked."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region

from selfheal_tui.engine.moment.attempts import attempt_number, attempt_words
from selfheal_tui.engine.moment.candidate_words import candidate_lines, difference_words
from selfheal_tui.engine.moment.review import Answer, approve, edit
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.together import joined_repair
from selfheal_tui.engine.moment.words import not_verified_words
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line, plural, strip_controls

from ...view.model import Review
from ...view.rivals import question_parts
from ...view.selection import Selection, whole
from ...view.words import names
from .candidate_list import CandidateList
from .review_card import Keys, ReviewCard

_DIM = "$foreground 60%"
_MARK = ("space", "mark", "hunk")
Part = tuple[str, str]
_OF_TEST: Part = ("This changes a test, not the program.\n", "bold $text-warning")


class RepairCard(ReviewCard):
    """Asks about the candidate that is shown; another one is shown by its number."""

    KIND = "repair"
    QUESTION = "approve this repair"
    TAB = "diff"
    selection: Selection | None = None
    """The hunks that are taken; None before any was chosen."""
    marked: tuple[str, ...] = ()
    """Labels of the candidates that are to be taken together."""
    in_parts: frozenset[str] = frozenset()
    """Labels of the candidates of which a hunk is left out."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._list = CandidateList()
        self._body = VerticalScroll(self._list, self._text, classes="card-body")

    def show(self, review: Review, snapshot: Snapshot, pick: str = "") -> None:
        """Ask; another question or candidate starts with all hunks."""
        if (review, pick) != (self.review, self.pick):
            self.selection = None
        if review != self.review:
            self.marked, self.in_parts = (), frozenset()
        super().show(review, snapshot, pick)

    def redraw(self) -> None:
        """Draw the list, the text and the keys anew."""
        super().redraw()
        now = self.snapshot
        several = list(now.candidates.values()) if now is not None and len(now.candidates) > 1 else []
        lines = candidate_lines(several, now.program, now.tests) if now is not None else []
        numbers = {label: number for number, label in enumerate(self.labels)}
        self._list.show(
            lines,
            numbers.get(self.label, 0),
            [numbers[label] for label in self.marked],
            [numbers[label] for label in self.in_parts],
        )
        self.set_class(bool(several), "-several")

    def select(self, selection: Selection) -> None:
        """Show what these hunks do, instead of the whole repair."""
        self.selection = selection
        self.say("")
        self.redraw()
        self.call_after_refresh(self._reach_verdict)

    def _reach_verdict(self) -> None:
        """Bring what these hunks do into view below a long list."""
        self._body.scroll_to_region(Region(0, self._text.virtual_region.y, 1, 2), animate=False)

    def reach_shown(self) -> None:
        """Bring the candidate that is shown into view, in a list longer than the card."""
        number = self.labels.index(self.label) if self.label else 0
        self._body.scroll_to_region(Region(0, self._list.row_of(number), 1, 1), animate=False)

    def mark(self) -> None:
        """Mark the candidate that is shown, to be taken with others, or take the mark back."""
        marked = set(self.marked) ^ {self.label}
        self.marked = tuple(label for label in self.labels if label in marked)
        self.say(self._why_not_together())
        self.redraw()

    def _why_not_together(self) -> str:
        """Say why the marked candidates do not fit together; empty when they do."""
        if self.snapshot is None or len(self.marked) < 2:
            return ""
        try:
            now = {**self.snapshot.tests, **self.snapshot.program}
            joined_repair(now, self.snapshot.candidates, self.marked)
        except InputError as error:
            return str(error)
        return ""

    @property
    def can_mark(self) -> bool:
        """Whether there are several candidates that could be taken together."""
        return len(self.labels) > 1 and not any(
            one.get("of_test") for one in (self.snapshot.candidates.values() if self.snapshot else ())
        )

    @property
    def needed_width(self) -> int:
        """Cells in which no candidate of the list is cut."""
        return self._list.needed_width

    @property
    def in_part(self) -> bool:
        """Whether some hunk is left out."""
        return self.selection is not None and bool(self.selection.left_out)

    @property
    def labels(self) -> tuple[str, ...]:
        """Candidate labels, ranked first first."""
        return tuple(self.snapshot.candidates) if self.snapshot else ()

    @property
    def label(self) -> str:
        """The candidate shown; empty when there is none."""
        return self.pick if self.pick in self.labels else next(iter(self.labels), "")

    @property
    def repair(self) -> Repair | None:
        """The repair shown."""
        return self.snapshot.candidates.get(self.label) if self.snapshot else None

    def approve(self, rule_lines: int = 0) -> None:
        """Take the candidate that is shown; with `rule_lines` such ones need no answer from now on."""
        if self.marked:
            self._take_marked(rule_lines)
            return
        if self.selection is not None and self.selection.left_out:
            self._take_part(self.selection, rule_lines)
            return
        first = next(iter(self.labels), "")
        answer = approve("" if self.label == first else self.label)
        self.decide({**answer, "rule_lines": rule_lines} if rule_lines else answer)

    def _take_marked(self, rule_lines: int) -> None:
        if rule_lines:
            self.say("A rule is made from one repair: take the marks back first (space).")
        elif why := self._why_not_together():
            self.say(why)
        else:
            # Whoever takes the answer back begins with the candidate that is shown, not with marks of before.
            labels, self.marked = self.marked, ()
            first = approve(labels[0])
            self.decide(first if len(labels) == 1 else {**first, "together": list(labels)})

    def _take_part(self, selection: Selection, rule_lines: int) -> None:
        if rule_lines:
            self.say("A rule is made from a whole repair: take all its hunks first (space).")
        elif not selection.taken:
            self.say("No hunk is taken: take one (space), or reject with a reason (r).")
        elif selection.tried is None and not selection.error:
            self.say("These hunks are still being tried: look at what they do, then press a again.")
        else:
            answer: Answer = edit({"hunks": selection.taken}, pick=self.label)
            self.decide(answer)

    def heading(self) -> str:
        """Return the title, with the place among the candidates."""
        many = len(self.labels)
        place = f"repair {self.labels.index(self.label) + 1} of {many}" if many > 1 else "this repair"
        attempt = attempt_number(self.snapshot.records) if self.snapshot else 1
        again = f", attempt {attempt}" if attempt > 1 else ""
        return super().heading().replace("this repair", place + again)

    def keys(self) -> Keys:
        """Return the keys that answer; the numbers only where there is a choice."""
        if self.marked:
            take = f"approve {' + '.join(self.marked)}"
            return [
                ("a", take, "approve"),
                *super().keys()[1:],
                (f"1-{min(9, len(self.labels))}", "pick", ""),
                *self._mark_key(),
            ]
        if self.in_part:
            taken = self.selection is not None and bool(self.selection.taken)
            these: Keys = [("a", "approve these", "approve")] if taken else []
            several: Keys = [(f"1-{min(9, len(self.labels))}", "pick", "")] if len(self.labels) > 1 else []
            rest: Keys = [*several, ("space", "hunk", "hunk"), ("c", "comment", "comment")]
            return [*these, *super().keys()[1:], *rest]
        always = [("A", "always", "rule")] if self.repair and not self.repair.get("of_test") else []
        several = [(f"1-{min(9, len(self.labels))}", "pick", "")] if len(self.labels) > 1 else []
        mark = self._mark_key()
        which = [("w", "which?", "answer")] if self.question else []
        return [*super().keys(), *several, *mark, *which, *always, ("c", "comment", "comment")]

    def _mark_key(self) -> Keys:
        """Return the key that marks; in the Diff of a repair in several pieces it takes hunks instead."""
        in_one_piece = self.snapshot and self.repair and whole(self.snapshot, self.repair).total < 2
        return [_MARK] if self.can_mark and in_one_piece else []

    def describe(self) -> Content:
        """Return what is known of the candidate."""
        if self.repair is None:
            return Content.styled("No repair was found. Reject with a hint, or edit the code yourself.", _DIM)
        if self.selection is not None and self.selection.left_out:
            return selection_content(self.repair, self.selection)
        now = self.snapshot
        without = attempt_words(now.records, now.avoid) if now is not None else ""
        content = Content.styled(f"↺ {strip_controls(without)}\n", "$text-warning") if without else Content()
        waiting = len(now.waiting) if now is not None else 0
        if len(self.labels) > 1:
            content += self._one_of_several(self.repair, waiting)
        else:
            content += repair_content(self.repair, waiting=waiting)
        if self.question:
            content += Content.assemble("\n\n", *question_parts(self.question))
        failures = self.snapshot.failures if self.snapshot else {}
        more = [(f"\n· {strategy}: {strip_controls(why)}", _DIM) for strategy, why in failures.items()]
        return content + Content.assemble(("\n\nCame to nothing", _DIM), *more) if more else content

    def _one_of_several(self, repair: Repair, waiting: int) -> Content:
        """Return what is known of a candidate that stands in the list, and what parts it from the first."""
        first, now = self.labels[0], self.snapshot
        difference = ""
        if now is not None and self.label != first:
            difference = difference_words(now.candidates[first], repair, {**now.tests, **now.program})
        return repair_content(repair, difference, listed=True, waiting=waiting)


def selection_content(repair: Repair, selection: Selection) -> Content:
    """Return what only some hunks of a repair do: theirs, not the whole repair's."""
    parts: list[Part] = [
        (f"◧ {selection.words}", "bold $text-warning"),
        (f"\nof: {strip_controls(repair['summary']).strip()}", _DIM),
    ]
    if selection.tried is not None:
        tried = selection.tried
        chosen: Repair = {
            "summary": repair["summary"],
            "changes": repair["changes"],
            "strategy": repair["strategy"],
            "by": repair["by"],
            "report": tried.report,
            "fixes": list(tried.fixes),
            "breaks": list(tried.breaks),
        }
        counts = f" · fixes {len(tried.fixes)}, breaks {len(tried.breaks)}"
        parts[1:1] = [(" · ", _DIM), _verdict(tried.report), (counts, "")]
        parts += [("\nThese hunks alone:", _DIM), *_effect(chosen)[1:]]
    elif selection.error:
        parts.insert(1, (f"\n? could not be tried: {strip_controls(selection.error)}", "$text-warning"))
    elif selection.taken:
        parts.insert(1, (" · … trying these hunks alone", "$text-primary"))
    else:
        parts.insert(1, ("\nNothing to take: take a hunk (space), or reject (r).", "$text-warning"))
    parts.append(("\n\nThe models are told what you leave out.", _DIM))
    return Content.assemble(*parts)


def repair_content(repair: Repair, beside_first: str = "", *, listed: bool = False, waiting: int = 0) -> Content:
    """Return a repair as text: the promise first, then the evidence, then the doubts.

    One that is `listed` with others stands there with what it changes: its effect comes first then, and what parts it
    from the first candidate (`beside_first`). `waiting` counts the cases of other groups, of which no run tells.
    """
    summary = (strip_controls(repair["summary"]).strip(), "" if listed else "bold")
    parts: list[Part] = [_OF_TEST] if repair.get("of_test") else []
    parts += [*([] if listed else [summary, ("\n", "")]), *_effect(repair, listed=listed, waiting=waiting)]
    if beside_first:
        parts += [("\n≠ compared with 1: ", "$text-accent"), (strip_controls(beside_first), "")]
    parts += [(f"\n⚠ {strip_controls(mark['why'])}", "$text-warning") for mark in repair.get("marks", [])]
    if repair.get("independent"):
        parts.append(("\n· the tests that still fail run none of the lines it changes", _DIM))
    if doubt := not_verified_words(repair.get("report")):
        parts += [("\n? not verified: ", "$text-warning"), (strip_controls(doubt), "")]
    if listed:
        parts += [("\n", ""), summary]
    meta = []
    if repair["strategy"] and repair["strategy"] != repair["by"]:
        meta.append(strip_controls(repair["strategy"]).strip())
    meta.append(f"by {one_line(repair['by'], 60)}")
    parts.append(("\n" + " · ".join(meta), _DIM))
    return Content.assemble(*parts)


def _verdict(report: SuiteReport, waiting: int = 0) -> Part:
    if report["verdict"] == "passed":
        others = f" but {waiting} of other groups, which {'waits' if waiting == 1 else 'wait'}" if waiting else ""
        return f"✓ every test passes{others}", "bold $text-success"
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
    parts: list[Part] = [_verdict(report, waiting)]
    if fixes:
        parts += [(" · fixes " if listed else "\n✓ fixes ", "$text-success"), (names(fixes), "")]
    elif not listed:
        parts.append(("\n· fixes nothing", "$text-warning"))
    if breaks:
        parts += [("\n✗ breaks ", "bold $text-error"), (names(breaks), "")]
    elif not listed:
        parts.append(("\n· breaks nothing", _DIM))
    if lost := set(repair.get("regressions", [])) - set(breaks):
        parts += [("\n✗ loses what passed earlier ", "$text-error"), (names(sorted(lost)), "")]
    if "same_as" in repair:
        parts.append((f"\n= this program ran already, for {repair['same_as']}: not run again", "$text-warning"))
    return parts
