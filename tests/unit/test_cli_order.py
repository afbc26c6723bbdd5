"""A command that follows flags is named, not called an unrecognised argument."""

from __future__ import annotations

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
