"""The card that asks whether a diagnosis is right, with the form to correct it in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content
from textual.geometry import Region

from selfheal_tui.engine.moment.review import approve, edit
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import DebugStep, Diagnosis, Evidence, GroupTurn
from selfheal_tui.engine.moment.steering import at_place, place_labels
from selfheal_tui.engine.moment.sureness import cause_sureness
from selfheal_tui.engine.moment.words import failing_cases, not_searched_words
from selfheal_tui.engine.suites.failing_groups import failing_groups, group_lines, group_words
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural, strip_controls

from ...view.model import Review
from ...view.words import marks_told
from .diagnosis_form import DiagnosisForm
from .review_card import Keys, ReviewCard

FAULT_WORDS = {
    "code": "the code is wrong",
    "test": "a test is wrong",
    "spec": "the spec is wrong",
    "environment": "the environment is wrong",
}


class DiagnosisCard(ReviewCard):
    """Asks about the diagnosis."""

    KIND = "diagnosis"
    QUESTION = "is this the cause"
    TAB = "code"
    wider = ""
    """The command that searches files too that failing cases run and were not searched; empty for none."""
    _form: DiagnosisForm | None = None
    """Mounted when it is first used."""
    _grouped: tuple[SuiteReport, list[str]] | None = None
    """A report and its groups: finding them parses files."""
    DEFAULT_CSS = """
    DiagnosisCard {
        DiagnosisForm { display: none; }
        &.-editing DiagnosisForm { display: block; }
        &.-editing .card-body { display: none; }
        &.-editing KeyRow { display: none; }
    }
    """

    def show(self, review: Review, snapshot: Snapshot, pick: str = "") -> None:
        """Ask; another question closes the form and forgets its text."""
        if self.review != review:
            self.remove_class("-editing")
            if self._form is not None:
                self._form.forget()
        super().show(review, snapshot, pick)

    @property
    def labels(self) -> tuple[str, ...]:
        """Numbers of the places that one may choose from, the likeliest first; a model's evidence is no choice."""
        return tuple(place_labels(self.snapshot.diagnosis)) if self.snapshot else ()

    @property
    def label(self) -> str:
        """The number of the place shown; empty when there is none."""
        return self.pick if self.pick in self.labels else next(iter(self.labels), "")

    def approve(self) -> None:
        """Take the place that is shown."""
        self.decide(approve("" if self.label in ("", "1") else self.label))

    def heading(self) -> str:
        """Return the title; of a later attempt its number stands first, where it is never cut."""
        attempt = self.review.attempt if self.review is not None else 1
        return f"◆ Attempt {attempt}: {self.QUESTION}?" if attempt > 1 and not self._again else super().heading()

    @property
    def _again(self) -> bool:
        return self.review is not None and self.review.again

    def keys(self) -> Keys:
        """Return the keys that answer; the numbers only where there is a choice."""
        several = [(f"1-{len(self.labels)}", "pick", "")] if len(self.labels) > 1 else []
        groups = [("H", "heal first", "groups")] if self._groups else []
        return [*super().keys(), *several, *groups, ("i", "note", "note")]

    def reach_shown(self) -> None:
        """Bring the place that is shown into view."""
        rows = (self._text.render_line(y).text for y in range(self._text.size.height))
        at = next((y for y, row in enumerate(rows) if row.startswith("▶")), None)
        if at is not None:
            self._body.scroll_to_region(Region(0, at, 1, 1), animate=False)

    def describe(self) -> Content:
        """Return cause, places or evidence, strategy and confidence; around them groups of failing cases."""
        changed = changed_words(self.snapshot, self.label) if self.snapshot else ""
        shown = self.snapshot.diagnosis if self.snapshot else None
        several = self.snapshot is not None and len(self.snapshot.program) > 1
        diagnosis = diagnosis_content(shown, self.label, changed, self.wider, several_files=several)
        turn = self.snapshot.turn if self.snapshot else None
        if turn:
            return Content.assemble((f"Now: {now_words(turn, self.snapshot)}\n", "$text-warning"), diagnosis)
        if not self._groups:
            return diagnosis
        count = len(self._groups)
        head = (
            f"{count} groups of failing cases, by what they call: H heals one first, for a commit of its own\n",
            "$text-warning",
        )
        return Content.assemble(head, diagnosis, ("\n\n" + "\n".join(group_lines(self._groups)), _DIM))

    @property
    def _groups(self) -> list[str]:
        """What fails in groups, in words; empty for one group, and where one edit mends them all: that is one fault."""
        snapshot = self.snapshot
        if snapshot is None or snapshot.report is None:
            return []
        if snapshot.diagnosis is not None and snapshot.diagnosis.get("edits") == 1:
            return []
        if self._grouped is None or self._grouped[0] is not snapshot.report:
            words = [group_words(group) for group in failing_groups(snapshot)]
            self._grouped = (snapshot.report, words if len(words) > 1 else [])
        return self._grouped[1]

    async def open_form(self, left: Mapping[str, str] | None) -> None:
        """Edit the diagnosis here; `left` is what was typed before, by field, and not sent."""
        if self.snapshot is None or self.snapshot.diagnosis is None:
            return
        self.add_class("-editing")
        if self._form is None:
            self._form = DiagnosisForm()
            await self.mount(self._form, after=self._body)
        self._form.open(
            _shown(self.snapshot.diagnosis, self.label), [*self.snapshot.program, *self.snapshot.tests], left
        )

    def on_diagnosis_form_submitted(self, event: DiagnosisForm.Submitted) -> None:
        """Decide with the edited diagnosis."""
        event.stop()
        self.remove_class("-editing")
        self.decide(edit(dict(event.value), pick="" if self.label in ("", "1") else self.label))

    def on_diagnosis_form_left(self, event: DiagnosisForm.Left) -> None:
        """Close the form; the message goes on to the screen, which takes the focus back."""
        self.remove_class("-editing")


def changed_words(snapshot: Snapshot, label: str = "") -> str:
    """Say that the line in question was changed lately, by which commit; empty where it was not.

    It is the line of the place `label`, else the most suspicious of the evidence.
    """
    evidence = snapshot.diagnosis["evidence"] if snapshot.diagnosis else []
    number = int(label) - 1 if label.isdigit() else 0
    item = evidence[number] if number < len(evidence) else None
    change = snapshot.recent.get((item["file"], item["line"])) if item else None
    if item is None or change is None:
        return ""
    where = f"Line {item['line']} of {one_line(item['file'])}" if len(snapshot.program) > 1 else f"Line {item['line']}"
    return (
        f"{where} was changed by {change.commit.rstrip('.')}."
        if change.commit
        else f"{where} was changed and not committed."
    )


def now_words(turn: GroupTurn, snapshot: Snapshot | None) -> str:
    """Return the group that is healed now, and how many of its cases are left where a part of them is mended."""
    report = snapshot.report if snapshot is not None else None
    failing = [case["id"] for case in failing_cases(report)] if report else turn["cases"]
    left = sum(case in turn["cases"] for case in failing)
    words = strip_controls(turn["words"])
    # What you tell while a group is healed, or a model writes then, is healed with it.
    beside = f", and {plural(len(failing) - left, 'new case')} with it" if len(failing) > left else ""
    still = "" if left == len(turn["cases"]) else f"; {left} of {plural(len(turn['cases']), 'case')} still to mend"
    return f"{words}{still}{beside}"


def diagnosis_content(
    diagnosis: Diagnosis | None, label: str = "", changed: str = "", wider: str = "", *, several_files: bool = False
) -> Content:
    """Return a diagnosis as text; foreign words are shown as they are, never read as markup.

    `label` is the number of the place that is shown, where one may choose; `changed` says that its line was changed
    lately. With `several_files` in the program each place names its own. What was not searched stands first, where
    nothing hides it; `wider` is the command that searches it.
    """
    if diagnosis is None:
        return Content.styled("No diagnosis yet.", "$foreground 60%")
    of_search = diagnosis["by"] == SEARCH
    helps_none = of_search and diagnosis.get("fixes") == []
    # Where no edit helps and no line stands out, nobody knows that the code is what is wrong.
    is_known = not helps_none or bool(diagnosis["evidence"])
    fault = FAULT_WORDS.get(diagnosis["fault"], diagnosis["fault"]) if is_known else ""
    category, by = one_line(diagnosis["category"], 60), one_line(diagnosis["by"], 60)
    cause = strip_controls(diagnosis["cause"]).strip()
    others = strip_controls(not_searched_words(diagnosis.get("not_searched", ())))
    cause = cause.replace(others, "").strip() if others else cause
    parts: list[tuple[str, str]] = [(cause, "bold")]
    if label not in ("", "1"):
        parts = [(strip_controls(_shown(diagnosis, label)["cause"]), "bold"), (f"\n{cause}", _DIM)]
    if others:
        how = f"search there too: {strip_controls(wider)}\n" if wider else ""
        parts = [(f"? {others}\n", "$text-warning"), (how, ""), *parts]
    if changed:
        parts.append((f"\n{strip_controls(changed)}", "$text-warning"))
    slip = one_line(diagnosis.get("slip", ""), 120) if of_search else ""
    # Of another place than the first nobody knows the kind; and there is none where no edit mends anything.
    told = label in ("", "1") and not helps_none
    kind = slip or category.replace("unknown", "") if told else ""
    parts.append((f"\n{' · '.join(filter(None, (fault, kind, cause_sureness(diagnosis, label), f'by {by}')))}", _DIM))
    if len(diagnosis["evidence"]) > 1 and label:  # the only place stands in the first sentence
        parts += _places(diagnosis["evidence"], label, several_files, "".join(words for words, _ in parts))
    parts += [
        ("\n\n", ""),
        ("Plan  ", _DIM),
        (strip_controls(_in_keys(diagnosis["strategy"])).strip() or "nothing named", ""),
    ]
    if disproof := strip_controls(diagnosis.get("disproof", "")).strip():
        parts += [("\n\nWrong if  ", _DIM), (disproof, "")]
    if diagnosis["evidence"] and not label:
        parts.append(("\n\nEvidence, most suspicious first", _DIM))
    for item in () if label else diagnosis["evidence"]:
        parts += [
            ("\n", ""),
            (f"▶ {one_line(item['file'])}:{item['line']}", "$text-accent"),
            (f"  {strip_controls(item['why'])}", ""),
        ]
    return Content.assemble(*parts)


def _in_keys(strategy: str) -> str:
    """Return the plan with keys of the app in the place of the commands that do the same."""
    from selfheal_tui.search.blame import BY_COMMANDS

    return strategy.replace(BY_COMMANDS, "m asks a model, and f, then “code”, opens the editor")


def _shown(diagnosis: Diagnosis, label: str) -> Diagnosis:
    """Return the diagnosis as it is for the place that is shown."""
    return diagnosis if label in ("", "1") else at_place(diagnosis, label)


def _places(evidence: Sequence[Evidence], label: str, several_files: bool, said: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = [("\n", "")]
    several = several_files or len({item["file"] for item in evidence}) > 1
    for number, item in enumerate(evidence, 1):
        shown = str(number) == label
        where = f"{one_line(item['file'])}:{item['line']}" if several else f"line {item['line']}"
        parts += [
            (f"\n{'▶' if shown else ' '}", "$text-accent"),
            (f" {number} ", "bold $text-accent"),
            (where, "bold" if shown else ""),
            (f"  {marks_told(strip_controls(item['why']), said)}", "" if shown else _DIM),
        ]
    return parts


def steps_content(steps: Sequence[DebugStep]) -> Content:
    """Return the debugger's steps, each folded to two lines: what it did and saw, and why."""
    if not steps:
        return Content("")
    parts: list[tuple[str, str]] = [(f"\n\n{plural(len(steps), 'step')} of the debugger before it", _DIM)]
    for number, step in enumerate(steps, 1):
        arguments = ", ".join(str(value) for value in step["arguments"].values() if value)
        parts += [
            (f"\n{number}. ", _DIM),
            (one_line(step["tool"], 40), "$text-accent"),
            (f" {one_line(arguments, 60)}".rstrip(), ""),
            (f" → {one_line(step['observation'], 120)}", ""),
        ]
        if step["thought"]:
            parts.append((f"\n   {one_line(step['thought'], 160)}", _DIM))
    return Content.assemble(*parts)


_DIM = "$foreground 60%"
