"""`selfheal fix .` in a stranger's clone: nothing is sent, only the sessions folder is touched, no secret is read."""

from __future__ import annotations

import os
import socket
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.provider_variables import VENDORS
from tests.security.folders import FOLDERS, PROGRAM, SECRET, TEST, Clone


@pytest.fixture
def sink() -> Iterator[socket.socket]:
    """A server that answers nobody; who connected waits in its queue."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(50)
        server.setblocking(False)
        yield server


def asked(sink: socket.socket) -> bool:
    try:
        connection, _ = sink.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True


def tree(folder: Path) -> dict[str, object]:
    """Return what a folder holds, with contents and times, links as links."""
    found: dict[str, object] = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(top, name)
            known = path.lstat()
            is_file = path.is_file() and not path.is_symlink()
            found[str(path)] = (known.st_mode, known.st_mtime_ns, path.read_bytes() if is_file else b"")
    return found


def bodies(sessions: Path) -> bytes:
    """Return all that a session holds, unpacked."""
    held = b""
    for path in sessions.glob("*/session.db"):
        with closing(sqlite3.connect(path)) as db:
            for (body,) in db.execute("select body from blob"):
                held += zlib.decompress(body)
            held += "".join(str(row) for row in db.execute("select * from meta")).encode()
    return held


@pytest.fixture
def clone(tmp_path: Path, sink: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Clone:
    home = tmp_path / "home"
    root = home / "clone"
    for path, text in {
        ".ssh/id_ed25519": SECRET,
        ".env": f"ANTHROPIC_API_KEY={SECRET}",
        "private/helper.py": f"KEY = {SECRET!r}\n\n\ndef test_x():\n    pass\n",
        "private/__init__.py": "",
        "clone/prog.py": PROGRAM,
        "clone/test_prog.py": TEST,
    }.items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with closing(sqlite3.connect(home / "browser.db")) as db, db:
        db.execute("create table places(url text)")
    # In the user's own file, which is weaker than a folder's that counts.
    own = tmp_path / "config" / "selfheal" / "selfheal.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(f"sessions: {tmp_path / 'runs'}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    host, port = sink.getsockname()
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(home))
    for vendor in VENDORS.values():
        for name in vendor.names:
            monkeypatch.delenv(name, raising=False)
    # What a user has who works with gateways: secrets that no table of keys alone would know.
    for name in ("ANTHROPIC_AUTH_TOKEN", "OLLAMA_API_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, f"X-Secret: {SECRET}")
    return Clone(root, home, f"{host}:{port}")


@pytest.mark.parametrize("name", FOLDERS)
def test_fix_in_a_strangers_clone_sends_nothing_and_touches_nothing(
    clone: Clone, sink: socket.socket, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    FOLDERS[name](clone)
    before, sessions = tree(clone.home), tmp_path / "runs"
    # What runs at all has run by then; where no edit helps, the search would go on for a minute.
    code = main(["fix", ".", "--json", "--max-time-s", "10"])
    told = capsys.readouterr()
    assert code in (0, 1, 2, 3), told.err
    assert not asked(sink)
    assert tree(clone.home) == before
    written = bodies(sessions)
    assert SECRET.encode() not in written and SECRET not in told.out + told.err
    assert "Traceback" not in told.err and "\x1b" not in told.err + told.out
    # A folder that is read at all is read: its own program is in the session.
    assert code == 2 or b"def last(items)" in written


def test_there_are_folders_of_every_class() -> None:
    assert len(FOLDERS) >= 25
