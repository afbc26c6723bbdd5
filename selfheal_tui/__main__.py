"""Entry point of the `selfheal` command and of `python -m selfheal_tui`."""

from __future__ import annotations

import io
import sys
import traceback

from selfheal_tui.cli import main as run_command

_SOFTWARE_ERROR = 70
"""EX_SOFTWARE of BSD's sysexits(3)."""


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run_command(sys.argv[1:])
    except Exception:
        # A bug: printed in full, with its own exit code, so that a script cannot mistake it for "ended unhealed".
        traceback.print_exc()
        code = _SOFTWARE_ERROR
    sys.exit(code)


if __name__ == "__main__":
    main()
