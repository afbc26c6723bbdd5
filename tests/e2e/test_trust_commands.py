"""A folder's own settings from the command line: left out with a line each, accepted by --trust, listed, forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.cli import main

PROGRAM = "def last(items):\n    return items[len(items)]\n"
TEST = "from prog import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "prog.py").write_text(PROGRAM)
    (folder / "test_prog.py").write_text(TEST)
    (folder / "selfheal.yaml").write_text("sessions: runs\nautonomy: full_auto\nmax_iterations: 2\nverify: no\n")
    (folder / ".env").write_text("OLLAMA_HOST=http://127.0.0.1:9\n")
    own = tmp_path / "config" / "selfheal"
    own.mkdir(parents=True)
    (own / "selfheal.yaml").write_text(f"sessions: {tmp_path / 'mine'}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.chdir(folder)
    return folder


def test_an_untrusted_folder_is_healed_with_ones_own_settings(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["fix", ".", "--json"]) == 3
    told = capsys.readouterr()
    lines = [line for line in told.err.splitlines() if "left out" in line]
    assert [line.split()[3] for line in lines] == ["sessions", "autonomy", "verify", "OLLAMA_HOST"]
    assert all(line.endswith("--trust.") for line in lines if "verify" not in line)
    assert "never sets it" in lines[2]
    assert json.loads(told.out)["outcome"] == "waiting"
    assert (tmp_path / "mine").is_dir() and not (project / "runs").exists()


def test_trust_is_remembered_until_the_folder_changes_or_it_is_forgotten(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fix", "prog.py", "--json", "--trust"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["outcome"] == "healed" and (project / "runs").is_dir()
    assert main(["fix", "prog.py", "--json"]) == 0
    assert "--trust" not in capsys.readouterr().err

    assert main(["config", "--trusted", "--json"]) == 0
    (grant,) = json.loads(capsys.readouterr().out)["trusted"]
    assert grant["folder"] == str(project) and any("full_auto" in line for line in grant["brings"])
    assert main(["config", "--trusted"]) == 0
    assert "sessions = " in capsys.readouterr().out

    (project / "selfheal.yaml").write_text("autonomy: full_auto\nmax_calls: 99\n")
    assert main(["config", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["autonomy"]["value"] == "review_repairs" and "autonomy = full_auto" in told.err

    assert main(["config", "--forget", "."]) == 0
    assert main(["config", "--forget", "."]) == 2
    assert "is not trusted" in capsys.readouterr().err


def test_commands_tell_only_what_they_would_have_used(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "list"]) == 0
    told = capsys.readouterr().err
    assert "sessions = " in told and "autonomy" not in told and "OLLAMA_HOST" not in told


def test_a_yes_that_cannot_be_kept_holds_this_once(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "config" / "selfheal" / "trusted").write_text("in the way")
    assert main(["config", "--json", "--trust"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["autonomy"]["value"] == "full_auto" and "for this once" in told.err
    assert main(["config", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["autonomy"]["value"] == "review_repairs"


def test_a_link_out_of_the_folder_is_told_and_not_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project.parent / "secret.py").write_text("KEY = 'canary'\n")
    (project / "secret.py").symlink_to("../secret.py")
    (project / "prog.py").write_text("import secret\n" + PROGRAM)
    main(["fix", ".", "--json"])
    told = capsys.readouterr()
    assert "secret.py lies outside of the folder, or leads there" in told.err and "canary" not in told.out
    assert main(["fix", "secret.py", "--json"]) == 2
    refused = capsys.readouterr().err
    assert "leads out of its folder: nothing was read" in refused and str(project.parent / "secret.py") in refused
