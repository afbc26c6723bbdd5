"""The few text functions that everything shares: making foreign text safe, cutting it, counting words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|$)"  # OSC, DCS, SOS, PM, APC up to their end
    r"|\x1b[ -/]*[0-~]",  # two-character escapes
    re.DOTALL,
)
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def strip_controls(text: str) -> str:
    """Remove escape sequences and make what could move a cursor, reorder or hide text visible.

    Newlines and tabs stay; other control characters, bidi overrides and lone surrogates become U+FFFD.
    """
    plain = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "".join(
        c if c in "\n\t" or (unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") and c not in _BIDI) else "\ufffd"
        for c in plain
    )


def one_line(text: str, limit: int = 200) -> str:
    """Return the text as one safe line of at most `limit` characters."""
    line = " ".join(strip_controls(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def truncate_middle(text: str, limit: int) -> str:
    """Keep head and tail of a text longer than `limit` characters and say how much was left out."""
    if len(text) <= limit:
        return text
    half = max(1, (limit - 40) // 2)
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def plural(count: int, noun: str, many: str = "") -> str:
    """Return `1 case`, `2 cases`; `many` where the plural is irregular."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def ranges(lines: Sequence[int]) -> str:
    """Return ascending line numbers in short: `3-5, 9`."""
    parts: list[list[int]] = []
    for line in lines:
        if parts and line == parts[-1][-1] + 1:
            parts[-1][1:] = [line]
        else:
            parts.append([line])
    return ", ".join("-".join(map(str, part)) for part in parts)
