"""`sessions export --format session`, `sessions import` and `resume FILE`, as scripts use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script

CANARY = "sk-canary-9f27c1d4e8"


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A session at whose first repair a decision waits; the current folder holds it in `runs`. Returns its id."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    (tmp_path / "shop.py").write_text(BUGGY, "utf-8")
    (tmp_path / "test_shop.py").write_text(TESTS + f'\n\nTOKEN = "{CANARY}"\n', "utf-8")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    assert main(["fix", "shop.py", "--headless", "--model", model, "--critic", "off", "--sessions", "runs"]) == 3
    capsys.readouterr()
    return next(path.name for path in (tmp_path / "runs").iterdir() if path.is_dir())


def test_a_session_goes_on_from_a_file(waiting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def ran(*argv: str) -> tuple[int, str, str]:
        code = main([*argv])
        told = capsys.readouterr()
        return code, told.out, told.err

    code, out, err = ran("sessions", "export", waiting, "--format", "session", "-o", "s.selfheal", "--sessions", "runs")
    assert (code, out) == (0, "") and "selfheal resume s.selfheal" in err
    assert "the file test_shop.py as given" in err and CANARY not in err
    assert (tmp_path / "s.selfheal").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
    code, out, err = ran("sessions", "import", "s.selfheal", "--sessions", "there", "--json")
    told: dict[str, Any] = json.loads(out)
    assert code == 0 and told == {"session_id": waiting, "was": waiting, "redacted": ["the file test_shop.py as given"]}
    code, out, err = ran("resume", "s.selfheal", "--headless", "--json", "--sessions", "there")
    assert code == 3 and json.loads(out)["session_id"] == f"{waiting}-2" and f"{waiting} here already" in err
    healed = ("sessions", "decide", f"{waiting}-2", "approve", "--json", "--sessions", "there")
    code, out, err = ran(*healed)
    assert code == 3 and json.loads(out)["review"]["kind"] == "repair"
    code, out, err = ran(*healed)
    assert code == 0 and json.loads(out)["files"] == {"shop.py": FIXED}
    code, out, err = ran("sessions", "apply", f"{waiting}-2", "--yes", "--sessions", "there")
    assert code == 2 and "-o DIR" in err, "where it came from is no folder here"
    assert (tmp_path / "shop.py").read_text("utf-8") == BUGGY


def test_what_cannot_be_handed_on_or_taken_in_is_said(waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*argv: str) -> str:
        assert main([*argv]) == 2
        return capsys.readouterr().err

    export = ("sessions", "export", waiting, "--sessions", "runs", "--format", "session")
    assert "-o NAME.selfheal" in refused(*export)
    assert "--branch" in refused(*export, "--branch", "main", "-o", "x")
    lacking = refused(*export, "-o", "no/such/folder/x")
    assert "cannot be written" in lacking and "/no/such/folder: make it, or name another place." in lacking
    assert "no exported session" in refused("sessions", "import", "shop.py", "--sessions", "there")
    assert "cannot be read" in refused("sessions", "import", "nothing", "--sessions", "there")
    assert "database" in refused("resume", f"runs/{waiting}/session.db", "--headless", "--sessions", "there")
    assert not Path("there").exists()


def test_what_nobody_looked_at_is_doubted_wherever_it_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(BUGGY, "utf-8")
    (tmp_path / "test_shop.py").write_text(TESTS, "utf-8")
    early = FIXED.replace("    return", "    if len(prices) > 7:\n        return 0\n    return")
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(early)},
    )
    where = ("--sessions", "runs")
    fix = ("fix", "shop.py", "--headless", "--model", model, "--critic", "off", "--autonomy", "full_auto", *where)
    doubt = "It writes a value of the tests into the program"
    assert main([*fix]) == 0
    assert doubt in capsys.readouterr().out
    assert main(["sessions", "export", "--format", "html", "-o", "page.html", *where]) == 0
    assert main(["sessions", "export", "--format", "md", "-o", "page.md", *where]) == 0
    assert all(doubt in (tmp_path / name).read_text("utf-8") for name in ("page.html", "page.md"))
    capsys.readouterr()
    assert main(["sessions", "apply", *where]) == 2, "nobody can be asked here"
    assert "⚠ Nobody looked at this repair: " in (told := capsys.readouterr().out) and doubt in told
