"""Files that lie in a sessions folder and are not what selfheal makes there: nothing goes through them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.bench.saved.journal import open_journal
from selfheal_tui.bench.saved.own_runs import note_run
from selfheal_tui.cli import main
from selfheal_tui.errors import SessionError
from selfheal_tui.store.lessons import LessonBook
from selfheal_tui.store.lock import driver_of, open_driver_lock
from selfheal_tui.store.sessions import SessionStore
from selfheal_tui.whole_file import write_whole

MINE = "mine, and nobody's business\n"


def valuable(folder: Path) -> Path:
    path = folder / "valuable.txt"
    path.write_text(MINE)
    return path


_waiting: list[Path] = []


@pytest.fixture
def session(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a session that waits: a copy for each test, the run of it is made once."""
    if not _waiting:
        made = tmp_path_factory.mktemp("waiting") / "runs"
        assert main(["demo", "intervals", "--json", "--sessions", str(made)]) == 3
        _waiting.append(made)
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "runs"
    shutil.copytree(_waiting[0], home)
    return next(path for path in home.iterdir() if path.is_dir())


COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "resume": lambda name: ["resume", name, "--json"],
    "rename": lambda name: ["sessions", "rename", name, "other"],
    "undo": lambda name: ["sessions", "undo", name],
    "delete": lambda name: ["sessions", "delete", name],
    "decide": lambda name: ["sessions", "decide", name, "approve", "--json"],
    "show": lambda name: ["sessions", "show", name],
    "check": lambda name: ["sessions", "check", name],
    "export": lambda name: ["sessions", "export", name, "--format", "json"],
    "apply": lambda name: ["sessions", "apply", name, "--yes", "--unhealed"],
}


@pytest.mark.parametrize("name", ["lock", "session.db-wal", "session.db-shm", "session.db-journal", "session.db"])
def test_a_link_in_a_sessions_folder_leads_no_command_to_another_file(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    target = valuable(tmp_path)
    if name == "session.db":
        target = tmp_path / "other.db"
        (session / name).rename(target)
    else:
        (session / name).unlink(missing_ok=True)
    (session / name).symlink_to(target)
    before = target.read_bytes()
    for command in COMMANDS.values():
        assert main([*command(session.name), "--sessions", str(session.parent)]) == 6
        assert "is a link" in capsys.readouterr().err
        assert target.read_bytes() == before and (session / name).is_symlink()
    row = SessionStore(session.parent).row(session.name)
    assert row.outcome == "damaged" and "is a link" in row.reason


def test_a_session_folder_that_is_a_link_is_not_opened(session: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    session.rename(elsewhere)
    session.symlink_to(elsewhere)
    for command in COMMANDS.values():
        assert main([*command(session.name), "--sessions", str(session.parent)]) == 6


def test_a_lock_that_is_a_link_or_a_pipe_is_not_opened(tmp_path: Path) -> None:
    target = valuable(tmp_path)
    for make in (lambda lock: lock.symlink_to(target), os.mkfifo):
        folder = tmp_path / make.__name__.strip("<>")
        folder.mkdir()
        make(folder / "lock")
        assert driver_of(folder) is None
        with pytest.raises(SessionError, match="lock is"), open_driver_lock(folder):
            raise AssertionError
    assert target.read_text() == MINE


@pytest.mark.parametrize("end", ["", "-wal", "-journal"])
def test_lessons_are_not_written_through_a_link(tmp_path: Path, end: str) -> None:
    target = tmp_path / "firefox.db"
    with closing(sqlite3.connect(target)) as db, db:
        db.execute("create table places(url text)")
    before = target.read_bytes()
    (tmp_path / f"lessons.db{end}").symlink_to(target)
    with pytest.raises(SessionError, match="is a link"):
        LessonBook(tmp_path).add("task", "text", "session", "words of the task")
    assert target.read_bytes() == before


def test_a_file_that_would_run_sql_of_its_own_is_not_opened(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(session / "session.db")) as db, db:
        db.execute("create trigger gone after insert on decision begin delete from decision; end")
    assert main(["sessions", "decide", session.name, "approve", "--sessions", str(session.parent)]) == 6
    assert "trigger 'gone'" in capsys.readouterr().err


def test_a_trash_that_is_a_link_is_neither_used_nor_emptied(session: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    old = elsewhere / f"999999999@{os.uname().nodename}"
    old.mkdir(parents=True)
    (session.parent / ".trash").symlink_to(elsewhere)
    store = SessionStore(session.parent)
    with pytest.raises(SessionError, match="is a link"):
        store.trash.put(session.name)
    store.trash.empty()
    assert old.is_dir() and session.is_dir()


@pytest.mark.parametrize("form", ["md", "json", "session"])
def test_an_export_is_not_written_through_a_link_of_the_folder(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    target = valuable(tmp_path)
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "report").symlink_to(target)
    (clone / "docs").symlink_to(tmp_path)
    monkeypatch.chdir(clone)
    for name in ("report", "docs/other"):
        command = ["sessions", "export", session.name, "--format", form, "-o", name, "--sessions", str(session.parent)]
        assert main(command) == 2
        assert "nothing was written" in capsys.readouterr().err
    assert target.read_text() == MINE and not (tmp_path / "other").exists()


# -- runs of a benchmark that came with a clone


def foreign_run(folder: Path, **arguments: object) -> Path:
    run = folder / "bench-results" / "20260101-000000-x"
    run.mkdir(parents=True)
    header = {"format": 1, "config": {"suite": "x"}, "chosen": {"arguments": {"suite": "x.jsonl", **arguments}}}
    (run / "run.json").write_text(json.dumps(header))
    return run


def test_a_run_that_came_with_a_clone_sets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    run = foreign_run(tmp_path, model=["openai:gpt-x"], allow_unsandboxed=True)
    assert main(["bench", "--resume"]) == 2
    assert "was not started here by you" in capsys.readouterr().err
    note_run(run, (run / "run.json").read_bytes())
    (run / "run.json").write_text((run / "run.json").read_text().replace("gpt-x", "gpt-y"))
    assert main(["bench", "--resume"]) == 2
    assert "was not started here by you" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run.json", "results.jsonl", "results.json", "results.md", "lock", "sessions", "."])
def test_a_run_folder_leads_no_write_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    target = valuable(tmp_path)
    run = foreign_run(tmp_path)
    header = json.loads((run / "run.json").read_text())
    if name == ".":
        run.rename(tmp_path / "elsewhere")
        run.symlink_to(tmp_path / "elsewhere")
    else:
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(target)
    with pytest.raises(SessionError, match="is a link"), open_journal(run.relative_to(tmp_path), header, resume=True):
        raise AssertionError
    assert target.read_text() == MINE


def test_what_is_written_beside_a_file_goes_through_no_link(tmp_path: Path) -> None:
    target = valuable(tmp_path)
    (tmp_path / "results.md.new").symlink_to(target)
    write_whole(tmp_path / "results.md", b"figures\n")
    assert target.read_text() == MINE and (tmp_path / "results.md").read_text() == "figures\n"
