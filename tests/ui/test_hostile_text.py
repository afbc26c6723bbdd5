"""Whatever a model, a program or a file says: no widget raises, sends it to the terminal raw, or makes a link of it.

A new widget that shows such text gets a line in `WIDGETS`; a new key that opens something, one in `OPENERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from selfheal_tui.errors import InputError, ProviderError
from selfheal_tui.store.sessions import SessionRow
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.kit.matrix_view import MatrixView
from selfheal_tui.ui.kit.suite_table import SuiteTable
from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from selfheal_tui.ui.kit.transcript import Transcript
from selfheal_tui.ui.run.cards.diagnosis_form import DiagnosisForm
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.run.status_bar import StatusBar, StatusLine
from selfheal_tui.ui.run.tabs.edit_pane import EditPane
from selfheal_tui.ui.run.tabs.evidence_tabs import TABS
from selfheal_tui.ui.screens.bench_table import BenchTable
from tests.bench_runs import write_run
from tests.ui.fakes import CODE, DIAGNOSIS, FIXED, FakeSession, FakeWorkbench, branched_timeline, report, row, settle
from tests.ui.hostile import TEXTS, HostileSession, check, poison
from tests.unit.test_bench_metrics import result

pytestmark = pytest.mark.deep

STATUS = StatusLine("s", "main", 1, 6, "runs", "1 call", "m", ("namespaces",), past=False, passed="1/2")
COLUMNS: Any = [
    {"on": "both", "checkpoint_id": f"c{n}", "branch": "main", "iteration": n, "passed": 1, "failed": 1} for n in (1, 2)
]
CASE_ROW: Any = {"id": "test_x.py::t", "suite": "yours", "outcomes": ["failed", "passed"], "flips": ["", "fixed"]}
MIXED = "\n".join(text for name, text in TEXTS.items() if len(text) < 10_000 and name != "tabs and blanks")


class Case(NamedTuple):
    """A widget and how it is given a text."""

    build: Callable[[], Widget]
    show: Callable[[Any, str], object]


WIDGETS: dict[str, Case] = {
    "code": Case(CodeView, lambda w, t: w.show({"a.py": CODE + t, t[:99]: t}, {("a.py", 2): t, (t[:99], 1): t})),
    "diff": Case(DiffView, lambda w, t: w.show([("a.py", CODE, t + FIXED), (t[:99], "", t)])),
    "editor": Case(CodeEditor, lambda w, t: w.show(t[:99] + ".py", CODE + t)),
    "edit pane": Case(EditPane, lambda w, t: w.open("k", "repair", {"a.py": CODE, t[:99]: t}, {"a.py": FIXED + t})),
    "tests": Case(SuiteTable, lambda w, t: w.show(poison(report(3), t), (), (), origins={"test_intervals.py": "spec"})),
    "groups": Case(SuiteTable, lambda w, t: w.show(report(3), groups=[t])),
    "suite error": Case(SuiteTable, lambda w, t: w.show({**report(0), "error": t, "not_verified": t})),
    "log": Case(Transcript, lambda w, t: (w.append(t), w.write_line(t), w.append(t[:7]), w.append(t[7:]))),
    "timeline": Case(TimelineTree, lambda w, t: w.show(poison(branched_timeline(), t), "e")),
    "prompt": Case(InlinePrompt, lambda w, t: w.ask(t, t, str, needed=t)),
    "form": Case(DiagnosisForm, lambda w, t: w.open(poison(DIAGNOSIS, t), [t])),
    "status": Case(StatusBar, lambda w, t: w.show(poison(STATUS, t))),
    "matrix": Case(MatrixView, lambda w, t: w.show(COLUMNS, [{**CASE_ROW, "id": t}], t)),
    "no matrix": Case(MatrixView, lambda w, t: w.show([], [], t)),
}


class Host(App[None]):
    """Holds one widget."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget


@pytest.mark.parametrize("widget", WIDGETS)
async def test_a_widget_shows_it_harmlessly(widget: str) -> None:
    case = WIDGETS[widget]
    host = Host(case.build())
    async with host.run_test(size=(80, 24)) as pilot:
        (host.widget.query("*").first() if host.widget.children else host.widget).focus()
        for name, text in TEXTS.items():
            case.show(host.widget, text)
            await pilot.pause()
            check(host, name)
            await pilot.press("end", "pagedown")
            await pilot.pause()
            check(host, f"{name}, further down")
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        check(host, "small")


OPENERS = ("T", "B", "C", "F", "f", "m", "o", "t", "w", "A", "r", "e", "s", "comma", "question_mark", "ctrl+p", "y")
"""Keys of the run screen that open something; each is left with escape."""


@pytest.mark.deep
@pytest.mark.parametrize("name", ["all short ones", "a long line"])
async def test_a_whole_session_of_it(name: str) -> None:
    # Every field at once: what a reply or an output may hold is limited long before a megabyte.
    session: Any = HostileSession(TEXTS[name][:5_000] if name in TEXTS else MIXED)
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        run = app.screen
        assert isinstance(run, RunScreen) and run.model.question is not None
        check(app, "diagnosis")
        await pilot.press("a")
        await settle(pilot)
        await look_around(pilot, "repair")
        if name == "a long line":
            return
        for key in OPENERS:
            await pilot.press(key)
            await settle(pilot)
            check(app, f"after {key}")
            await pilot.press("escape", "escape")
            await settle(pilot)
            assert app.screen is run, f"escape does not leave what {key} opened"
        await pilot.press("left_square_bracket", "left_square_bracket")
        await settle(pilot)
        check(app, "past")
        await pilot.press("n", "a")
        await settle(pilot)
        await look_around(pilot, "healed")
        assert run.model.outcome == "healed"


async def look_around(pilot: Pilot[Any], where: str) -> None:
    """Check every tab, at its beginning and further down."""
    for n in range(len(TABS)):
        check(pilot.app, f"{where}, tab {n}")
        await pilot.press("pagedown", "right", "down")
        await pilot.pause()
        check(pilot.app, f"{where}, tab {n}, below")
        await pilot.press("v")
        await settle(pilot)


async def test_the_sessions_screen() -> None:
    rows: list[SessionRow] = [
        row(f"s{n}", "waiting" if n % 2 else "healed" + text[:50], text, "repair" + text)
        for n, text in enumerate(TEXTS.values())
    ]
    app = SelfHealApp(FakeWorkbench(rows=rows))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        check(app, "list")
        for n in range(len(rows)):
            await pilot.press("down")
            await settle(pilot)
            check(app, f"row {n}")
        await pilot.press("c")
        await settle(pilot)
        check(app, "rename")
        await pilot.press("escape", "slash", *"in")
        await settle(pilot)
        check(app, "filter")


async def test_a_benchmark_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"category": MIXED, "bug_type": MIXED, "outcome": MIXED, "reason": MIXED, "diff": MIXED}
    results = [result(text[:5_000] + str(n), repaired=bool(n % 2), **texts) for n, text in enumerate(TEXTS.values())]
    config = {"suite": MIXED, "models": {MIXED: MIXED}}
    write_run(tmp_path / "bench-results" / MIXED[:40].replace("/", ""), results, config=config, started_at=MIXED)
    app = SelfHealApp(FakeWorkbench())  # type: ignore[arg-type]
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        check(app, "runs")
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen.query_one(BenchTable).row_count == len(results)
        for n in range(len(results)):
            check(app, f"task {n}")
            await pilot.press("enter", "j", "down")
            await settle(pilot)
        app.clear_notifications()
        await pilot.press("s", "s", "S", "slash", *"plausible")
        await settle(pilot)
        check(app, "filter")


async def test_errors_and_notes() -> None:
    session = FakeSession("s1")
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, RunScreen)
        for name, text in TEXTS.items():
            error = InputError(text, text)
            app.screen.running.refuse(error)
            await settle(pilot)
            check(app, f"{name}: the answer was refused")
            app.notify(str(error), markup=False)
            await settle(pilot)
            check(app, f"{name}: a note")
            app.clear_notifications()


async def test_why_a_run_failed() -> None:
    session = FakeSession("s1")
    session.error = ProviderError(MIXED, MIXED)
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, RunScreen) and app.screen.model.error is not None
        check(app, "the run failed")
