"""Notifications of the desktop, shown by the terminal: which way a terminal knows, and the sequence that asks for one.

OSC 9 is iTerm2's, OSC 777 is rxvt-unicode's (ghostty, WezTerm and foot know it too), OSC 99 is kitty's "desktop
notifications". A terminal that knows none would at best do nothing, so where it is unknown nothing is sent.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Literal, get_args

from selfheal_tui.text import one_line

Way = Literal["osc9", "osc777", "osc99"]

_BY_PROGRAM: Mapping[str, Way] = {
    "iTerm.app": "osc9",
    "iTerm2": "osc9",
    "WezTerm": "osc777",
    "ghostty": "osc777",
    "WarpTerminal": "osc777",
    "foot": "osc777",
    "kitty": "osc99",
}
"""TERM_PROGRAM, LC_TERMINAL, or the name that a terminal tells tmux -> its way."""
_BY_TERM: Mapping[str, Way] = {
    "xterm-kitty": "osc99",
    "xterm-ghostty": "osc777",
    "foot": "osc777",
    "foot-extra": "osc777",
}
_LONGEST_S = 1.0
_END = "\x1b\\"
MOST_TITLE, MOST_BODY = 60, 200


def way_of(wanted: str, environ: Mapping[str, str]) -> tuple[Way, bool] | None:
    """Return how this terminal shows a notification, and whether through tmux; None where it is not known to.

    `wanted` is the setting `notify`. Inside of tmux it is asked whether it lets the sequence through, and to which
    terminal: that blocks for a moment.
    """
    if wanted == "off":
        return None
    in_tmux = bool(environ.get("TMUX"))
    if in_tmux and not _passes_through(environ):
        return None
    if wanted in get_args(Way):
        return wanted, in_tmux  # type: ignore[return-value]
    if environ.get("STY"):
        return None  # GNU screen swallows it
    way = _way_around_tmux(environ) if in_tmux else _way_here(environ)
    return (way, in_tmux) if way is not None else None


def notification(way: Way, title: str, body: str, in_tmux: bool = False) -> str:
    """Return the sequence that shows a notification; foreign text in it is made safe."""
    title, body = one_line(title, MOST_TITLE), one_line(body, MOST_BODY)
    if way == "osc9":
        # Words first: a number would be an order to terminals that go by ConEmu.
        text = f"\x1b]9;{title}: {body}\x07"
    elif way == "osc777":
        text = f"\x1b]777;notify;{title.replace(';', ',')};{body.replace(';', ',')}\x07"
    else:
        text = f"\x1b]99;i=selfheal:d=0;{title}{_END}\x1b]99;i=selfheal:p=body;{body}{_END}"
    return "\x1bPtmux;" + text.replace("\x1b", "\x1b\x1b") + _END if in_tmux else text


def _way_here(environ: Mapping[str, str]) -> Way | None:
    if environ.get("KITTY_WINDOW_ID"):
        return "osc99"
    for name in ("TERM_PROGRAM", "LC_TERMINAL"):
        if way := _BY_PROGRAM.get(environ.get(name, "")):
            return way
    return _BY_TERM.get(environ.get("TERM", ""))


def _passes_through(environ: Mapping[str, str]) -> bool:
    return _tmux(environ, "show-options", "-Apv", "allow-passthrough") in ("on", "all")


def _way_around_tmux(environ: Mapping[str, str]) -> Way | None:
    """Return the way of the terminal that tmux is in, by what that told tmux of itself; variables may be of another."""
    name, _, term = _tmux(environ, "display-message", "-p", "#{client_termtype}\t#{client_termname}").partition("\t")
    program = name.partition(" ")[0].partition("(")[0]
    return _BY_PROGRAM.get(program) or _BY_TERM.get(term)


def _tmux(environ: Mapping[str, str], *words: str) -> str:
    """Return what tmux says; empty where it says nothing."""
    try:
        said = subprocess.run(
            ["tmux", *words],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.decode("utf-8", "replace").rstrip("\n")
