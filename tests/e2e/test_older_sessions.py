"""A session that commit 8423598 wrote opens unchanged: every command that a user has for it works."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main

SESSION = "20261122-153837-merge-overlapping-interv-a3b9"
SAVED = Path(__file__).parents[1] / "engine" / "data" / "session-8423598.db.xz"
"""The demo `intervals`, its diagnosis approved, waiting at its repair."""
Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / SESSION
    folder.mkdir(parents=True)
    (folder / "session.db").write_bytes(lzma.decompress(SAVED.read_bytes()))

    def command(*argv: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main([*argv, "--sessions", str(tmp_path / "runs")])
        told = capsys.readouterr()
        assert code in (0, 1, 3), told.err
        return code, json.loads(told.out) if "--json" in argv else told.out

    return command


def test_it_is_listed_shown_and_checked(run: Run) -> None:
    (row,) = run("sessions", "list", "--json")[1]
    assert (row["session_id"], row["outcome"]) == (SESSION, "waiting")
    shown = run("sessions", "show", SESSION, "--json")[1]
    assert [c["pending"] for c in shown["checkpoints"]][-1] and shown["branches"][0]["name"] == "main"
    assert run("sessions", "check", SESSION)[0] == 0


def test_it_goes_on_to_its_end_and_back(run: Run) -> None:
    code, asked = run("resume", SESSION, "--json")
    assert (code, asked["outcome"], asked["review"]["kind"]) == (3, "waiting", "repair")
    code, healed = run("sessions", "decide", SESSION, "approve", "--json")
    assert (code, healed["outcome"]) == (0, "healed")
    assert run("sessions", "undo", SESSION)[0] == 0
    assert run("resume", SESSION, "--json")[1]["review"]["kind"] == "repair"
    code, forked = run(
        *("sessions", "fork", SESSION, "--at", asked["checkpoint_id"], "--set", "autonomy=full_auto", "--run", "--json")
    )
    assert (code, forked["outcome"]) == (0, "healed") and forked["branch"] != "main"


@pytest.mark.parametrize("form", ["md", "html", "json", "jsonl"])
def test_it_is_exported(run: Run, form: str) -> None:
    code, text = run("sessions", "export", SESSION, "--format", form)
    assert code == 0 and "intervals" in text


def test_what_it_sent_is_not_recorded_and_it_is_handed_on(run: Run, tmp_path: Path) -> None:
    assert run("sessions", "show", SESSION, "--sent")[0] == 0
    assert run("sessions", "export", SESSION, "--format", "session", "-o", "one.selfheal")[0] == 0
    assert (tmp_path / "one.selfheal").stat().st_size > 1000
