"""How benchmarks look in the app; a change is looked at, then accepted with --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.view import bench_rows
from tests.bench_runs import HEADER, write_run
from tests.ui.fakes import FakeWorkbench, settle
from tests.unit.test_bench_metrics import result
from tests.wire.rig import until

SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
DIFF = (
    "--- a/spans.py\n+++ b/spans.py\n@@ -7,2 +7,2 @@\n def overlap(a, b):\n"
    "-    return a[0] <= b[1]\n+    return a[0] < b[1]\n"
)
WHY = "All 4 cases pass after 1 repair. 2 other repairs pass every case too."
SPENT = {**no_spend(), "calls": 3, "input_tokens": 4200, "output_tokens": 900, "cost_usd": 0.0213}


def results() -> list[Any]:
    names = ("spans", "a_name_that_goes_on_for_rather_long", "bank", "roman", "csv", "[red]not markup[/red]")
    kinds = [(True, True), (True, False), (False, False)]
    return [
        result(
            f"set/{name}",
            plausible=kinds[n % 3][0],
            repaired=kinds[n % 3][1],
            time_s=1.5 * 3**n,
            category=("interval merging", "parsing")[n % 2],
            reason=WHY if kinds[n % 3][0] else "No repair was sure enough to be taken unseen.",
            diff=DIFF if kinds[n % 3][0] else "",
            confidence=0.7 if kinds[n % 3][0] else None,
            spent=SPENT if n % 2 else no_spend(),
        )
        for n, name in enumerate(names)
    ]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SelfHealApp:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench_rows, "ago", lambda when, now: "2 h ago")
    parent = tmp_path / "bench-results"
    config = {**HEADER["config"], "suite": "quixbugs", "models": {"*": "ollama:qwen2.5-coder"}}
    write_run(parent / "20260101-120000-quixbugs", results(), selected=40, ended=False, config=config)
    return SelfHealApp(FakeWorkbench())  # type: ignore[arg-type]


def played(*keys: str) -> Callable[[Pilot[Any]], Any]:
    async def play(pilot: Pilot[Any]) -> None:
        await pilot.press("b")
        await until(lambda: pilot.app.screen.has_class("-filled"), 60.0)
        for key in keys:
            await pilot.press(key)
        await settle(pilot)

    return play


@pytest.mark.parametrize("size", SIZES)
def test_runs(snap_compare: Callable[..., bool], app: SelfHealApp, size: str) -> None:
    assert snap_compare(app, terminal_size=SIZES[size], run_before=played())


@pytest.mark.parametrize("size", SIZES)
def test_tasks(snap_compare: Callable[..., bool], app: SelfHealApp, size: str) -> None:
    assert snap_compare(app, terminal_size=SIZES[size], run_before=played("enter", "s", "s", "down"))
