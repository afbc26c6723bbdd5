"""Counts the tokens of the standard library of this Python: `python -m selfheal_tui.search.weigh.read_library`.

Prints what `token_trigrams.txt` holds. The kept file is that of Python 3.11, so every Python ranks repairs alike.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from .naturalness import count_trigrams, counts_text, lines_of

_SMALLEST_BYTES, _LARGEST_BYTES = 4_000, 70_000


def library_counts() -> str:
    """Return the counts of the standard library's modules, as `counts_text` writes them."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(f for f in folder.glob("[a-z]*.py") if _SMALLEST_BYTES < f.stat().st_size < _LARGEST_BYTES)
    return counts_text(count_trigrams(line for file in files for line in lines_of(_text_of(file))))


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


if __name__ == "__main__":
    sys.stdout.write(library_counts())
