"""What a shell is told at a press of the tab key: asked as the script of argcomplete asks."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import COMMANDS, main
from selfheal_tui.cli.completers import completer_of, values_of
from selfheal_tui.cli.options import RUN_SETTINGS
from selfheal_tui.cli.parser import whole_parser
from selfheal_tui.settings import setting_help
from selfheal_tui.store.sessions import DB_NAME

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("20260102-030405-total-ab12", "20260103-030405-paging-cd34"):
        (tmp_path / name).mkdir()
        (tmp_path / name / DB_NAME).write_bytes(b"")
    return tmp_path


def completed(line: str, home: Path) -> list[str]:
    """Return how the line can go on."""
    out = home / "out"
    environ = {
        **os.environ,
        "SELFHEAL_SESSIONS": str(home),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(out),
    }
    done = subprocess.run(
        [sys.executable, "-m", "selfheal_tui"], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("", "")
    return [word.strip() for word in out.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("selfheal ses", ["sessions"]),
        ("selfheal sessions ex", ["export"]),
        ("selfheal sessions apply --unh", ["--unhealed"]),
        ("selfheal sessions show 20260102", ["20260102-030405-total-ab12"]),
        ("selfheal demo --autonomy full", ["full_auto"]),
        ("selfheal demo --strategies minimal,de", ["minimal,defensive"]),
        ("selfheal demo --model repairer=au", ["repairer=auto"]),
        ("selfheal demo pag", ["paging"]),
        ("selfheal completion f", ["fish"]),
    ],
)
def test_a_line_goes_on(line: str, words: list[str], home: Path) -> None:
    assert completed(line, home) == words


def test_session_ids_come_without_flags_between_them(home: Path) -> None:
    assert sorted(completed("selfheal resume ", home)) == sorted(path.name for path in home.iterdir() if path.is_dir())


def test_a_branch_is_completed_by_the_branches_of_its_session_and_never_by_files(home: Path) -> None:
    line = "selfheal sessions branch 20260102 "
    assert completed(f"{line}ho", home) == [] and "hide" in completed(line, home)
    assert not {"README.md", "docs"} & {*completed(line, home), *completed(f"{line}hide ", home)}
    with closing(sqlite3.connect(home / "20260102-030405-total-ab12" / DB_NAME)) as connection:
        connection.execute("create table checkpoints(checkpoint_ns text, metadata blob)")
        for name in ("main", "fork-1", "main"):
            connection.execute("insert into checkpoints values('', ?)", (f'{{"branch": "{name}"}}'.encode(),))
        connection.commit()
    assert completed(f"{line}hide ", home) == ["main", "fork-1"]
    assert completed(f"{line}hide fo", home) == ["fork-1"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_for_selfheal(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "selfheal" in script and "_ARGCOMPLETE" in script


def test_only_the_command_that_is_typed_is_imported() -> None:
    code = (
        "import sys; from selfheal_tui.cli.parser import whole_parser; whole_parser(['sessions', 'show', 'x']);"
        "print([m for m in ('textual', 'langgraph', 'selfheal_tui.cli.fork') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_command_is_in_the_whole_parser() -> None:
    usage = whole_parser([]).format_help()
    assert all(f"  {name}" in usage for name in COMMANDS)


@pytest.mark.parametrize("name", [*RUN_SETTINGS, "theme"])
def test_the_help_of_a_setting_names_its_values(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = values_of(name)
    assert not values or completer_of(name) is not None
    if name == "theme":  # some of many
        assert sum(value in setting_help()[name] for value in values) >= 3
        return
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert [value for value in values if value not in told] == []
