"""Which isolation is chosen on machines that allow less: made here by a system-call filter over the whole command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux's calls")

LESS = """
import ctypes, os, runpy, struct, sys
from selfheal_tui.sandbox.inside import libc, seccomp
from selfheal_tui.sandbox.inside.syscalls import HARMLESS, JUDGED, SETUP
numbers = {**HARMLESS, **JUDGED, **SETUP}
NEW = 0x7E020000
EPERM, ENOSYS = 0x50001, 0x50026
steps = [(0x20, 0, 0, 0)]
for name in sys.argv[1].split(","):
    steps += [(0x15, 0, 1, numbers[name]), (0x06, 0, 0, ENOSYS if name == "landlock_create_ruleset" else EPERM)]
steps += [(0x15, 0, 1, numbers["clone3"]), (0x06, 0, 0, ENOSYS)]
steps += [(0x15, 0, 3, numbers["clone"]), (0x20, 0, 0, 16), (0x45, 0, 1, NEW), (0x06, 0, 0, EPERM)]
steps += [(0x06, 0, 0, 0x7FFF0000)]
libc.forbid_new_privileges()
seccomp.load(b"".join(struct.pack("HBBI", *step) for step in steps), 0)
sys.argv = ["selfheal", *sys.argv[2:]]
runpy.run_module("selfheal_tui", run_name="__main__")
"""
CONTAINER = "unshare,mount,setns,pivot_root,umount2"
"""What docker's default profile refuses."""
NOTHING = CONTAINER + ",landlock_create_ruleset"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "prog.py").write_text("def f(x):\n    return x + 1\n")
    (tmp_path / "test_prog.py").write_text("from prog import f\n\ndef test_f():\n    assert f(1) == 2\n")
    return tmp_path


def selfheal(denied: str, project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LESS, denied, *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)


def test_in_a_default_container_landlock_holds(project: Path) -> None:
    done = selfheal(CONTAINER, project, "run-tests", "prog.py", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["isolation"][:2] == ["landlock", "seccomp"]
    assert report["trust"] == "verified"


def test_the_doctor_says_why_the_stronger_tier_does_not_hold(project: Path) -> None:
    done = selfheal(CONTAINER, project, "doctor")
    assert "tier namespaces: user namespace: unshare: Operation not permitted" in done.stdout
    assert done.returncode == 0


def test_without_isolation_it_is_refused_with_a_remedy(project: Path) -> None:
    done = selfheal(NOTHING, project, "run-tests", "prog.py", "--json")
    assert done.returncode == 5 and json.loads(done.stdout)["exit_code"] == 5
    assert "No sandbox with the required isolation works here" in done.stderr
    assert "--allow-unsandboxed" in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_user_may_insist(project: Path) -> None:
    done = selfheal(NOTHING, project, "run-tests", "prog.py", "--json", "--allow-unsandboxed")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["isolation"] == ["UNSANDBOXED"]
