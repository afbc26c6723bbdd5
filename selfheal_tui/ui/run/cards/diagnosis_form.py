"""The form a diagnosis is corrected in: one field per key, a message at each field that is wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Label, Select, Static, TextArea

from selfheal_tui.engine.moment.state import Diagnosis, Evidence, OtherEdit
from selfheal_tui.text import one_line, strip_controls

from ...kit.text_line import TextLine

FAULTS = ("code", "test", "spec", "environment")
_LABELS = {
    "fault": "Fault",
    "category": "Category",
    "cause": "Cause",
    "strategy": "Strategy",
    "confidence": "Confidence, 0 to 1",
    "evidence": "Evidence, one a line: file:line why",
    "disproof": "Disproof, if any: what shows it wrong",
}


class DiagnosisForm(VerticalScroll):
    """Fields of a diagnosis; Ctrl+S submits, Escape leaves and keeps the text."""

    DEFAULT_CSS = """
    DiagnosisForm {
        height: 1fr; padding: 0 1; scrollbar-size-vertical: 1;
        Label { color: $text-muted; }
        Input, TextArea, Select { background: $surface; }
        TextArea { height: 3; padding: 0 1; border: none; }
        TextArea:focus { border: none; height: auto; min-height: 3; max-height: 8; }
        #form-evidence { height: 4; &:focus { height: auto; min-height: 4; } }
        .form-problem { color: $text-error; height: auto; display: none; }
        .form-problem.-shown { display: block; }
        .form-keys { color: $text-muted; }
    }
    """
    BINDINGS = [
        Binding(
            "ctrl+s",
            "submit",
            "Submit",
            id="diagnosis_form.submit",
            tooltip="Go on with the diagnosis as edited",
            priority=True,
        ),
        Binding("escape", "leave", "Back", id="diagnosis_form.leave", tooltip="Close the form; the text is kept"),
    ]

    @dataclass
    class Submitted(Message):
        """The form holds a usable diagnosis."""

        value: Diagnosis

    @dataclass
    class Left(Message):
        """The user left without submitting."""

    class Kept(Message):
        """The user pauses: `kept` is to be kept for later."""

    PAUSE_S: ClassVar[float] = 0.4
    """Seconds without a key before the text is kept."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, can_focus=False)
        self._files: Collection[str] = ()
        self._filled_from: Diagnosis | None = None
        """What the fields were filled with; None before."""
        self._beginning: dict[str, str] = {}
        """The fields as they were filled."""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(
            Content.assemble(("ctrl+s", "bold $text-accent"), " submit  ", ("esc", "bold $text-accent"), " back"),
            classes="form-keys",
        )
        for name, label in _LABELS.items():
            yield Label(label)
            match name:
                case "fault":
                    yield Select(((f, f) for f in FAULTS), allow_blank=False, compact=True, id="form-fault")
                case "category" | "confidence":
                    yield TextLine(compact=True, id=f"form-{name}")
                case _:
                    yield TextArea(id=f"form-{name}", tab_behavior="focus", compact=True, soft_wrap=True)
            yield Static(classes="form-problem", id=f"problem-{name}")

    @property
    def kept(self) -> dict[str, str] | None:
        """Name of a field -> its text; None while the fields are what they began with."""
        fields = {name: self._field(name) for name in _LABELS}
        return None if fields == self._beginning or self._filled_from is None else fields

    def open(self, diagnosis: Diagnosis, files: Collection[str], left: Mapping[str, str] | None = None) -> None:
        """Show the diagnosis, or what was `left` of it earlier; evidence points into `files`."""
        self._files = files
        if self._filled_from != diagnosis or left != self.kept:
            self._fill(diagnosis)
            self._beginning = {name: self._field(name) for name in _LABELS}
            for name, text in (left or {}).items():
                self._set_field(name, strip_controls(text))
        self.scroll_home(animate=False)
        self.screen.set_focus(self.query_one("#form-fault"))

    @on(TextLine.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    def _start_pause(self, event: Message) -> None:
        event.stop()
        self._stop_pause()
        self._pause = self.set_timer(self.PAUSE_S, lambda: self.post_message(self.Kept()))

    def _stop_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()

    def forget(self) -> None:
        """Drop what was typed."""
        self._filled_from = None
        self._show_problems({})

    def action_leave(self) -> None:
        """Leave; the text stays for the next time."""
        self._stop_pause()
        self.post_message(self.Left())

    def action_submit(self) -> None:
        """Submit when every field is right, else say at each field what is wrong."""
        from selfheal_tui.engine.session.edit_checks import edit_problems

        value, problems = self._value()
        if not problems:
            for problem in edit_problems("diagnosis", value, self._files):
                name, _, rest = problem.field.partition(".")
                where = _evidence_words(rest) if name == "evidence" else ""
                problems.setdefault(name if name in _LABELS else "cause", f"{where}{problem.message}")
        self._show_problems(problems)
        if problems:
            first = next(name for name in _LABELS if name in problems)
            self.query_one(f"#form-{first}").focus()
            return
        self._stop_pause()
        self.post_message(self.Submitted(_as_diagnosis(value)))

    def _fill(self, diagnosis: Diagnosis) -> None:
        fault = diagnosis["fault"]
        self.query_one("#form-fault", Select).value = fault if fault in FAULTS else FAULTS[0]
        self.query_one("#form-category", TextLine).value = one_line(diagnosis["category"], 2000)
        self.query_one("#form-confidence", TextLine).value = f"{diagnosis['confidence']:g}"
        self._area("cause").load_text(strip_controls(diagnosis["cause"]))
        self._area("strategy").load_text(strip_controls(diagnosis["strategy"]))
        self._area("evidence").load_text("\n".join(map(_evidence_line, diagnosis["evidence"])))
        self._area("disproof").load_text(strip_controls(diagnosis.get("disproof", "")))
        self._filled_from = diagnosis
        self._show_problems({})

    def _field(self, name: str) -> str:
        field = self.query_one(f"#form-{name}")
        return field.text if isinstance(field, TextArea) else str(getattr(field, "value", ""))

    def _set_field(self, name: str, text: str) -> None:
        match self.query_one(f"#form-{name}") if name in _LABELS else None:
            case TextArea() as area:
                area.load_text(text)
            case TextLine() as line:
                line.value = one_line(text, 2000)
            case Select() as choice if text in FAULTS:
                choice.value = text

    def _value(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the diagnosis, what was not touched as it was; and by field what is wrong."""
        problems: dict[str, str] = {}
        confidence: float | str = self.query_one("#form-confidence", TextLine).value.strip()
        try:
            confidence = float(confidence)
        except ValueError:
            problems["confidence"] = "must be a number from 0 to 1"
        evidence: list[Evidence] = []
        filled_from: Mapping[str, Any] = self._filled_from or {}
        before = {_evidence_line(item): item for item in filled_from.get("evidence", ())}
        for number, line in enumerate(self._area("evidence").text.splitlines(), 1):
            if not line.strip():
                continue
            if line in before:
                evidence.append(before[line])
                continue
            place, _, why = line.strip().partition(" ")
            file, _, digits = place.rpartition(":")
            if not file or not digits.isascii() or not digits.isdigit():
                problems.setdefault("evidence", f"line {number}: write file:line and why, as in prog.py:12 off by one")
                continue
            also: list[OtherEdit] = next(
                (item["also"] for item in before.values() if _is_at(item, file, int(digits))), []
            )
            item: Evidence = {"file": file, "line": int(digits), "why": why.strip()}
            evidence.append({**item, "also": also} if also else item)
        value = {
            "fault": self.query_one("#form-fault", Select).value,
            "category": self.query_one("#form-category", TextLine).value.strip(),
            "cause": self._area("cause").text.strip(),
            "evidence": evidence,
            "strategy": self._area("strategy").text.strip(),
            "confidence": confidence,
            "by": "human",
        }
        if disproof := self._area("disproof").text.strip():
            value["disproof"] = disproof
        for name in ("category", "cause", "strategy", "confidence", "disproof"):
            if name in filled_from and self._field(name) == self._beginning.get(name):
                value[name] = filled_from[name]
                problems.pop(name, None)
        return value, problems

    def _area(self, name: str) -> TextArea:
        return self.query_one(f"#form-{name}", TextArea)

    def _show_problems(self, problems: Mapping[str, str]) -> None:
        for name in _LABELS:
            line = self.query_one(f"#problem-{name}", Static)
            line.update(
                Content(one_line(f"! {_LABELS[name].split(',')[0]} {problems[name]}", 400) if name in problems else "")
            )
            line.set_class(name in problems, "-shown")


def _evidence_line(item: Evidence) -> str:
    return one_line(f"{item['file']}:{item['line']} {item['why']}", 4000)


def _is_at(item: Evidence, file: str, line: int) -> bool:
    return (item["file"], item["line"]) == (file, line) and "also" in item


def _evidence_words(rest: str) -> str:
    index, _, key = rest.partition(".")
    return f"{int(index) + 1}, {key or 'entry'}: " if index.isdigit() else ""


def _as_diagnosis(value: Mapping[str, Any]) -> Diagnosis:
    diagnosis = Diagnosis(
        fault=value["fault"],
        category=value["category"],
        cause=value["cause"],
        evidence=value["evidence"],
        strategy=value["strategy"],
        confidence=value["confidence"],
        by=value["by"],
    )
    if "disproof" in value:
        diagnosis["disproof"] = value["disproof"]
    return diagnosis
