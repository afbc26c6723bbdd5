"""How the suite goes over the text in the editor: each case as it ends, and what that is worth."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import one_line, plural

from ...kit.suite_table import CaseList, ordered_cases

_DIM = "$foreground 60%"


class TryCases(Vertical):
    """The cases beside the text; they fade while they belong to an older text."""

    DEFAULT_CSS = """
    TryCases {
        background: $surface;
        & > #try-heading { height: auto; max-height: 3; padding: 0 1; background: $boost; }
        & > CaseList { height: 1fr; }
        &.-old > CaseList { opacity: 50%; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cases: dict[str, CaseResult] = {}
        self._ended = 0

    def compose(self) -> ComposeResult:
        yield Static(id="try-heading", markup=False)
        yield CaseList()

    def on_mount(self) -> None:
        """The keys belong to the editor."""
        self.query_one(CaseList).can_focus = False

    def on_case_list_highlighted(self, event: CaseList.Highlighted) -> None:
        """A click here means nothing to the Tests tab."""
        event.stop()

    def forget(self) -> None:
        """Show no case: another text is edited."""
        self._cases = {}
        self.query_one(CaseList).show([], (), (), {})
        self._say(Content.styled("the tests run as you pause", _DIM))

    def wait(self) -> None:
        """The text has changed: what is shown is of an older one."""
        self.add_class("-old")
        self._say(Content.styled("… the tests run as you pause", _DIM))

    def begin(self) -> None:
        """The suite starts over the text as it is."""
        self._ended = 0
        self._say(Content.styled("▸ running the tests", "$text-primary"))

    def tell(self, case: CaseResult, of: int = 0) -> None:
        """A case has ended, of so many where that is known; those of the run before stay until theirs do."""
        self._cases[case["id"]] = case
        self._ended += 1
        total = of or (len(self._cases) if len(self._cases) > self._ended else 0)
        words = f"{self._ended} of {total}" if total else f"{self._ended} so far"
        self._say(Content.styled(f"▸ running the tests: {words}", "$text-primary"))
        self._draw()

    def finish(self, tried: SuiteTried) -> None:
        """The suite has ended."""
        report = tried.report
        self.remove_class("-old")
        self._cases = {case["id"]: case for case in report["cases"]}
        self.query_one(CaseList).show(ordered_cases(report, tried.breaks), tried.fixes, tried.breaks, {})
        self._top()
        if report["error"]:
            self._say(Content.styled(f"! {one_line(report['error'], 300)}", "bold $text-error"))
            return
        bad = report["failed"] + report["errors"] + report["timeouts"]
        parts = [
            (f"✗ {bad} not passing", "bold $text-error") if bad else ("✓ all pass", "bold $text-success"),
            (f"  ✓ {report['passed']}", "$text-success"),
        ]
        parts += [(f"  ▲ {len(tried.fixes)} fixed", "$text-success")] if tried.fixes else []
        parts += [(f"  ▼ {len(tried.breaks)} broken", "bold $text-error")] if tried.breaks else []
        parts += [(f"  - {report['skipped']} skipped", _DIM)] if report["skipped"] else []
        self._say(Content.assemble(*parts))

    def refuse(self, why: str) -> None:
        """The text could not be tried."""
        self.add_class("-old")
        cases = f" ({plural(len(self._cases), 'case')} of the text before)" if self._cases else ""
        self._say(Content.styled(f"! {one_line(why, 300)}{cases}", "bold $text-error"))

    def _say(self, words: Content) -> None:
        self.query_one("#try-heading", Static).update(words)

    def _draw(self) -> None:
        self.query_one(CaseList).show(list(self._cases.values()), (), (), {})

    def _top(self) -> None:
        self.query_one(CaseList).place_cursor(0)
