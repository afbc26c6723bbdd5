"""`selfheal fix` with a budget in dollars and a model of unknown price: one sentence, exit 2, and nothing is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.engine.driving import BUGGY, TESTS
from tests.wire.rig import clean

FIX = ("fix", ".", "--json", "--sessions", "../runs", "--max-cost-usd", "1", "--model", "openai:own-model")


def test_it_is_said_before_the_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean(monkeypatch)
    (tmp_path / "project").mkdir()
    for name, text in (("shop.py", BUGGY), ("test_shop.py", TESTS)):
        (tmp_path / "project" / name).write_text(text)
    monkeypatch.chdir(tmp_path / "project")
    assert main([*FIX, "--strategies", "minimal"]) == 2
    said = capsys.readouterr()
    assert "The price of openai:own-model is not known, so a budget in dollars cannot be kept." in said.err + said.out
    assert "--max-tokens" in said.err + said.out
    assert not list((tmp_path / "runs").glob("*-*"))
