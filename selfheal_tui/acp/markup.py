"""Foreign text in messages, which editors show as Markdown: no control sequence, link, picture or HTML gets through.

Pure. What models and programs wrote is data here as everywhere.
"""

from __future__ import annotations

import re

from acp.helpers import text_block
from acp.schema import TextContentBlock

from selfheal_tui.text import one_line, show_controls, strip_controls, truncate_middle

_MARKS = re.compile(r"([\\`\[\]*]|<(?=[A-Za-z/!?])|~(?=~)|(?<!\w)_|_(?!\w))")
_SPAN = re.compile(r"(`[^`\n]+`)")
_TICKS = re.compile(r"`+")
_LONGEST = 20_000
"""Characters of one block of code or text."""


def prose(text: str, limit: int = 0) -> str:
    """Return foreign prose as Markdown that reads as it was written; on one line of `limit` characters, if given."""
    safe = one_line(text, limit) if limit else truncate_middle(strip_controls(text), _LONGEST)
    # Code that was written as such stays; every other backtick is escaped, so no other span can begin.
    return "".join(part if _SPAN.fullmatch(part) else _MARKS.sub(r"\\\1", part) for part in _SPAN.split(safe))


def code(text: str, limit: int = 200) -> str:
    """Return foreign text as code within a line."""
    line = one_line(text, limit).replace("`", "'")
    return f"`{line}`" if line else ""


def block(text: str, language: str = "") -> str:
    """Return foreign text as a block of code; no row of backticks in it ends the block."""
    safe = truncate_middle(show_controls(text), _LONGEST).rstrip("\n")
    longest = max((len(ticks) for ticks in _TICKS.findall(safe)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{safe}\n{fence}"


def text_content(markdown: str) -> TextContentBlock:
    """Return a block of text for a message."""
    return text_block(markdown)
