"""One driver per session: who it is, when that is over, and that a look by others does not count as driving."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from selfheal_tui.errors import SessionBusy, SessionError
from selfheal_tui.store.lock import Holder, driver_of, open_driver_lock

_HOLD = (
    "import sys; from pathlib import Path; from selfheal_tui.store.lock import open_driver_lock\n"
    "with open_driver_lock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()"
)


def held_by_another(folder: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock until it reads a line."""
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "held\n"
    return child


def test_the_holder_is_named_by_process_and_machine(tmp_path: Path) -> None:
    assert driver_of(tmp_path) is None
    with held_by_another(tmp_path) as child:
        holder = driver_of(tmp_path)
        assert holder is not None and (holder.pid, holder.host) == (child.pid, socket.gethostname())
        with (
            pytest.raises(SessionBusy, match=f"process {child.pid} on {socket.gethostname()}"),
            open_driver_lock(tmp_path),
        ):
            pass
        child.communicate("\n")
    assert driver_of(tmp_path) is None and (tmp_path / "lock").read_text() == ""


def test_a_killed_driver_leaves_no_lock_and_names_nobody(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as child:
        child.kill()
    assert str(child.pid) in (tmp_path / "lock").read_text()
    assert driver_of(tmp_path) is None
    # The next driver has the lock and has not said yet who it is: the text is the dead one's.
    stale = (tmp_path / "lock").read_text()
    with open_driver_lock(tmp_path):
        assert driver_of(tmp_path) == Holder(os.getpid(), socket.gethostname(), holder_started())
        (tmp_path / "lock").write_text(stale)
        assert driver_of(tmp_path) == Holder()
        (tmp_path / "lock").write_text(stale.replace(str(child.pid), str(os.getpid())))
        assert driver_of(tmp_path) == Holder(), "a later process with the same number"


def holder_started() -> str:
    """Return the 22nd field of this process's stat, proc(5)."""
    return Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]


@pytest.mark.parametrize("text", ["", "12345", "{", "[]", '{"pid": "x", "host": 1, "started": ""}', "\x00" * 40])
def test_an_unreadable_text_names_nobody(tmp_path: Path, text: str) -> None:
    with open_driver_lock(tmp_path):
        (tmp_path / "lock").write_text(text)
        assert driver_of(tmp_path) == Holder()
        with pytest.raises(SessionBusy, match="has not said which"), open_driver_lock(tmp_path):
            pass


def test_a_process_of_another_machine_is_believed(tmp_path: Path) -> None:
    with open_driver_lock(tmp_path):
        (tmp_path / "lock").write_text(json.dumps({"pid": 7, "host": "elsewhere", "started": "1"}))
        holder = driver_of(tmp_path)
        assert holder is not None and holder.words() == "process 7 on elsewhere"
        (tmp_path / "lock").write_text(json.dumps({"pid": 7, "host": "a\x1b[2Jb\nc", "started": "1"}))
        holder = driver_of(tmp_path)
        assert holder is not None and "\x1b" not in holder.words() and "\n" not in holder.words()


def test_looking_at_a_session_never_makes_it_busy(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            driver_of(tmp_path)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(300):
            with open_driver_lock(tmp_path):
                pass
    finally:
        over.set()
        for looker in lookers:
            looker.join()


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be written"), open_driver_lock(tmp_path / "gone"):
        pass
