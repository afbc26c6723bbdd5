"""Write docs/exit-codes.md, what each exit code means: `python docs/exit_codes.py`."""

from __future__ import annotations

from pathlib import Path

from fields import table

from selfheal_tui.cli.exit_codes import EXIT_CODES

PAGE = Path(__file__).resolve().parent / "exit-codes.md"
_START = """\
# Exit codes

Written from the program by `python docs/exit_codes.py`. [The command line](command-line.md#exit-codes) tells how
scripts use them, [Versions](versions.md) that they stay as they are."""


def page() -> str:
    """Return the page."""
    rows = [(str(code.number), code.says) for code in EXIT_CODES]
    return f"{_START}\n\n{table(('exit', 'meaning'), rows)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
