"""One run of the suite: failures first; for the case under the cursor, what was expected and what came."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from selfheal_tui.engine.moment.origins import MEANINGS, is_changeable, suite_of
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line, plural, truncate_middle
from selfheal_tui.ui.view.code_lines import printable

from .cursor_view import CursorView
from .line_view import Cell

_OUTCOMES = {
    "failed": ("✗ failed ", "$text-error", 0),
    "error": ("! error  ", "$text-error", 1),
    "timeout": ("◷ timeout", "$text-warning", 2),
    "passed": ("✓ passed ", "$text-success", 3),
    "skipped": ("- skipped", "$foreground 60%", 4),
}

_FINE = ("passed", "skipped")
_OUTSIDE = "Printed outside of the cases, as while files were imported"
_NOTES = 2
_LONGEST = 20_000
"""Characters of one text of a case that are shown."""


class CaseList(CursorView):
    """The cases as rows."""

    class Highlighted(Message):
        """The user moved the cursor to another case."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    class Asked(Message):
        """The user wants to `drop`, `pin` or `edit` the case under the cursor."""

        def __init__(self, case_id: str, what: str) -> None:
            super().__init__()
            self.case_id = case_id
            self.what = what

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "ask('drop')", "Drop", show=False, id="case.drop", tooltip="Go on without this generated case"),
        Binding("P", "ask('pin')", "Pin", show=False, id="case.pin", tooltip="Let no repair change this case"),
        Binding("E", "ask('edit')", "Edit", show=False, id="case.edit", tooltip="Edit the generated test file"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cases: list[CaseResult] = []
        self._pinned: Collection[str] = ()
        self._fixes: Collection[str] = ()
        self._breaks: Collection[str] = ()
        self._origins: Mapping[str, str] = {}

    def show(
        self,
        cases: list[CaseResult],
        fixes: Collection[str],
        breaks: Collection[str],
        origins: Mapping[str, str],
        pinned: Collection[str] = (),
    ) -> None:
        """Show the cases in this order."""
        self._pinned = pinned
        self.cases, self._fixes, self._breaks, self._origins = cases, fixes, breaks, origins
        self.reset(len(cases))

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        case = self.cases[y]
        tint = self.cursor_tint(y)
        word, style, _ = _OUTCOMES[case["outcome"]]
        if width < 40:
            word = word[:1]
        suite = suite_of(case["id"], self._origins) if self._origins else ""
        pin = " pinned" if case["id"] in self._pinned else ""
        mark = Content.styled(f"  {suite}{pin} " if suite and width >= 40 else "", "$foreground 60%")
        if case["id"] in self._fixes:
            mark += Content.styled(" ▲ fixed ", "bold $text-success")
        elif case["id"] in self._breaks:
            mark += Content.styled(" ▼ broken ", "bold $text-error")
        text = Content(short_id(case["id"]))
        if case["message"]:
            text += Content.styled(f"  {one_line(case['message'])}", "$foreground 60%")
        text_width = width - mark.cell_length
        gutter = Content.styled(f" {word} ", style)
        room = max(0, text_width - gutter.cell_length)
        return (Cell(text.truncate(room, ellipsis=True), gutter, tint, text_width), Cell(mark, tint=tint))

    def action_ask(self, wish: str) -> None:
        """Hand the wish on; what may be done to whose tests is not known here."""
        if self.cursor < len(self.cases):
            self.post_message(self.Asked(self.cases[self.cursor]["id"], wish))

    def cursor_moved(self, row: int) -> None:
        self.post_message(self.Highlighted(row))

    def row_chosen(self, row: int) -> None:
        self.post_message(self.Highlighted(row))


class SuiteTable(Vertical):
    """A heading, groups of failing cases, the cases (not passed first) and the details of the one under the cursor."""

    class CaseShown(Message):
        """The details of another case are shown; `location` is the line it names, `file:line` or empty."""

        def __init__(self, location: str) -> None:
            super().__init__()
            self.location = location

    DEFAULT_CSS = """
    SuiteTable {
        background: $surface;
        & > #suite-heading { height: auto; max-height: 3; padding: 0 1; }
        & > #suite-groups { height: auto; max-height: 6; padding: 0 1; color: $text-warning; }
        & > #suite-error { height: auto; max-height: 4; padding: 0 1;
                          color: $text-error; background: $error 14%; }
        & > CaseList { height: 1fr; min-height: 2; }
        & > #case-details { height: 1fr; max-height: 60%; padding: 0 1; border-top: solid $foreground 20%;
                          scrollbar-size-vertical: 1; scrollbar-background: $surface;
                          scrollbar-color: $foreground 25%; }
        & > .-empty { display: none; }
    }
    """
    BORDER_TITLE: ClassVar[str] = "Tests"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shown: tuple[SuiteReport | None, Collection[str], Collection[str]] = (None, (), ())
        self._origins: Mapping[str, str] = {}
        self._pinned: Collection[str] = ()
        self._groups: Sequence[str] = ()
        self._detailed = ""
        """Case whose details are shown."""

    def compose(self) -> ComposeResult:
        yield Static(id="suite-heading", markup=False)
        yield Static(id="suite-groups", markup=False)
        yield Static(id="suite-error", markup=False)
        yield CaseList()
        with VerticalScroll(id="case-details"):
            yield Static(id="case-text", markup=False)

    def on_mount(self) -> None:
        self._draw()

    def show(
        self,
        report: SuiteReport | None,
        fixes: Collection[str] = (),
        breaks: Collection[str] = (),
        *,
        origins: Mapping[str, str] | None = None,
        pinned: Collection[str] = (),
        groups: Sequence[str] = (),
    ) -> None:
        """Show a report; `fixes` and `breaks` are case ids that a repair turned.

        `origins` is path -> suite of generated test files; with some, each case names its suite. `groups` are lines
        about the failing cases.
        """
        self._origins, self._pinned, self._groups = origins or {}, pinned, groups
        self._shown = (report, frozenset(fixes), frozenset(breaks))
        if self.is_mounted:
            self._draw()

    def on_case_list_highlighted(self, message: CaseList.Highlighted) -> None:
        message.stop()
        self._draw_details()

    def _draw(self) -> None:
        report, fixes, breaks = self._shown
        cases = self.query_one(CaseList)
        before = cases.cases
        at = before[cases.cursor]["id"] if cases.cursor < len(before) else ""
        ordered = ordered_cases(report, breaks) if report is not None else []
        cases.show(ordered, fixes, breaks, self._origins, self._pinned)
        row = next((n for n, case in enumerate(ordered) if case["id"] == at), 0)
        cases.place_cursor(0 if _fails_anew(before, ordered) and ordered[row]["outcome"] in _FINE else row)
        cases.set_class(not ordered, "-empty")
        self.query_one("#suite-heading", Static).update(heading(report))
        words = banner_words(report)
        groups = self.query_one("#suite-groups", Static)
        groups.update(Content(printable("\n".join(self._groups))))
        groups.set_class(not self._groups, "-empty")
        banner = self.query_one("#suite-error", Static)
        banner.update(Content(words))
        banner.set_class(not words, "-empty")
        self._draw_details()

    def _draw_details(self) -> None:
        cases = self.query_one(CaseList)
        pane = self.query_one("#case-details", VerticalScroll)
        pane.set_class(not cases.cases, "-empty")
        if cases.cases:
            case = cases.cases[cases.cursor]
            report = self._shown[0]
            printed = report.get("output", "") if report is not None else ""
            self.query_one("#case-text", Static).update(case_details(case, self._origins, printed))
            if case["id"] != self._detailed:
                self.post_message(self.CaseShown(case["location"] or ""))
                pane.scroll_to(0, 0, animate=False)
            self._detailed = case["id"]


def banner_words(report: SuiteReport | None) -> str:
    """Return what is to be said of a run beside its cases, a line each: why it is none, and the first notes on it."""
    if report is None:
        return ""
    notes = report.get("notes", [])
    more = [f"and {len(notes) - _NOTES} more: selfheal sessions show"] if len(notes) > _NOTES else []
    return "\n".join(printable(one) for one in (report["error"] or "", *notes[:_NOTES], *more) if one)


def ordered_cases(report: SuiteReport, breaks: Collection[str] = ()) -> list[CaseResult]:
    """Return the cases that did not pass first, newly broken ones before all; else in collection order."""
    return sorted(report["cases"], key=lambda c: (c["id"] not in breaks, _OUTCOMES[c["outcome"]][2]))


def _fails_anew(before: Sequence[CaseResult], now: Sequence[CaseResult]) -> bool:
    """Tell whether other cases fail than before, and some do: they have to be seen."""
    old, new = ({case["id"] for case in cases if case["outcome"] not in _FINE} for cases in (before, now))
    return bool(new) and old != new


def short_id(case_id: str) -> str:
    """Return the part of a node id after the file, made printable."""
    return one_line(case_id.partition("::")[2] or case_id)


def heading(report: SuiteReport | None) -> Content:
    """Return one sentence on the run: counts, time, and what the verdict is worth."""
    if report is None:
        return Content.styled("The suite has not run yet.", "$foreground 60%")
    counts = [
        (report["passed"], "passed", "$text-success"),
        (report["failed"], "failed", "bold $text-error"),
        (report["errors"], plural(report["errors"], "error").partition(" ")[2], "bold $text-error"),
        (report["timeouts"], plural(report["timeouts"], "timeout").partition(" ")[2], "bold $text-warning"),
        (report["skipped"], "skipped", "$foreground 60%"),
    ]
    count_words = [Content.styled(f"{count} {word}", style) for count, word, style in counts if count]
    text = Content(", ").join(count_words or [Content.styled("no case ran", "bold $text-error")])
    text += Content.styled(f" in {report['duration_s']:.2f} s", "$foreground 60%")
    why = one_line(report["not_verified"] or "", 300)
    if report["trust"] == "provisional" and report["verdict"] == "passed":
        text += Content.styled(f" · not verified{': ' + why if why else ''}", "$text-warning")
    elif report["trust"] == "verified":
        text += Content.styled(" · verified", "$text-success")
    if report["truncated"]:
        text += Content.styled(" · cut at a limit", "$text-warning")
    return text


def case_details(case: CaseResult, origins: Mapping[str, str] | None = None, printed: str = "") -> Content:
    """Return what there is to know of one case; `printed` is what the run printed outside of its cases."""
    word, style, _ = _OUTCOMES[case["outcome"]]
    parts = [Content.styled(word.strip(), f"bold {style}") + Content.styled(f"  {one_line(case['id'], 400)}", "bold")]
    if case["message"]:
        parts.append(Content(_clipped(case["message"])))
    suite = suite_of(case["id"], origins or {})
    keys = " (d drops it, P pins it, E edits it)" if is_changeable(case["id"], origins or {}) else ""
    suite_words = f"{suite}: {MEANINGS.get(suite, '')}{keys}" if origins else None
    facts = [
        ("expected", case["expected"]),
        ("actual", case["actual"]),
        ("compared", " is not ".join(case.get("compared", ())) or None),
        ("at", case["location"]),
        ("suite", suite_words),
    ]
    parts += [
        Content.styled(f"{name:<9}", "$foreground 60%") + Content(_clipped(value))
        for name, value in facts
        if value is not None
    ]
    parts.append(Content.styled(f"{'took':<9}", "$foreground 60%") + Content(f"{case['duration_s']:.3f} s"))
    for title, text in (("Traceback", case["traceback"]), ("Output", case["output"]), (_OUTSIDE, printed)):
        if text.strip():
            parts += [
                Content(""),
                Content.styled(title, "bold $text-accent"),
                Content(_clipped(text.rstrip("\n"))),
            ]
    return Content("\n").join(parts)


def _clipped(text: str) -> str:
    """Return at most what a reader scrolls through; wrapping a megabyte takes seconds."""
    return printable(truncate_middle(text, _LONGEST))
