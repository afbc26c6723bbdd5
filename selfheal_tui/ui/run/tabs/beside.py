"""What stands below the tab in front where there is room: the tests, or under the tests the code they ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.sandbox.base import SuiteReport

from ...kit.code_view import CodeView
from ...kit.suite_table import SuiteTable
from ...view.shown import Marked

_CODE_BELOW = ("tests", "matrix")
"""Tabs that show the tests themselves."""
_ALONE = ("edit", "try")
"""Tabs that take all the room."""


class Beside(Vertical):
    """Follows the tab in front; draws nothing while it is hidden."""

    DEFAULT_CSS = """
    Beside {
        height: 2fr; display: none; border-top: solid $foreground 20%;
        SuiteTable { height: 1fr; }
        CodeView { height: 1fr; display: none; }
        &.-roomy { display: block; }
        &.-roomy.-alone { display: none; }
        &.-code CodeView { display: block; }
        &.-code SuiteTable { display: none; }
    }
    """

    def compose(self) -> ComposeResult:
        yield SuiteTable()
        yield CodeView()

    @property
    def has_room(self) -> bool:
        """Whether the terminal has room for it."""
        return self.has_class("-roomy")

    def show(self, program: Mapping[str, str], marked: Marked) -> None:
        """Show the program of a moment, with the lines that matter marked."""
        if self.has_room:
            self.query_one(CodeView).show(program, marked.why, marked.scores, marked.numbers)

    def show_report(
        self,
        snapshot: Snapshot,
        report: SuiteReport | None,
        fixes: Sequence[str],
        breaks: Sequence[str],
        groups: Sequence[str],
    ) -> None:
        """Show a run of the suite, with the cases that it turned."""
        if self.has_room:
            table = self.query_one(SuiteTable)
            table.show(report, fixes, breaks, origins=snapshot.origins, pinned=snapshot.pinned, groups=groups)

    def follow(self, tab: str) -> None:
        """Show what belongs below this tab."""
        self.set_class(tab in _CODE_BELOW, "-code")
        self.set_class(tab in _ALONE, "-alone")

    def reach(self, location: str) -> None:
        """Bring the line that a case names, `file:line`, into view."""
        path, _, line = location.rpartition(":")
        if path and line.isdecimal():
            self.query_one(CodeView).goto(path, int(line))
