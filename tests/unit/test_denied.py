"""What the sandbox denied is said: files elsewhere, files that were not copied, the network; nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.engine.suites.denied import denied_words
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
        (f"{NO_FILE}'/box/run/work/data/pic.png'", "opens data/pic.png, which was not copied: it is no text"),
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
