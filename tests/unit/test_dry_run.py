"""`selfheal fix --dry-run`: what would be copied and what a model would see first; nothing is made, run or asked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.session.preview import build_preview
from selfheal_tui.engine.task.task import load_task
from tests.engine.driving import BUGGY, TESTS
from tests.wire.rig import clean

CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef the_answer():\n    return 42\n"
SIZES = {"conftest.py": len(CONFTEST), "shop.py": len(BUGGY), "test_shop.py": len(TESTS)}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean(monkeypatch)
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in (("shop.py", BUGGY), ("test_shop.py", TESTS), ("conftest.py", CONFTEST)):
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


def dry(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Return what the command prints as JSON."""
    assert main(["fix", ".", "--dry-run", "--json", "--sessions", "../runs", *words]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_what_a_run_would_refuse_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "shop.py").write_text("def f(:\n")
    assert main(["fix", "shop.py", "--dry-run", "--model", "search", "--sessions", "../runs"]) == 2
    assert "shop.py does not parse, line 1" in capsys.readouterr().err


def test_with_the_search_nothing_would_leave(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    red = '<testsuite><testcase classname="test_shop" name="test_total"><failure/></testcase></testsuite>'
    (project / "red.xml").write_text(red)
    told = dry(capsys, "--model", "search", "--from-junit", "red.xml")
    (project / "red.xml").unlink()
    assert told == {
        "root": str(project),
        "files": [
            {"path": "conftest.py", "bytes": SIZES["conftest.py"], "role": "support"},
            {"path": "shop.py", "bytes": SIZES["shop.py"], "role": "program"},
            {"path": "test_shop.py", "bytes": SIZES["test_shop.py"], "role": "test"},
        ],
        "model": "search",
        "sends_to": None,
        "left_out": [],
        "unread": {},
        "first_prompt_files": [],
    }
    assert main(["fix", ".", "--dry-run", "--model", "search", "--sessions", "../runs"]) == 0
    assert "Nothing leaves this machine" in capsys.readouterr().out
    assert os.listdir(project.parent) == ["project"], "no session was made"


def test_with_a_model_the_address_and_the_first_prompt_are_told(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "https://me:secret@models.example.com:8443/some/path?key=secret")
    told = dry(capsys, "--model", "ollama:tiny")
    assert (told["model"], told["sends_to"]) == ("ollama:tiny", "https://models.example.com:8443")
    assert told["first_prompt_files"] == ["shop.py", "test_shop.py"]
    assert main(["fix", ".", "--dry-run", "--model", "ollama:tiny", "--sessions", "../runs"]) == 0
    text = capsys.readouterr().out
    assert "The first prompt goes to https://models.example.com:8443; it holds shop.py, test_shop.py." in text
    assert "secret" not in text and "support  conftest.py" in text
    assert "support: neither program nor test; copied beside them and never changed." in text
    assert os.listdir(project.parent) == ["project"]


def test_the_first_model_that_is_asked_counts(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    told = dry(capsys, "--model", "search", "--model", "repairer=openai:small")
    assert (told["model"], told["sends_to"]) == ("openai:small", "http://127.0.0.1:9")
    assert told["first_prompt_files"] == ["shop.py", "test_shop.py"]


def test_a_script_stays_here(project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("replies: []\n")
    told = dry(capsys, "--model", f"scripted:{tmp_path / 'm.yaml'}")
    assert told["sends_to"] is None and told["first_prompt_files"] == ["shop.py", "test_shop.py"]


def test_a_prompt_of_ones_own_decides_what_is_shown(project: Path, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "debugger.yaml").write_text(
        "version: 1\nsystem: Look.\nuser: '$report $tests'\nschema: {}\nlimits: {max_tokens: 2048}\n"
    )
    preview = build_preview(load_task([project]), {"*": "ollama:tiny"}, prompts)
    assert [file["path"] for file in preview.first_prompt_files] == ["test_shop.py"]


def test_what_a_run_could_not_do_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fix", ".", "--dry-run", "--sessions", "../runs"]
    assert main([*command, "--model", "anthropic:claude-sonnet-4-5"]) != 0
    assert "ANTHROPIC_API_KEY is not set" in capsys.readouterr().err
    (project / "test_shop.py").unlink()
    assert main(command) != 0
    assert "No tests were found" in capsys.readouterr().err


def test_a_test_file_named_alone_is_said_to_be_taken_as_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "selfheal: test_shop.py is taken as a test file; what it imports is healed: shop.py.\n"
    for named, expected in (("test_shop.py", words), ("shop.py", ""), (".", "")):
        assert main(["fix", named, "--dry-run", "--json", "--sessions", "../runs"]) == 0
        assert capsys.readouterr().err == expected
    (project / "rates.py").write_text("TAX = 2\n")
    test = project / "test_shop.py"
    test.write_text(f"import rates\n{test.read_text()}")
    command = "selfheal fix shop.py rates.py --tests test_shop.py --sessions "
    words = f"selfheal: only shop.py is searched; the tests import rates.py too. To search there as well: {command}"
    for named, expected in ((["shop.py"], words), (["shop.py", "rates.py"], ""), (["."], "")):
        assert main(["fix", *named, "--dry-run", "--json", "--sessions", "../runs"]) == 0
        err = capsys.readouterr().err
        assert err.startswith(expected) if expected else not err


def test_that_a_model_is_asked_only_where_repairs_disagree_is_said_before(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    words = ("--model", "search", "--model", "oracle=anthropic:claude-sonnet-5-5")
    told = dry(capsys, *words)
    assert told["model"] == "anthropic:claude-sonnet-5-5" and told["first_prompt_files"] == ["test_shop.py"]
    for calls, asked in (("2", "is asked 2 times what is right"), ("0", "")):
        assert main(["fix", ".", "--dry-run", "--sessions", "../runs", *words, "--oracle-calls", calls]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert asked in out and ("disagree" in out) == bool(asked)


def test_a_program_file_that_cannot_be_read_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "prices.py").write_bytes(b"# caf\xe9\n")
    assert main(["fix", ".", "--dry-run", "--model", "search", "--sessions", "../runs"]) == 0
    why = "is not UTF-8 text (line 1)"
    told = f"selfheal: left out: prices.py {why}. Save it as UTF-8, or name its encoding in line 1 (PEP 263)."
    assert told in capsys.readouterr().err.splitlines()
    assert dry(capsys, "--model", "search")["unread"] == {"prices.py": why}
