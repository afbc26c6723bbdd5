"""Trying and taking hunks from the command line: what is printed, how it exits, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script

NOISY = FIXED.replace('"""Sum the prices, less the discount."""', '"""Sums up."""')


class Shell:
    """A session at its first repair, and its commands."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.capsys = home, capsys
        (home / "shop.py").write_text(BUGGY)
        (home / "test_shop.py").write_text(TESTS)
        model = script(
            home / "m.yaml",
            {"role": "debugger", "reply": DIAGNOSIS},
            {"role": "repairer", "reply": repair_reply(NOISY)},
        )
        self("fix", str(home / "shop.py"), "--model", model, "--headless", "--debug-steps", "0")
        self.session = next(path.name for path in (home / "runs").iterdir() if path.is_dir())
        self("sessions", "decide", self.session, "approve")

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        code = main([*argv, "--sessions", str(self.home / "runs")])
        return code, *self.capsys.readouterr()

    def tries(self, *argv: str) -> tuple[int, str, str]:
        return self("sessions", "try", self.session, *argv)

    def decides(self, *argv: str) -> tuple[int, str, str]:
        return self("sessions", "decide", self.session, *argv)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def test_a_try_prints_what_came_of_it_and_moves_nothing(shell: Shell) -> None:
    before = shell("sessions", "show", shell.session, "--json")[1]
    assert shell.tries("print('hi')\ntotal([5], 2)")[:2] == (0, "hi\n7\n")
    assert shell.tries("total([5], 2)", "--pick", "1")[:2] == (0, "3\n")
    code, out, _ = shell.tries("total(1)")
    assert code == 1 and out.splitlines()[-1].startswith("TypeError")
    code, out, _ = shell.tries("test_discount", "--pick", "1", "--json")
    tried: dict[str, Any] = json.loads(out)
    assert (code, tried["outcome"], tried["of"], tried["kind"]) == (0, "passed", "repair 1", "case")
    assert shell("sessions", "show", shell.session, "--json")[1] == before
    assert shell.tries("1", "--pick", "9")[0] == 2 and shell.tries(" ")[0] == 2


def test_some_hunks_are_taken(shell: Shell) -> None:
    code, out, err = shell.decides("edit", "--pick", "1", "--hunks", "2", "--json")
    result = json.loads(out)
    assert (code, result["outcome"]) == (0, "healed"), err
    assert result["files"]["shop.py"] == FIXED


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("approve", "--hunks", "1"), "--hunks belongs to edit"),
        (("edit", "--hunks", "1", "--answer", "3"), "one only"),
        (("edit", "--hunks", "one"), "names no hunks"),
        (("edit", "--pick", "1", "--hunks", "1,2"), "all the hunks"),
        (("reject", "--note", "no", "--pick", "1"), "--pick belongs to approve or edit"),
    ],
)
def test_what_cannot_be_taken_is_refused(shell: Shell, argv: tuple[str, ...], says: str) -> None:
    code, out, err = shell.decides(*argv)
    assert (code, out) == (2, "") and says in err


def test_the_question_numbers_its_hunks(shell: Shell) -> None:
    _, out, _ = shell("resume", shell.session, "--json")
    proposed = json.loads(out)["review"]["evidence"]["candidates"]["1"]
    assert [(hunk["number"], hunk["path"], hunk["line"]) for hunk in proposed["hunks"]] == [
        (1, "shop.py", 2),
        (2, "shop.py", 6),
    ]
