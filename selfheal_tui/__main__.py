"""Entry point of the `selfheal` command and of `python -m selfheal_tui`."""

from __future__ import annotations

import io
import sys

from selfheal_tui.cli import main as run_command


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
