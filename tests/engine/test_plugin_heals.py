"""A session whose bug only an operator of a plug-in mends, in the real sandbox, which never sees the plug-in."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from selfheal_tui import heal
from selfheal_tui.extensions.enabled import enabling
from tests.plugin_packages import MODULE, install

CODE = "def gross(net):\n    return net * (1 + 0.19)\n"
TESTS = """
import sys
from solution import gross

def test_rate():
    assert gross(100) == 100 * (1 + 0.2137)

def test_alone():
    assert not [name for name in sys.modules if "acme" in name or "selfheal_tui.plugins" in name]
"""


def test_an_operator_of_a_plug_in_heals_and_the_session_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, module=MODULE)
    with enabling([]):
        result = heal(code=CODE, tests=TESTS, sessions=tmp_path / "s", plugins=["tax_rate"])
    assert result.outcome == "healed", result.report
    assert result.code == CODE.replace("0.19", "0.2137")
    with sqlite3.connect(result.folder / "session.db") as db:
        (initial,) = db.execute("select value from meta where key = 'initial'").fetchone()
    assert json.loads(initial)["policy"]["plugins"] == {"operator:tax_rate": "acme-rules 1.2"}
