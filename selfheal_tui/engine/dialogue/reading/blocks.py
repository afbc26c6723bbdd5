"""Read search/replace blocks from a reply in text: the way to write edits for models that write no JSON.

    shop.py
    <<<<<<< SEARCH
        return amount + discount
    =======
        return amount - discount
    >>>>>>> REPLACE

The path stands on the line before, or on the line of a Markdown fence around the block; a block without one is of the
same file as the block before it, and the first of an unnamed file. Code is taken as it stands.
"""

from __future__ import annotations

import re
from typing import Any

from .fields import Schema, items_of, kind_of, properties_of, required_of
from .marks import CUT, Damaged

_OPENS = re.compile(r"[ \t]*<{5,9} ?(?:SEARCH|ORIGINAL|FIND|HEAD)?[ \t]*\r?")
_PARTS = re.compile(r"[ \t]*={5,9}[ \t]*\r?")
_CLOSES = re.compile(r"[ \t]*>{5,9} ?(?:REPLACE|UPDATED|PUT)?[ \t]*\r?")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^`\n]*)")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.\w+")
_AROUND = "#*`:\"' \t\r"
_MOST_BLOCKS = 200


def read_blocks(text: str, schema: Schema) -> dict[str, Any] | None:
    """Return the object that the blocks of a reply make; None when it has none, or the schema asks for no edits.

    A block that does not end gives a damaged value, which is refused: the reply may have been cut.
    """
    name = edits_field(schema)
    edits = _blocks(text) if name and "<<<<<" in text else []
    if not name or not edits:
        return None
    value: dict[str, Any] = {name: edits}
    words = _prose(text)
    for field in required_of(schema):
        sub = properties_of(schema).get(field, {})
        if kind_of(field, sub) == "prose" and words:
            value[field] = words
    return value


def edits_field(schema: Schema) -> str:
    """Return the name of the list of edits that a schema asks for; empty for none."""
    for name in required_of(schema):
        items = items_of(properties_of(schema).get(name, {}))
        if {"find", "replace"} <= set(properties_of(items)):
            return name
    return ""


def _blocks(text: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    lines = text.split("\n")
    path, index = "", 0
    while index < len(lines) and len(blocks) < _MOST_BLOCKS:
        if not _OPENS.fullmatch(lines[index]):
            index += 1
            continue
        path = _path_before(lines, index) or path
        middle = _next(lines, index + 1, _PARTS)
        end = _next(lines, middle + 1, _CLOSES)
        if end == len(lines):
            blocks.append({"path": path, "find": _joined(lines, index + 1, middle), "replace": Damaged("", CUT)})
            break
        # A line of equals signs in the code itself: which of them parts the block cannot be told.
        doubtful = _next(lines, middle + 1, _PARTS) < end or _next(lines, index + 1, _OPENS) < end
        new: Any = Damaged("", "holds another line of marks") if doubtful else _joined(lines, middle + 1, end)
        blocks.append({"path": path, "find": _joined(lines, index + 1, middle), "replace": new})
        index = end + 1
    return blocks


def _next(lines: list[str], start: int, mark: re.Pattern[str]) -> int:
    """Return the index of the next line that is such a mark; the number of lines for none."""
    return next((at for at in range(start, len(lines)) if mark.fullmatch(lines[at])), len(lines))


def _joined(lines: list[str], start: int, end: int) -> str:
    return "".join(f"{line}\n" for line in lines[start:end])


def _path_before(lines: list[str], index: int) -> str:
    """Return the path on one of the two lines above, or on the fence's own line."""
    above = [line for line in lines[max(0, index - 3) : index] if line.strip()][-2:]
    for line in reversed(above):
        fence = _FENCE.fullmatch(line.rstrip("\r"))
        words = (fence[1] if fence else line).strip(_AROUND).split()
        paths = [word.strip(_AROUND) for word in words if _PATH.fullmatch(word.strip(_AROUND))]
        if len(paths) == 1 and (fence or len(words) <= 4):
            return paths[0]
        if not fence:
            break
    return ""


def _prose(text: str) -> str:
    """Return the first paragraph before the first block that is more than a path or a fence."""
    before: list[str] = []
    for line in text.split("\n"):
        if _OPENS.fullmatch(line):
            break
        before.append("" if _FENCE.fullmatch(line) or _PATH.fullmatch(line.strip(_AROUND)) else line.strip())
    paragraphs = re.split(r"\n{2,}", "\n".join(before))
    return next((" ".join(words.split()) for words in paragraphs if words.strip()), "")
