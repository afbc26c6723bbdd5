"""A session folder that was copied under another name goes on as the original would, with one history."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.store.sessions import DB_NAME
from tests.e2e.test_sessions_commands import Shell
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script

COPY = "another name"
LANES = ("--lane", "strategies=minimal autonomy=full_auto", "--lane", "strategies=rewrite autonomy=full_auto")
WRITES = {
    "decide": (("decide", COPY, "approve"), 3),
    "stop": (("decide", COPY, "stop"), 1),
    "fork": (("fork", COPY, "--at", "HEAD", "--set", "feedback=Subtract it.", "--run"), 3),
    "fork only": (("fork", COPY, "--at", "HEAD", "--set", "max_iterations=3"), 0),
    "race": (("race", COPY, *LANES), 0),
    "note": (("branch", COPY, "note", "main", "Mine."), 0),
    "rename": (("rename", COPY, "Another title"), 0),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sessions folder of one session that waits with its diagnosis."""
    folder = tmp_path_factory.mktemp("original")
    (folder / "shop.py").write_text(BUGGY, encoding="utf-8")
    (folder / "test_shop.py").write_text(TESTS, encoding="utf-8")
    replies = ({"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED)})
    model = script(folder / "m.yaml", *replies)
    flags = ["--model", model, "--critic", "off", "--debug-steps", "0"]
    assert main(["fix", str(folder / "shop.py"), "--headless", *flags, "--sessions", str(folder / "runs")]) == 3
    return folder / "runs"


@pytest.fixture
def shell(original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Return a shell whose only session is the copy."""
    made = Shell(tmp_path, capsys)
    (source,) = (entry for entry in original.iterdir() if (entry / DB_NAME).is_file())
    shutil.copytree(source, made.sessions / COPY)
    return made


def threads(shell: Shell) -> list[str]:
    with closing(sqlite3.connect(shell.sessions / COPY / DB_NAME)) as connection:
        return [str(row[0]) for row in connection.execute("select distinct thread_id from checkpoints")]


@pytest.mark.parametrize("name", WRITES)
def test_a_command_that_writes_goes_on_with_the_history_of_the_copy(shell: Shell, name: str) -> None:
    before = shell("show", COPY, "--json").json["checkpoints"]
    (thread,) = threads(shell)
    assert thread != COPY
    words, code = WRITES[name]
    ran = shell(*(before[-1]["checkpoint_id"] if word == "HEAD" else word for word in words))
    assert ran.code == code, ran
    assert threads(shell) == [thread]
    after = shell("show", COPY, "--json").json["checkpoints"]
    assert [one["checkpoint_id"] for one in after[: len(before)]] == [one["checkpoint_id"] for one in before]
    assert (len(after) > len(before)) == (name not in ("note", "rename"))
    assert shell("check", COPY).code == 0


def test_an_answer_in_a_copy_is_undone_and_the_copy_healed_and_handed_on(shell: Shell, tmp_path: Path) -> None:
    assert shell("decide", COPY, "stop").code == 1
    assert shell("undo", COPY).code == 0
    assert shell("decide", COPY, "approve").code == 3
    healed = shell("decide", COPY, "approve", "--json")
    assert (healed.code, healed.json["files"]["shop.py"]) == (0, FIXED)
    assert shell("export", COPY, "--format", "session", "-o", str(tmp_path / "x.selfheal")).code == 0
    assert shell("import", str(tmp_path / "x.selfheal")).code == 0
    assert {one["outcome"] for one in shell("list", "--json").json} == {"healed"}
    assert shell("check").code == 0
