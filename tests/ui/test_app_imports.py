"""The first paint must not wait for the engine: importing the app loads none of its heavy parts."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("langgraph", "anthropic", "jsonschema", "selfheal_tui.engine.workbench", "selfheal_tui.engine.session")


def test_the_app_imports_nothing_heavy() -> None:
    code = f"import sys, selfheal_tui.ui.app; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
