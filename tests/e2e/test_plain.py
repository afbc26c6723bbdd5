"""`--plain` in a real terminal and in a pipe: lines only, the same decisions as in the app; NO_COLOR in a terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.e2e.terminal import ROOT, SELFHEAL, Terminal, open_terminal
from tests.engine.driving import BUGGY, FIXED, TESTS

_COLOUR = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3\d|4\d|9\d|10\d)(?:;[\d;]*)?m")


def answer(terminal: Terminal, prompt: str, line: str) -> str:
    """Wait for a prompt, type a line; return what stood before the prompt."""
    terminal.wait_for(prompt)
    before, terminal.painted = terminal.painted, ""
    terminal.press(f"{line}\r")
    return before


def project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    return folder


def test_a_program_is_healed_by_typed_lines_and_written_after_a_yes(tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    words = ["fix", str(shop), "--plain", "--sessions", str(tmp_path / "sessions")]
    with open_terminal(words, tmp_path) as terminal:
        terminal.press("approve\rapprove\rapprove\r")  # typed ahead: nobody has read a question yet
        seen = answer(terminal, "Your answer: ", "help")
        assert "Question: A diagnosis waits for your decision." in seen and "1. approve: what is shown" in seen
        seen += answer(terminal, "Your answer: ", "1")
        seen += answer(terminal, "Your answer: ", "reject")
        assert "Question: A repair waits for your decision" in seen
        assert "+    return amount - discount" in seen
        seen += answer(terminal, "Why not? ", "")
        seen += answer(terminal, "Your answer: ", "approve")
        assert "Nothing was done." in seen
        seen += answer(terminal, "Your answer: ", "undo")
        assert "healed: Both cases pass after 1 repair." in seen
        seen += answer(terminal, "Your answer: ", "a")
        assert "Undid your approval of the repair." in seen
        seen += answer(terminal, "Your answer: ", "write")
        assert (shop / "shop.py").read_text() == BUGGY
        seen += answer(terminal, "Type yes to do it: ", "yes")
        seen += answer(terminal, "Your answer: ", "undo")
        asked = answer(terminal, "Your answer: ", "approve")
        assert "Your files keep what was written. To put back what was there:" in asked
        seen += asked + answer(terminal, "Your answer: ", "quit")
        assert terminal.end() == 0
        seen += terminal.painted
    assert (shop / "shop.py").read_text() == FIXED
    assert "\x1b" not in seen and not re.search("[─-╿]", seen), "no cursor addressing, no boxes"


def test_a_pipe_answers_too_and_its_end_leaves_the_question(tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    ran = subprocess.run(
        [*SELFHEAL, "fix", str(shop), "--sessions", str(tmp_path / "sessions")],
        input="approve\naprove\n",
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "SELFHEAL_PLAIN": "yes", "HOME": str(tmp_path)},
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert "diagnosis: approved by you" in ran.stdout and "Question: A repair waits" in ran.stdout
    assert "Not done: There is no choice 'aprove'. Did you mean approve?" in ran.stdout
    assert re.search(r"To go on: selfheal resume \S+ --sessions \S+ --plain", ran.stdout)


def test_with_no_color_a_terminal_gets_no_colour_and_one_that_knows_them_gets_a_notification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM_PROGRAM", "ghostty")
    for name in ("TMUX", "STY", "KITTY_WINDOW_ID"):
        monkeypatch.delenv(name, raising=False)
    with open_terminal(["demo", "--sessions", str(tmp_path / "sessions")], tmp_path) as terminal:
        terminal.wait_for("\x1b[?1004h")
        terminal.press("\x1b[O")  # the window loses the focus
        terminal.wait_for("\x1b]777;notify;selfheal;Merge overlapping intervals: diagnosis waits for you\x07")
        terminal.wait_for("Your decision")
        assert "\x07" in terminal.painted.replace("for you\x07", ""), "the bell rings beside it"
        terminal.press("q")
        terminal.end()
        assert not _COLOUR.search(terminal.painted), _COLOUR.search(terminal.painted)
        assert "\x1b[1" in terminal.painted, "bold is no colour"


ASKING = """
import json, sys
told = json.load(sys.stdin)
open(sys.argv[1], "a").write(f"{told['session']} {told['checkpoint']} approve\\n")
"""
"""Stands for a push service and a thumb: what is asked comes back as an answer."""


def script_of_the_page(heading: str) -> str:
    """Return the first script below some words of docs/hooks.md."""
    page = (ROOT / "docs" / "hooks.md").read_text("utf-8")
    return page.partition(heading)[2].partition("```python\n")[2].partition("```")[0]


def test_the_documented_answers_heal_a_program_from_elsewhere(tmp_path: Path) -> None:
    shop, folder = project(tmp_path / "shop"), tmp_path / "config" / "selfheal"
    folder.mkdir(parents=True)
    (tmp_path / "selfheal").write_text(f'#!/bin/sh\nexec {sys.executable} -m selfheal_tui "$@"\n')
    (tmp_path / "selfheal").chmod(0o755)
    (tmp_path / "ask.py").write_text(ASKING)
    (tmp_path / "answers.py").write_text(script_of_the_page("`~/bin/answers` reads lines"))
    for topic in ("topic", "ended"):
        os.mkfifo(tmp_path / topic)
    ended = f"{sys.executable} -c \"open('{tmp_path}/ended', 'w').write('yes')\""
    hooks = {"review_asked": f"{sys.executable} {tmp_path}/ask.py {tmp_path}/topic", "healed": ended}
    (folder / "selfheal.yaml").write_text(json.dumps({"hooks": hooks, "sessions": str(tmp_path / "sessions")}))
    environ = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PYTHONPATH": str(ROOT),
    }
    # Opened for both ways, as a service that stays there: the end of one message is not the end of all.
    with (tmp_path / "topic").open("r+b", buffering=0) as topic:
        words = [sys.executable, str(tmp_path / "answers.py")]
        with subprocess.Popen(words, stdin=topic, env=environ, cwd=tmp_path, stdout=subprocess.DEVNULL) as answers:
            run = [*SELFHEAL, "fix", str(shop), "--headless"]
            ran = subprocess.run(
                run, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=120, check=False
            )
            assert ran.returncode == 3 and "selfheal: The hook" not in ran.stderr, ran.stderr
            told = subprocess.run(["cat", tmp_path / "ended"], capture_output=True, timeout=60, check=True).stdout
            answers.terminate()
    assert told == b"yes"


def test_an_answer_that_comes_once_more_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sessions = str(tmp_path / "sessions")
    assert main(["fix", str(project(tmp_path / "shop")), "--json", "--sessions", sessions]) == 3
    asked = json.loads(capsys.readouterr().out)
    once = ["--at", asked["checkpoint_id"], "--once", "--sessions", sessions]
    assert main(["sessions", "decide", asked["session_id"], "approve", *once]) == 3
    assert main(["sessions", "decide", asked["session_id"], "approve", *once]) == 2
    assert "That question was answered already: nothing was decided." in capsys.readouterr().err
