"""The card that asks whether a diagnosis is right, with the form to correct it in place."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from selfheal_tui.engine.moment.review import edit
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import DebugStep, Diagnosis
from selfheal_tui.text import one_line, plural, strip_controls

from ...view.model import Review
from .diagnosis_form import DiagnosisForm
from .review_card import ReviewCard

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
    _form: DiagnosisForm | None = None
    """Mounted when it is first used."""
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

    def describe(self) -> Content:
        """Return cause, strategy, evidence and confidence."""
        return diagnosis_content(self.snapshot.diagnosis if self.snapshot else None)

    async def open_form(self) -> None:
        """Edit the diagnosis here; text typed before is kept."""
        if self.snapshot is None or self.snapshot.diagnosis is None:
            return
        self.add_class("-editing")
        if self._form is None:
            self._form = DiagnosisForm()
            await self.mount(self._form, after=self._body)
        self._form.open(self.snapshot.diagnosis, [*self.snapshot.program, *self.snapshot.tests])

    def on_diagnosis_form_submitted(self, event: DiagnosisForm.Submitted) -> None:
        """Decide with the edited diagnosis."""
        event.stop()
        self.remove_class("-editing")
        self.decide(edit(dict(event.value)))

    def on_diagnosis_form_left(self, event: DiagnosisForm.Left) -> None:
        """Close the form; the message goes on to the screen, which takes the focus back."""
        self.remove_class("-editing")


def diagnosis_content(diagnosis: Diagnosis | None) -> Content:
    """Return a diagnosis as text; foreign words are shown as they are, never read as markup."""
    if diagnosis is None:
        return Content.styled("No diagnosis yet.", "$foreground 60%")
    fault = FAULT_WORDS.get(diagnosis["fault"], diagnosis["fault"])
    category, by = one_line(diagnosis["category"], 60), one_line(diagnosis["by"], 60)
    parts: list[tuple[str, str]] = [
        (strip_controls(diagnosis["cause"]).strip(), "bold"),
        ("\n", ""),
        (f"{fault} · {category} · {diagnosis['confidence']:.0%} sure · by {by}", _DIM),
        ("\n\n", ""),
        ("Plan  ", _DIM),
        (strip_controls(diagnosis["strategy"]).strip() or "nothing named", ""),
    ]
    if disproof := strip_controls(diagnosis.get("disproof", "")).strip():
        parts += [("\n\nWrong if  ", _DIM), (disproof, "")]
    if diagnosis["evidence"]:
        parts.append(("\n\nEvidence, most suspicious first", _DIM))
    for item in diagnosis["evidence"]:
        parts += [
            ("\n", ""),
            (f"▶ {one_line(item['file'])}:{item['line']}", "$text-accent"),
            (f"  {strip_controls(item['why'])}", ""),
        ]
    return Content.assemble(*parts)


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
