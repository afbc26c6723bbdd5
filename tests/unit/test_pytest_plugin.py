"""The plug-in of pytest is light, and is never loaded in the sandbox."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from selfheal_tui.sandbox.inside import long_way

ROOT = Path(__file__).resolve().parents[2]


def test_loading_it_imports_nothing_else() -> None:
    names = "sorted(name for name in sys.modules if name.startswith(('selfheal', 'pytest')))"
    code = f"import sys, selfheal_tui.pytest_plugin; print({names})"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "['selfheal_tui', 'selfheal_tui.pytest_plugin']\n"


def test_the_sandbox_leaves_it_out() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    assert points == {"selfheal": "selfheal_tui.pytest_plugin"}
    assert set(points) <= long_way._RUNNERS
