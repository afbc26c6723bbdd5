"""How sessions, new run, settings and help look; a change is looked at, then accepted with --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from selfheal_tui.settings import Settings, setting_names
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.screens.setting_rows import setting_order
from selfheal_tui.ui.view import session_rows
from tests.ui.fakes import FakeWorkbench, row, settle

SIZES = {"80x24": (80, 24), "140x45": (140, 45), "200x60": (200, 60)}
ROWS = [
    replace(row("20260101-100000-intervals-00a1", "healed", "Merge overlapping intervals"), calls=4, tokens=12_345),
    replace(
        row("20260101-110000-bank-00a2", "waiting", "bank", "repair"),
        calls=2,
        tokens=900,
        cost_usd=None,
        folder="/srv/projects/bank",
    ),
    row("20260101-120000-roman-00a3", "running", "Roman numerals, [red]not markup[/red] 漢字"),
    replace(row("20260101-130000-csv-00a4", "running", "A CSV reader"), driver="process 123 on there"),
    row("20260101-140000-fib-00a5", "gave_up", "Fibonacci without recursion, and a title that goes on for long"),
    replace(
        row("20260101-145900-tree-00a7", "failed", "A tree"),
        failure="model",
        reason="OpenAI needs a key and OPENAI_API_KEY is not set.",
    ),
    row("20260101-150000-json-00a6", "damaged", "20260101-150000-json-00a6"),
]
SCREENS: dict[str, tuple[str, ...]] = {
    "sessions": (),
    "filter": ("slash", *"run"),
    "rename": ("c",),
    "new": ("n",),
    "new-wrong": ("n", "tab", "tab", "tab", "x"),
    "new-looked": ("n", "enter"),
    "settings": ("comma", "down", "down", "down"),
    "settings-wrong": ("comma", *["down"] * setting_order().index("max_cost_usd"), "enter", "x"),
    "help": ("question_mark",),
}
WIDE = ("sessions", "settings")
"""Screens that look otherwise on a very wide terminal."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], SelfHealApp]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text("def total(prices):\n    return sum(prices[1:])\n")
    (folder / "test_shop.py").write_text("from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(session_rows, "ago", lambda when, now: "2 h ago")
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")

    def build(theme: str) -> SelfHealApp:
        origins = {name: "default" for name in setting_names()} | {"model": "environment (SELFHEAL_MODEL)"}
        settings = Settings(Path("/home/you/sessions"), model="ollama:qwen3:8b", theme=theme, origins=origins)
        return SelfHealApp(FakeWorkbench(rows=ROWS), settings=settings)  # type: ignore[arg-type]

    return build


def played(keys: tuple[str, ...]) -> Callable[[Pilot[Any]], Any]:
    async def play(pilot: Pilot[Any]) -> None:
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            for _ in range(1000):
                await pilot.pause(0.01)
                if all(w.is_finished for w in pilot.app.workers if w.group in ("list", "offers", "new")):
                    break
            await settle(pilot)

    return play


@pytest.mark.parametrize(("screen", "size"), [(n, s) for n in SCREENS for s in SIZES if s != "200x60" or n in WIDE])
def test_screen(snap_compare: Callable[..., bool], app: Callable[[str], SelfHealApp], screen: str, size: str) -> None:
    assert snap_compare(app("textual-dark"), terminal_size=SIZES[size], run_before=played(SCREENS[screen]))


@pytest.mark.parametrize("screen", ["sessions", "new-wrong", "settings-wrong", "help"])
def test_high_contrast(snap_compare: Callable[..., bool], app: Callable[[str], SelfHealApp], screen: str) -> None:
    assert snap_compare(app("selfheal-contrast"), terminal_size=(80, 24), run_before=played(SCREENS[screen]))
