"""The first paint must not wait for the engine: importing the app loads none of its heavy parts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.cli.app import _checked_options
from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import default_settings

HEAVY = (
    "langgraph",
    "anthropic",
    "jsonschema",
    "selfheal_tui.engine.session.workbench",
    "selfheal_tui.engine.session.session",
)


def test_the_app_imports_nothing_heavy() -> None:
    code = f"import sys, selfheal_tui.ui.app; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_PROBE = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from selfheal_tui.cli.app import _checked_options
from selfheal_tui.cli.compose import LateWorkbench
from selfheal_tui.settings import default_settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.screens.sessions import SessionsScreen

ours = []
display = SelfHealApp._display

def first(app, screen, renderable):
    display(app, screen, renderable)
    if not ours and isinstance(screen, SessionsScreen):
        ours.append([m for m in sys.modules if m.startswith(("selfheal_tui.engine", "selfheal_tui.store", "sqlite3"))])

SelfHealApp._display = first

async def main(home):
    settings = replace(default_settings(), sessions=Path(home))
    workbench = LateWorkbench(settings)
    app = SelfHealApp(workbench, options=_checked_options(settings), settings=settings)
    async with app.run_test(size=(100, 30)) as pilot:
        while "No sessions yet" not in str(app.screen.query_one("#empty").content):
            await pilot.pause()
        assert app.workbench is workbench()
    await workbench.aclose()
    print("at first paint:", *ours)

asyncio.run(main(sys.argv[1]))
"""


def test_the_list_is_there_before_the_engine(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "at first paint: []\n", done.stderr[-2000:]


def test_options_that_no_run_can_have_are_refused_before_the_app() -> None:
    settings = default_settings()
    assert _checked_options(settings) is None
    bad = replace(settings, strategies="bold", origins={**settings.origins, "strategies": "flag"})
    with pytest.raises(SettingsError, match="bold"):
        _checked_options(bad)
    good = replace(settings, max_iterations=2, origins={**settings.origins, "max_iterations": "flag"})
    options = _checked_options(good)
    assert options is not None
    assert options.limits["max_iterations"] == 2
