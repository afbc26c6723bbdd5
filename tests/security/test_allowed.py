"""What is allowed opens that and no more: in each Linux tier a run reads it, and can neither write nor leave."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.allowance import Allowance
from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.local import LocalSandbox

TESTS = """
import os, socket

FOLDER, PORT = "@FOLDER@", @PORT@

def refused(action, *words):
    try:
        action(*words)
    except OSError:
        return True
    return False

def connect(kind, address, family=socket.AF_UNIX):
    with socket.socket(family, kind) as line:
        line.settimeout(1)
        line.connect(address)

def send_from_pair(address):
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(b"x", address)

def test_reads():
    assert open(FOLDER + "/shown/text").read() == "hello"

def test_network():
    connect(socket.SOCK_STREAM, ("127.0.0.1", PORT), socket.AF_INET)

def test_nothing_is_written():
    assert refused(open, FOLDER + "/shown/text", "w") and refused(open, FOLDER + "/shown/new", "w")
    assert refused(os.unlink, FOLDER + "/shown/text") and refused(os.symlink, "/", FOLDER + "/shown/link")

def test_nothing_beside_it_is_shown():
    assert refused(open, FOLDER + "/secret") and refused(open, FOLDER + "/shown/out")

def test_no_socket_of_others_is_reached():
    for path in (FOLDER + "/shown/door", "\\0selfheal-@PORT@"):
        assert refused(connect, socket.SOCK_STREAM, path) and refused(send_from_pair, path)

def test_no_raw_socket():
    assert refused(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
    assert refused(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
"""


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
async def test_what_is_allowed_opens_no_more(tier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    (shown / "text").write_text("hello")
    (tmp_path / "secret").write_text("secret")
    (shown / "out").symlink_to(tmp_path / "secret")
    with ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        monkeypatch.chdir(shown)
        for address in ("door", f"\0selfheal-{port}"):
            door = stack.enter_context(socket.socket(socket.AF_UNIX))
            door.bind(address)
            door.listen()
        os.chmod("door", 0o777)
        tests = TESTS.replace("@FOLDER@", str(tmp_path)).replace("@PORT@", str(port))
        sandbox = LocalSandbox(tier, allowed=Allowance((str(shown),), network=True))
        try:
            judged = [one async for one in sandbox.judge(Suite({"test_it.py": tests}, ("test_it.py",)), [{}])]
        except SandboxError as error:
            pytest.skip(f"{tier} does not work here: {error.message}")
        finally:
            await sandbox.aclose()
    assert {*judged[0].outcomes.values()} == {"passed"} and len(judged[0].outcomes) == 6, judged
    assert sandbox.isolation[-2:] == ("network allowed", f"reads {shown}")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become nobody")
def test_root_becomes_nobody_only_where_nobody_reaches_what_a_run_needs(tmp_path: Path) -> None:
    closed, text = tmp_path / "closed", tmp_path / "closed" / "text"
    closed.mkdir(mode=0o700)
    text.write_text("hello")
    asks = (
        "from pathlib import Path; from selfheal_tui.sandbox.inside.confine import _open_to_nobody as ask; import sys"
    )
    code = f"{asks}; print(*(ask([path], Path(base)) for path, base in zip(sys.argv[1::2], sys.argv[2::2])))"
    pairs = ["/usr", "/tmp", str(text), "/tmp", "/usr", str(closed)]
    done = subprocess.run([sys.executable, "-c", code, *pairs], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "False", "False"]
