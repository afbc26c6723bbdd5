"""Notifications of the desktop: only where the terminal is known to show them, and nothing foreign gets into one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfheal_tui.ui.kit.desktop import Way, notification, way_of


@pytest.mark.parametrize(
    ("environ", "way"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM_PROGRAM": "WezTerm", "TERM": "xterm-256color"}, "osc777"),
        ({"TERM": "xterm-ghostty"}, "osc777"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"}, "osc99"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM_PROGRAM": "Apple_Terminal"}, None),
        ({"TERM_PROGRAM": "vscode"}, None),
        ({"TERM": "xterm-kitty", "STY": "1.pts"}, None),
        ({}, None),
    ],
)
def test_a_way_is_taken_where_the_terminal_is_known(environ: dict[str, str], way: Way | None) -> None:
    assert way_of("auto", environ) == (None if way is None else (way, False))


def test_the_setting_turns_it_off_or_forces_a_way() -> None:
    assert way_of("off", {"TERM": "xterm-kitty"}) is None
    assert way_of("osc9", {"TERM": "dumb"}) == ("osc9", False)


@pytest.mark.parametrize(
    ("allowed", "terminal", "way"),
    [
        ("on", "ghostty 1.2.0\txterm-ghostty", ("osc777", True)),
        ("all", "\txterm-kitty", ("osc99", True)),
        ("on", "iTerm2 3.5.4\txterm-256color", ("osc9", True)),
        ("on", "\txterm-256color", None),
        ("off", "kitty(0.35)\txterm-kitty", None),
        ("", "kitty(0.35)\txterm-kitty", None),
    ],
)
def test_tmux_is_asked_what_it_lets_through_and_to_which_terminal(
    allowed: str, terminal: str, way: tuple[Way, bool] | None, tmp_path: Path
) -> None:
    tmux = tmp_path / "tmux"
    tmux.write_text(f"#!/bin/sh\ncase $1 in show-options) echo '{allowed}';; *) printf '%s\\n' '{terminal}';; esac\n")
    tmux.chmod(0o755)
    # What the shell inherited may be of another terminal: tmux was started there.
    environ = {"TMUX": "x", "PATH": f"{tmp_path}{os.pathsep}/usr/bin:/bin", "KITTY_WINDOW_ID": "9"}
    assert way_of("auto", environ) == way


@pytest.mark.parametrize("way", ["osc9", "osc777", "osc99"])
@pytest.mark.parametrize("in_tmux", [False, True])
def test_no_control_character_of_a_title_gets_into_the_sequence(way: Way, in_tmux: bool) -> None:
    plain = notification(way, "selfheal", "a b", in_tmux)
    nasty = notification(way, "selfheal", "a\x1b]0;x\x07 \x9c\x1b\\\nb\x18;\u202e", in_tmux)
    controls = [letter for letter in plain if not letter.isprintable()]
    assert [letter for letter in nasty if not letter.isprintable()] == controls
    if way == "osc777":
        assert nasty.count(";") == plain.count(";"), "it cannot begin another field"


def test_each_way_is_what_its_terminal_says_it_is() -> None:
    assert notification("osc9", "selfheal", "it waits") == "\x1b]9;selfheal: it waits\x07"
    assert notification("osc777", "selfheal", "it waits") == "\x1b]777;notify;selfheal;it waits\x07"
    assert notification("osc99", "t", "b") == "\x1b]99;i=selfheal:d=0;t\x1b\\\x1b]99;i=selfheal:p=body;b\x1b\\"
    assert notification("osc9", "t", "b", in_tmux=True) == "\x1bPtmux;\x1b\x1b]9;t: b\x07\x1b\\"
