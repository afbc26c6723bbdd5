"""Read one string of broken JSON: where it ends, and what its escapes mean, when quotes alone do not tell.

A string of code is settled only when exactly one reading of it is Python; else it comes back `Damaged`.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from .cursor import Cursor
from .fields import Kind
from .marks import CUT, Damaged
from .python_text import is_python, plausible_ends
from .strings import Quote, decode_json, decode_python, decoders, next_closer

_MAX_READINGS = 4
_UNCLEAR_END = "holds quotes that are not escaped, so where it ends is unclear"
_UNCLEAR_ESCAPES = "holds wrong escapes, so what it says is unclear"
_NO_NAME = "is no name on one line"
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_STRAY = "\"'`, "


def read_escaped(cursor: Cursor, quote: Quote, kind: Kind) -> str | Damaged:
    """Read a string up to the first quote that is not escaped; stop the cursor where that cannot be its end."""
    start = cursor.at
    end = next_closer(quote, cursor.text, start, cursor.limit)
    body = cursor.text[start:end]
    if end >= cursor.limit:
        return _cut(cursor, body, kind)
    cursor.at = end + len(quote.closer)
    nothing_follows = not cursor.peek()
    if not cursor.value_goes_on():
        cursor.stopped = True
    if quote.closer not in ('"', "'"):
        cursor.overlook("unusual quotes")
    elif "\n" in body:
        cursor.overlook("bare line breaks")
    if kind != "code":
        return _words(cursor, body, kind)
    ways, broken = decoders(body, quote, cursor.python)
    texts = list(dict.fromkeys(decode(body) for decode in ways))
    if broken:
        cursor.overlook("wrong escapes")
    if cursor.frames[-1].may_hold_python and (broken or nothing_follows or len(texts) > 1):
        texts = [text for text in texts if text and is_python(text)]
    if len(texts) != 1:
        return cursor.mark("", _UNCLEAR_ESCAPES if broken or texts else CUT)
    if cursor.frames[-1].may_hold_python:
        cursor.programs.append(texts[0])
    return texts[0]


def read_unescaped(cursor: Cursor, quote: Quote, kind: Kind) -> str | Damaged:
    """Read a string whose own quotes may be not escaped: it ends where what follows can only follow its end."""
    start, end = cursor.at, next_closer(quote, cursor.text, cursor.at, cursor.limit)
    ends: list[int] = []
    first, before = end, -1
    while end < cursor.limit and cursor.looks > 0:
        cursor.looks -= 1
        after = end + len(quote.closer)
        if cursor.can_follow(after, first == end):
            # Of two quotes in a row the second may have been doubled.
            ends += [before, end] if kind == "code" and before + len(quote.closer) == end else [end]
            if kind != "code":
                break
        before, end = end, next_closer(quote, cursor.text, after, cursor.limit)
    if not ends:
        return _cut(cursor, cursor.text[start : cursor.limit], kind)
    if kind != "code":
        cursor.at = ends[0] + len(quote.closer)
        body = cursor.text[start : ends[0]]
        return cursor.mark("", _UNCLEAR_END) if cursor.holds_known_key(body) else _words(cursor, body, kind)
    second = start + len(quote.closer)
    if first == start and next_closer(quote, cursor.text, second, cursor.limit) == ends[-1] >= second:
        # The only quote that is not escaped stands at the very beginning: it was doubled.
        start, ends = second, ends[-1:]
    found = _programs(cursor, start, ends, quote)
    if len(found) != 1 or any(map(cursor.holds_next_item, found)):
        cursor.stopped = True
        return cursor.mark("", _UNCLEAR_END)
    [(text, end)] = found.items()
    cursor.at = end + len(quote.closer) * (1 + (end + len(quote.closer) in ends))
    return text


def _programs(cursor: Cursor, start: int, ends: list[int], quote: Quote) -> dict[str, int]:
    """Return the texts that the string may hold, each with where it ends."""
    python = cursor.frames[-1].may_hold_python
    found: dict[str, int] = {}
    ways, _ = decoders(cursor.text[start : ends[-1]], quote, cursor.python)
    for decode in ways:
        parts = [decode(cursor.text[a:b]) for a, b in pairwise([start, *ends])]
        text, places = "".join(parts), dict(zip(accumulate(map(len, parts)), ends, strict=True))
        for size in (plausible_ends(text, places) if python else list(places))[:_MAX_READINGS]:
            if not python or is_python(text[:size]):
                found[text[:size]] = places[size]
    return found


def _words(cursor: Cursor, body: str, kind: Kind) -> str | Damaged:
    """Return the text of a string that is no code; a name has no quotes and no line breaks in it."""
    text = decode_python(body) if cursor.python else decode_json(body, "", "'")
    if kind != "name":
        return text
    text = text.strip(_STRAY)
    return cursor.mark("", _NO_NAME) if any(sign in text for sign in '"\n\r') else text


def _cut(cursor: Cursor, body: str, kind: Kind) -> Damaged:
    cursor.at = cursor.limit
    text = _words(cursor, _HALF_ESCAPE.sub("", body), kind) if kind == "prose" else ""
    return cursor.mark(text if isinstance(text, str) else "", CUT)
