"""Write every page that is made from the code: `python docs/reference.py`, or `make docs`.

Each of these pages has a script of its own beside it, with `PAGE` and `page()`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

SCRIPTS = ("commands", "all_settings", "keys", "exit_codes", "json_shapes", "events", "operators")


def scripts() -> list[ModuleType]:
    """Return the scripts of the pages."""
    folder = str(Path(__file__).resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    return [importlib.import_module(name) for name in SCRIPTS]


def outdated() -> list[str]:
    """Return the pages that are not what their scripts would write."""
    return [one.PAGE.name for one in scripts() if not one.PAGE.is_file() or one.PAGE.read_text("utf-8") != one.page()]


if __name__ == "__main__":
    for script in scripts():
        script.PAGE.write_text(script.page(), "utf-8")
