"""What the sandbox denied is said: files elsewhere, files that were not copied, the network; nothing else is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.engine.task.denied import denied_words
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.sandbox.base import SuiteReport

NO_FILE = "FileNotFoundError: [Errno 2] No such file or directory: "


def report(*messages: str, outcome: str = "failed", traceback: str = "") -> SuiteReport:
    cases = [
        dict[str, Any](id=f"t.py::test_{number}", outcome=outcome, message=message, traceback=traceback)
        for number, message in enumerate(messages)
    ]
    return cast(SuiteReport, {"cases": cases})


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (f"{NO_FILE}'/proc/stat'", "opens /proc/stat, which is not shown in the sandbox."),
        (
            f"{NO_FILE}'HERE/elsewhere.txt'",
            "elsewhere.txt, which is not shown in the sandbox; to show it: --allow-read HERE/elsewhere.txt.",
        ),
        (f"{NO_FILE}'/box/run/work/data/pic.png'", "opens data/pic.png, which was not copied: only the program, its"),
        (f"{NO_FILE}'data/pic.png'", "opens data/pic.png, which was not copied"),
        ("OSError: [Errno 30] Read-only file system: '/usr/x'", "uses /usr/x: in the sandbox only the folder"),
        ("URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", "needs the network"),
        (
            "PermissionError: [Errno 13] Permission denied: 'HERE/elsewhere.txt'",
            "; to let tests read it: --allow-read HERE/e",
        ),
        ("PermissionError: [Errno 1] Operation not permitted", "was refused a system call"),
    ],
)
def test_what_was_denied_is_said(tmp_path: Path, message: str, words: str) -> None:
    (tmp_path / "elsewhere.txt").touch()
    (tmp_path / "root" / "data").mkdir(parents=True)
    (tmp_path / "root" / "data" / "pic.png").touch()
    (told,) = denied_words(report(message.replace("HERE", str(tmp_path))), ["t.py"], str(tmp_path / "root"))
    assert told.startswith("t.py::test_0 ") and words.replace("HERE", str(tmp_path)) in told


@pytest.mark.parametrize(
    "message",
    [
        "assert 1 == 2",
        f"{NO_FILE}'/no/such/file'",
        f"{NO_FILE}'data/none.png'",
        f"{NO_FILE}'../../etc/passwd'",
        f"{NO_FILE}'t.py'",
        "PermissionError: of the program's own",
    ],
)
def test_a_failure_of_the_program_is_not_laid_to_the_sandbox(tmp_path: Path, message: str) -> None:
    (tmp_path / "t.py").touch()
    assert denied_words(report(message), ["t.py"], str(tmp_path)) == []


REASONS = {
    "NOTES.md": (b"half", False, "only the program, its tests and what they import are; selfheal fix "),
    "pic.png": (b"\0", False, "only the program, its tests and what they import are; selfheal fix "),
    ".env": (b"a", True, "it is hidden."),
    ".tox/log.txt": (b"a", True, "it is hidden."),
    "build/data.txt": (b"a", True, "build/ is left out, as generated and installed folders are."),
    "secret.txt": (b"a", True, "git ignores it."),
    "logs/one.txt": (b"a", True, "git ignores it."),
    "large.bin": (b"\0" * 4_100_000, True, "it is over 4 MB."),
    "third.bin": (b"\0" * 2_500_000, True, "it is data, and with the smaller ones that is over 4 MB."),
    "later.txt": (b"a", True, "it was not there when the files were copied."),
}
"""File -> its bytes, whether the whole folder is copied, and the reason that is told."""


@pytest.mark.parametrize("name", REASONS)
def test_why_a_file_was_not_copied_is_true(tmp_path: Path, name: str) -> None:
    content, is_whole, reason = REASONS[name]
    root = tmp_path / "project"
    (root / name).parent.mkdir(parents=True)
    (root / "calc.py").write_text("def half(n):\n    return n\n")
    (root / "test_calc.py").write_text("from calc import half\n\n\ndef test_half():\n    assert half(4) == 2\n")
    (root / "README.md").write_text("half\n")
    if name == "third.bin":
        (root / "first.bin").write_bytes(b"\0" * 2_000_000)
    if "git" in reason:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        (root / ".gitignore").write_text("secret.txt\nlogs/\n")
    if "later" not in name:
        (root / name).write_bytes(content)
    task = load_task([root if is_whole else root / "calc.py"])
    (root / name).write_bytes(content)
    assert name not in task.files
    (told,) = denied_words(report(f"{NO_FILE}'/box/run/work/{name}'"), task.files, task.root)
    assert f"opens {name}, which was not copied: {reason}" in told


def test_one_sentence_for_each_thing_and_not_too_many() -> None:
    network = "ConnectionRefusedError: [Errno 111] Connection refused"
    assert denied_words(report(network, network), [], None) == [
        "t.py::test_0, like 1 other case, needs the network, which the sandbox does not have; "
        "to allow it: --allow-network."
    ]
    told = denied_words(report(*(f"OSError: [Errno 30] Read-only: '/usr/{n}'" for n in range(9))), [], None)
    assert len(told) == 5 and told[-1] == "The sandbox denied 5 more such things."
    assert denied_words(report(network, outcome="passed"), [], None) == []
    assert denied_words({**report(network), "isolation": ["network allowed"]}, [], None) == []
