"""Entry point of the `selfheal` command and of `python -m selfheal_tui`.

Imports as little as it can before `main` runs: what is interrupted there ends with a traceback of Python's.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Any

_CANCELLED, _BUG = 130, 70
"""As in `selfheal_tui.cli`, which may be what could not be imported."""


def main() -> None:
    """Run the command line and exit with its code; SIGTERM and SIGHUP end it as Ctrl-C does, with 143 and 129."""
    if sys.stdout is None or sys.stderr is None or sys.stdin is None:
        _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    ended_by = _interrupt_on_end()
    try:
        # Imported here: who presses Ctrl-C meanwhile is answered as later.
        from selfheal_tui.cli import main as run_command

        if "_ARGCOMPLETE" in os.environ:
            from selfheal_tui.cli.completion import answer_shell

            answer_shell()
        code = run_command(sys.argv[1:])
    except KeyboardInterrupt:
        from selfheal_tui.interrupted import tell_interrupted

        code = tell_interrupted(sys.argv[1:])
    except Exception:
        import traceback

        traceback.print_exc()
        code = _BUG
    sys.exit(128 + ended_by[0] if ended_by and code == _CANCELLED else code)


def _open_closed_streams() -> None:
    """Put an empty device where a standard stream was closed, or the next file would take its number.

    Nothing is run when its output cannot go anywhere.
    """
    lacks_output = sys.stdout is None
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    if lacks_output:
        print("selfheal: Standard output is closed. Send it somewhere, as with > /dev/null.", file=sys.stderr)
        from selfheal_tui.errors import InputError

        sys.exit(InputError.exit_code)


def _interrupt_on_end() -> list[int]:
    """Return a list that will name the signal that ended the command; one that is ignored, as by nohup, stays so."""
    ended_by: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        ended_by.append(number)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            # A script's `&` ignores it, for the terminal's Ctrl-C; who sends this means the process.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)
    return ended_by


if __name__ == "__main__":
    main()
