"""What is wrong is told in the order in which a user would mend it: the line, the input, then the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli import main


def test_a_command_after_flags_is_told_to_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sessions", "my folder", "demo", "paging"]) == 2
    assert capsys.readouterr().err == (
        "selfheal: The command comes first, its options after it. Try: selfheal demo --sessions 'my folder' paging\n"
    )


def test_the_value_of_a_flag_may_be_named_like_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    assert main(["--sessions", "demo"]) == 2
    assert "not a terminal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("fix nosuch.py", "nosuch.py does not exist"),
        ("fix nosuch.py --dry-run --model nosuch:x", "nosuch.py does not exist"),
        ("fix nosuch.py --autonomy full", "autonomy must be one of"),
        ("new --spec-file nosuch.txt", "nosuch.txt"),
        ("new Something --model nosuch:x", "There is no model provider 'nosuch'"),
        ("demo nosuch", "There is no demo 'nosuch'"),
        ("resume nosuch", "There is no session 'nosuch'"),
        ("--theme", "expected one argument"),
        ("--model nosuch:x", "There is no model provider 'nosuch'"),
        ("--max-calls many", "max_calls must be"),
        ("serve --port 70000", "70000 is no port"),
    ],
)
def test_what_the_user_gave_is_judged_before_the_terminal(
    line: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path))
    assert main(line.split()) == 2
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_provider_for_tests_is_offered_to_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "--model", "nosuch:x"]) == 2
    told = capsys.readouterr().err
    assert "anthropic" in told and "scripted" not in told


def test_with_good_input_the_terminal_is_what_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    assert main(["demo"]) == 2
    assert "not a terminal" in capsys.readouterr().err and list(tmp_path.iterdir()) == []
