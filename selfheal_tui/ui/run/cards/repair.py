"""The card that asks whether a repair goes in: what it changes, what it was seen to do, what nobody checked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from textual.content import Content
from textual.geometry import Region

from selfheal_tui.engine.moment.attempts import attempt_number, attempt_words
from selfheal_tui.engine.moment.candidate_words import CandidateLine, candidate_lines, difference_words
from selfheal_tui.engine.moment.closed import still_closed
from selfheal_tui.engine.moment.review import Answer, approve, edit
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.text import strip_controls

from ...kit.cut_text import CutText
from ...view.joined import Joined, join
from ...view.model import Review
from ...view.rivals import question_parts
from ...view.selection import Selection, hunk_names, whole
from .candidate_list import CandidateList
from .repair_text import joined_content, repair_content, selection_content
from .review_card import Keys, ReviewCard

_DIM = "$foreground 60%"
_ROOM = 40
"""Rows of the screen from which on nothing is cut."""


class RepairCard(ReviewCard):
    """Asks about the candidate that is shown; another one is shown by its number."""

    KIND = "repair"
    QUESTION = "approve this repair"
    TAB = "diff"
    selection: Selection | None = None
    """The hunks that are taken; None before any was chosen."""
    marked: tuple[str, ...] = ()
    """Labels of the candidates that are to be taken together."""
    joined: Joined | None = None
    """The marked candidates as one repair, about which is asked then; None while fewer than two are marked."""
    in_parts: frozenset[str] = frozenset()
    """Labels of the candidates of which a hunk is left out."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._list = CandidateList()
        self._body = CutText(self._before, self._list, self._text, classes="card-body")

    def show(self, review: Review, snapshot: Snapshot, pick: str = "") -> None:
        """Ask; another question or candidate starts with all hunks, until `Hunks` says which were chosen."""
        if review != self.review:
            self.marked, self.joined, self.in_parts = (), None, frozenset()
        # Not the picks: the first candidate goes by two names, its own and none.
        if (review, _label_in(snapshot, pick)) != (self.review, self.label):
            self.selection = None
        super().show(review, snapshot, pick)

    def redraw(self) -> None:
        """Draw the list, the text and the keys anew."""
        super().redraw()
        now = self.snapshot
        several = list(now.candidates.values()) if now is not None and len(now.candidates) > 1 else []
        lines = candidate_lines(several, now.program, now.tests, now.recent) if now is not None else []
        lines = [
            _in_part(line) if label in self.in_parts else line for label, line in zip(self.labels, lines, strict=False)
        ]
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
        self.call_after_refresh(self.reach_verdict)

    def reach_verdict(self) -> None:
        """Bring what the hunks or the marked candidates do into view below a long list."""
        self._body.scroll_to_region(Region(0, self._text.virtual_region.y, 1, 2), animate=False)

    def reach_shown(self) -> None:
        """Bring the candidate that is shown into view, in a list longer than the card."""
        number = self.labels.index(self.label) if self.label else 0
        self._body.scroll_to_region(Region(0, self._list.row_of(number), 1, 1), animate=False)

    def mark(self, labels: Collection[str]) -> None:
        """Mark these candidates, to be taken together, and no others."""
        marked = tuple(label for label in self.labels if label in labels)
        if marked == self.marked:
            return
        self.marked = marked
        self.joined = join(self.snapshot, self.marked) if self.snapshot is not None else None
        self.say("")
        self.redraw()

    def join(self, joined: Joined) -> None:
        """Show what the marked candidates do together."""
        self.joined = joined
        self.redraw()

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
        return self.joined is None and self.selection is not None and bool(self.selection.left_out)

    @property
    def taken_changes(self) -> dict[str, str] | None:
        """Path -> text of what is taken, where that is not the repair that is shown as it is."""
        if self.joined is not None and self.joined.repair is not None:
            return dict(self.joined.repair["changes"])
        if self.in_part and self.selection and self.repair and self.snapshot:
            return self.selection.changes(self.snapshot, self.repair)
        return None

    @property
    def part_words(self) -> str:
        """Name what is taken, where that is not the repair that is shown as it is: `hunk 2`, `repairs 1 + 3`."""
        if self.joined is not None:
            return self.joined.words
        return hunk_names(self.selection.taken) if self.in_part and self.selection and self.selection.taken else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Candidate labels, ranked first first."""
        return tuple(self.snapshot.candidates) if self.snapshot else ()

    @property
    def label(self) -> str:
        """The candidate shown; empty when there is none."""
        return _label_in(self.snapshot, self.pick) if self.snapshot else ""

    @property
    def answered_label(self) -> str:
        """The candidate that an edit begins with: the first of those that are taken together."""
        return self.joined.labels[0] if self.joined is not None and self.joined.repair is not None else self.label

    @property
    def repair(self) -> Repair | None:
        """The repair shown."""
        return self.snapshot.candidates.get(self.label) if self.snapshot else None

    def approve(self, rule_lines: int = 0) -> None:
        """Take the candidate that is shown; with `rule_lines` such ones need no answer from now on."""
        if self.joined is not None:
            self._take_joined(self.joined, rule_lines)
            return
        if self.selection is not None and self.selection.left_out:
            self._take_part(self.selection, rule_lines)
            return
        first = next(iter(self.labels), "")
        answer = approve("" if self.label == first else self.label)
        self.decide({**answer, "rule_lines": rule_lines} if rule_lines else answer)

    def _take_joined(self, joined: Joined, rule_lines: int) -> None:
        if rule_lines:
            self.say("A rule is made from one repair: take the marks back first (space).")
        elif joined.repair is None:
            self.say("Take a mark back first (space).")
        elif joined.tried is None and not joined.error:
            self.say("They are still being tried together: look at what they do, then press a again.")
        else:
            self.decide({**approve(joined.labels[0]), "together": list(joined.labels)})

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

    def hunk_words(self) -> str:
        """Say what becomes of the hunks when all is rejected, and how some are kept; empty where there is one."""
        if self.joined is not None or self.repair is None or self.snapshot is None:
            return ""
        of = f" of repair {self.labels.index(self.label) + 1}" if len(self.labels) > 1 else ""
        if self.in_part and self.selection is not None and self.selection.taken:
            them = "it" if len(self.selection.taken) == 1 else "them"
            return f"What you took{of} ({hunk_names(self.selection.taken)}) goes too; to keep {them}: esc, then a."
        total = whole(self.snapshot, self.repair).total
        if total < 2:
            return ""
        some, others = ("one", "the other") if total == 2 else ("some", "the others")
        all_ = "Both" if total == 2 else f"All {total}"
        return f"{all_} hunks{of} go; to keep {some}: esc, then space in the Diff tab leaves {others} out."

    def heading(self) -> str:
        """Return the title, with the place among the candidates."""
        if self.joined is not None:
            fit = self.joined.repair is not None
            asked = f"approve {self.joined.words} together?" if fit else f"{self.joined.words} cannot go together"
            return super().heading().replace(f"{self.QUESTION}?", asked)
        many = len(self.labels)
        place = f"repair {self.labels.index(self.label) + 1} of {many}" if many > 1 else "this repair"
        attempt = attempt_number(self.snapshot.records) if self.snapshot else 1
        again = f", attempt {attempt}" if attempt > 1 else ""
        return super().heading().replace("this repair", place + again)

    def keys(self) -> Keys:
        """Return the keys that answer; the numbers only where there is a choice."""
        if self.joined is not None:
            take = f"approve {self.joined.words.removeprefix('repairs ')}"
            return [
                *([("a", take, "approve")] if self.joined.repair is not None else []),
                *super().keys()[1:],
                (f"1-{min(9, len(self.labels))}", "pick", ""),
                ("space", "unmark" if self.label in self.marked else "mark", "hunk"),
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
        which: Keys = [("w", "which?" if self.question else "wrong?", "answer")]
        return [*super().keys(), *several, *mark, *which, *always, ("c", "comment", "comment")]

    def _mark_key(self) -> Keys:
        """Return the key that marks; in the Diff of a repair in several pieces it takes hunks instead."""
        in_one_piece = self.snapshot and self.repair and whole(self.snapshot, self.repair).total < 2
        words = "unmark" if self.label in self.marked else "mark"
        return [("space", words, "hunk")] if self.can_mark and in_one_piece else []

    def describe(self) -> Content:
        """Return what is known of the candidate."""
        if self.repair is None:
            return Content.styled("No repair was found. Reject with a hint, or edit the code yourself.", _DIM)
        if self.joined is not None:
            return joined_content(self.joined)
        if self.selection is not None and self.selection.left_out:
            return selection_content(self.repair, self.selection)
        now = self.snapshot
        without = attempt_words(now.records, still_closed(now.avoid, now.report)) if now is not None else ""
        content = Content.styled(f"↺ {strip_controls(without)}\n", "$text-warning") if without else Content()
        waiting = len(now.waiting) if now is not None else 0
        if len(self.labels) > 1:
            content += self._one_of_several(self.repair, waiting)
        else:
            content += repair_content(self.repair, waiting=waiting, has_room=self._has_room)
        if self.question and now is not None:
            # Above what is known of the one candidate: below it, on a small screen, nobody would see it.
            parts = question_parts(self.question, list(now.candidates.values()))
            content = Content.assemble(*parts, "\n") + content
        failures = self.snapshot.failures if self.snapshot else {}
        more = [(f"\n· {strategy}: {strip_controls(why)}", _DIM) for strategy, why in failures.items()]
        return content + Content.assemble(("\n\nCame to nothing", _DIM), *more) if more else content

    def _one_of_several(self, repair: Repair, waiting: int) -> Content:
        """Return what is known of a candidate that stands in the list, and what parts it from the first."""
        first, now = self.labels[0], self.snapshot
        difference = ""
        if now is not None and self.label != first:
            difference = difference_words(now.candidates[first], repair, {**now.tests, **now.program})
        listed = list(now.candidates.values()) if now is not None else [repair]
        return repair_content(repair, difference, listed=listed, waiting=waiting, has_room=self._has_room)

    @property
    def _has_room(self) -> bool:
        return self.is_attached and self.screen.size.height >= _ROOM


def _label_in(snapshot: Snapshot, pick: str) -> str:
    return pick if pick in snapshot.candidates else next(iter(snapshot.candidates), "")


def _in_part(line: CandidateLine) -> CandidateLine:
    """Return the line of a candidate of which a hunk is left out: what the whole one does is not what its part does."""
    return replace(line, fixes="in part", breaks="", doubts="")
