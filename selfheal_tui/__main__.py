"""Entry point of the `selfheal` command and of `python -m selfheal_tui`."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from typing import Any

from selfheal_tui.cli import BUG, CANCELLED
from selfheal_tui.cli import main as run_command


def main() -> None:
    """Run the command line and exit with its code; SIGTERM and SIGHUP end it as Ctrl-C does, with 143 and 129."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    ended_by = _interrupt_on_end()
    if "_ARGCOMPLETE" in os.environ:
        from selfheal_tui.cli.completion import answer_shell

        answer_shell()
    try:
        code = run_command(sys.argv[1:])
    except Exception:
        traceback.print_exc()
        code = BUG
    sys.exit(128 + ended_by[0] if ended_by and code == CANCELLED else code)


def _interrupt_on_end() -> list[int]:
    """Return a list that will name the signal that ended the command; one that is ignored, as by nohup, stays so."""
    ended_by: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        ended_by.append(number)
        signal.raise_signal(signal.SIGINT)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)
    return ended_by


if __name__ == "__main__":
    main()
