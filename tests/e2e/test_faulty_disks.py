"""The real command on a full disk and where nothing can be written: a code, a sentence, and nothing lost.

The disks are mounts in a namespace of the test's own; skipped where mounting is not allowed.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.store.sessions import DB_NAME
from tests.e2e.forked_commands import run_script
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script

_MAY_MOUNT = (
    shutil.which("unshare") is not None
    and not subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False
    ).returncode
)
pytestmark = pytest.mark.skipif(not _MAY_MOUNT, reason="mounting is not allowed here")


class Shell:
    """Runs a shell script in a mount namespace; `selfheal` in it notes code, stdout and stderr of each command."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.log = folder, folder / "runs", folder / "log"
        self.home.mkdir()
        self.log.mkdir()
        (folder / "shop.py").write_text(BUGGY)
        (folder / "test_shop.py").write_text(TESTS)
        script(
            folder / "m.yaml",
            {"role": "debugger", "reply": DIAGNOSIS},
            {"role": "repairer", "reply": repair_reply(FIXED)},
        )

    def run(self, text: str) -> None:
        """Run it to its end."""
        environment = {**os.environ, "SELFHEAL_SESSIONS": str(self.home)}
        assert run_script(text, environment, self.folder, self.log) == 0

    def code(self, name: str) -> int:
        return int((self.log / f"{name}.code").read_text())

    def told(self, name: str) -> str:
        told = (self.log / f"{name}.err").read_text()
        assert "Traceback" not in told, told
        return told

    def result(self, name: str) -> Any:
        return json.loads((self.log / f"{name}.out").read_text())


def test_a_decision_on_a_full_disk_is_refused_and_taken_once_there_is_room(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.run(
        f"""
        mount -t tmpfs -o size=4m none {shell.home}
        selfheal start fix shop.py --model scripted:m.yaml --json
        S=$(ls {shell.home})
        dd if=/dev/zero of={shell.home}/filler bs=4k 2>/dev/null
        selfheal full sessions decide $S approve --json
        selfheal check-full sessions check $S --json
        rm {shell.home}/filler
        selfheal again resume $S --headless --json
        selfheal decide sessions decide $S approve --json
        selfheal check sessions check $S --json
        """
    )
    assert shell.code("start") == 3
    assert shell.code("full") == 6 and "disk is full" in shell.told("full")
    assert shell.code("check-full") == 0
    first, again = shell.result("start"), shell.result("again")
    assert shell.code("again") == 3 and again["review"]["checkpoint_id"] == first["review"]["checkpoint_id"]
    assert shell.code("decide") == 3 and shell.result("decide")["review"]["kind"] == "repair"
    assert shell.result("decide")["spent"]["calls"] == 2
    assert shell.code("check") == 0 and shell.result("check")["sound"]


def test_where_nothing_can_be_written_a_session_can_be_read_and_no_more(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.run(
        f"""
        selfheal start fix shop.py --model scripted:m.yaml --json
        S=$(ls {shell.home})
        mount --bind {shell.home} {shell.home} && mount -o remount,bind,ro {shell.home}
        selfheal show sessions show $S --json
        selfheal export sessions export $S --format md
        selfheal list sessions list --json
        selfheal check sessions check $S --json
        selfheal resume resume $S --headless --json
        selfheal decide sessions decide $S approve --json
        selfheal new fix shop.py --model scripted:m.yaml --json
        """
    )
    assert [shell.code(name) for name in ("start", "show", "export", "list", "check")] == [3, 0, 0, 0, 0]
    assert shell.result("show")["checkpoints"][-1]["pending"] and shell.result("list")[0]["outcome"] == "waiting"
    for name, code in (("resume", 6), ("decide", 6), ("new", 2)):
        assert shell.code(name) == code and "cannot be written" in shell.told(name), shell.told(name)


def test_what_a_crash_left_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    """The newest moments lie in SQLite's journal, which no reader may fold in here."""
    shell = Shell(tmp_path)
    shell.run("selfheal start fix shop.py --model scripted:m.yaml --json")
    (folder,) = shell.home.iterdir()
    with sqlite3.connect(folder / DB_NAME) as connection:
        connection.execute("pragma wal_autocheckpoint=0")
        connection.execute("update meta set value='renamed' where key='title'")
        connection.commit()
        left = {name: (folder / name).read_bytes() for name in (DB_NAME, DB_NAME + "-wal")}
    connection.close()
    for name, data in left.items():
        (folder / name).write_bytes(data)
    assert left[DB_NAME + "-wal"]
    shell.run(
        f"""
        S=$(ls {shell.home})
        mount --bind {shell.home} {shell.home} && mount -o remount,bind,ro {shell.home}
        selfheal show sessions show $S
        """
    )
    assert shell.code("show") == 0, shell.told("show")
    assert (folder / (DB_NAME + "-wal")).read_bytes() == left[DB_NAME + "-wal"]


def test_an_export_is_whole_or_not_there(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "locked").mkdir()
    shell.run(
        f"""
        selfheal start fix shop.py --model scripted:m.yaml --json
        S=$(ls {shell.home})
        mount -t tmpfs -o size=8k none small
        echo before >small/x.html
        mount -t tmpfs -o ro none locked
        selfheal report sessions export $S --format html -o small/x.html
        selfheal session sessions export $S --format session -o small/x.selfheal
        selfheal locked-report sessions export $S --format html -o locked/x.html
        selfheal locked-session sessions export $S --format session -o locked/x.selfheal
        ls -A small locked >{shell.log}/left
        cat small/x.html >>{shell.log}/left
        """
    )
    for name in ("report", "session", "locked-report", "locked-session"):
        assert shell.code(name) == 2 and shell.told(name).count("\n") == 1, shell.told(name)
        assert "cannot be written" in shell.told(name)
    assert (shell.log / "left").read_text() == "locked:\n\nsmall:\nx.html\nbefore\n"
