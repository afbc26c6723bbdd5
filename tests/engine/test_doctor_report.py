"""`selfheal doctor --report`: facts for a report of a problem, and nothing that nobody else should read."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.cli.report import DEFAULT_NAME, Masking

SECRETS = {
    "ANTHROPIC_API_KEY": "anthropic-planted-1",
    "OPENAI_BASE_URL": "http://me:planted-password@localhost:1/v1",
    "MY_SERVICE_TOKEN": "planted+service/token",
    "SELFHEAL_PRICES": "openai:planted+service/token=1/2",
    "SELFHEAL_MODEL": "openai:sk-planted0123456789abcdef",
}
PLANTED = ("planted", "topsecret", "acme", "Joe's", "marzipan")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a project of a customer, in which one stands."""
    folder = tmp_path / "Joe's home"
    project = folder / "customers" / "acme topsecret"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(project / "kept sessions"))
    monkeypatch.chdir(project)
    return folder


def test_no_planted_secret_no_code_and_no_folder_of_the_user_is_in_the_report(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("marzipan.py").write_text("def f():\n    return 'marzipan'\n")
    Path("test_marzipan.py").write_text("def test_f():\n    import marzipan\n    assert marzipan.f() == 1\n")
    main(["fix", "marzipan.py", "--headless", "--model", "search", "--max-time-s", "1", "--autonomy", "full_auto"])
    capsys.readouterr()
    assert main(["doctor", "--report"]) == 0
    assert capsys.readouterr().out.startswith(DEFAULT_NAME)
    text = Path(DEFAULT_NAME).read_text("utf-8")
    assert [word for word in PLANTED if word in text] == []
    assert str(home) not in text and home.name not in text
    for told in ("selfheal 0.", "textual ", "sandbox", "sessions = ", "model = openai:[hidden]", "ANTHROPIC_API_KEY\n"):
        assert told in text
    (ended,) = (line for line in text.partition("newest sessions")[2].splitlines()[2:] if line)
    assert ended.startswith("1 ")


def test_a_report_is_written_anew_and_nothing_else_is_overwritten(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--report", "mine.txt"]) == 0 == main(["doctor", "--report", "mine.txt"])
    Path("notes.txt").write_text("mine")
    assert main(["doctor", "--report", "notes.txt"]) == 2
    assert Path("notes.txt").read_text() == "mine"
    assert "is no report" in capsys.readouterr().err
    assert main(["doctor", "--report", "gone/report.txt"]) == 2
    assert "make it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("/home/joe/.venv/bin/python, then /home/joe", "~/..., then ~"),
        ("store /home/joe/.local/share/selfheal/sessions (SQLite)", "store ~/.local/share/selfheal/sessions (SQLite)"),
        ("/home/joel/x stays", "/home/joel/x stays"),
        ("in /work/app/sub", "in FOLDER/sub"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"),
        ("ghp_0123456789abcdefXYZ", "[hidden]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0", "[hidden]"),
        ("0123456789abcdef0123456789abcdef", "[hidden]"),
        ("a \x1b[31mred\x1b[0m word", "a red word"),
    ],
)
def test_a_line_is_masked(line: str, shown: str) -> None:
    assert Masking({"X_PATH": "a"}, Path("/home/joe"), Path("/work/app")).line(line) == shown
