"""Deleting sessions asks at a terminal, and only there."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.store.sessions import DB_NAME, SessionStore


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stdin", "flags", "is_left", "is_asked"),
    [
        (Terminal("n\n"), (), True, True),
        (Terminal(""), (), True, True),
        (Terminal("y\n"), (), False, True),
        (Terminal("n\n"), ("--yes",), False, False),
        (io.StringIO("n\n"), (), False, False),
    ],
)
def test_deleting_asks_at_a_terminal(
    stdin: io.StringIO,
    flags: tuple[str, ...],
    is_left: bool,
    is_asked: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    session_id, folder = SessionStore(tmp_path / "runs").create_folder("shop")
    (folder / DB_NAME).touch()
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["sessions", "delete", session_id, *flags, "--sessions", str(tmp_path / "runs")]) == 0
    out, err = capsys.readouterr()
    assert folder.exists() == is_left and (f"Delete {session_id} for good? [y/N]" in err) == is_asked
    assert out == ("Nothing was deleted.\n" if is_left else f"Deleted {session_id}.\n")
