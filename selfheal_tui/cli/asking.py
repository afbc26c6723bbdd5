"""Asking yes or no at a terminal."""

from __future__ import annotations

import sys

from selfheal_tui.text import strip_controls


def agreed(question: str) -> bool:
    """Ask on stderr; no answer is no."""
    print(strip_controls(question), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
