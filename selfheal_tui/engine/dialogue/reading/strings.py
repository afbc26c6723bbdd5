"""Read one string of broken JSON: which quotes it has, where it ends, what its escapes mean.

A string of code is taken only when exactly one reading of it is Python; else it comes back `Damaged`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from .cursor import Cursor
from .fields import Kind
from .marks import CUT, Damaged
from .python_text import is_python, plausible_ends

_Decoder = Callable[[str], str]

_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON = {"\\": "\\", "'": "'", '"': '"', "\n": "", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON["v"] = "\v"
_JSON_ESCAPE = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PYTHON_ESCAPE = re.compile(
    r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[\w -]{1,80}\}|[0-7]{1,3}|.)", re.DOTALL
)
_OPENED = re.compile(r"([rRuUbB]?)(\"{3}(?!\")|'{3}(?!')|`{3}(?:[\w+-]*[ \t]*\n)?|[\"'`“”„‘’])")
_MAX_READINGS = 4
_UNCLEAR_END = "holds quotes that are not escaped, so where it ends is unclear"
_UNCLEAR_ESCAPES = "holds wrong escapes, so what it says is unclear"
_NO_NAME = "is no name on one line"
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_STRAY = "\"'`, "


@dataclass(frozen=True, slots=True)
class Quote:
    """One way to quote."""

    closer: str
    """What ends it; where several signs may, the likeliest."""
    skip: re.Pattern[str]
    """Matches up to the next closer that no backslash escapes."""
    pasted: bool = False
    """Models put text in these as it is, without escaping it."""
    raw: bool = False
    """Python's `r` stood before it."""


def _quote(closers: str, pasted: bool = False) -> Quote:
    if len(set(closers)) == 1 and len(closers) == 3:
        one = closers[0]
        # Not `)*+`: before Python 3.11.5 that ends too early where the group has alternatives (gh-106052).
        return Quote(closers, re.compile(rf"(?:[^\\{one}]++|\\.|{one}(?!{one}{{2}}))*", re.DOTALL), pasted)
    return Quote(closers[0], re.compile(rf"[^\\{closers}]*+(?:\\.[^\\{closers}]*+)*+", re.DOTALL), pasted)


_QUOTES = {
    '"': _quote('"'),
    "'": _quote("'"),
    "`": _quote("`", pasted=True),
    '"""': _quote('"""', pasted=True),
    "'''": _quote("'''", pasted=True),
    "```": _quote("```", pasted=True),
    "“": _quote("”“"),
    "‘": _quote("’‘"),
}
_QUOTES |= {"”": _QUOTES["“"], "„": _QUOTES["“"], "’": _QUOTES["‘"]}


def open_quote(text: str, start: int, limit: int) -> tuple[Quote, int] | None:
    """Return the quote that opens at `start` and where its body begins."""
    match = _OPENED.match(text, start, limit)
    if not match:
        return None
    quote = _QUOTES[match[2] if match[2] in _QUOTES else "```"]
    return (replace(quote, raw=True) if match[1] in ("r", "R") else quote), match.end()


def read_escaped(cursor: Cursor, quote: Quote, kind: Kind) -> str | Damaged:
    """Read a string up to the first quote that is not escaped; stop the cursor where that cannot be its end."""
    start = cursor.at
    end = _next_closer(quote, cursor.text, start, cursor.limit)
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
    ways, broken = _decoders(body, quote, cursor.python)
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
    """Read a string whose own quotes may not be escaped: it ends where only the end of a string fits."""
    start, end = cursor.at, _next_closer(quote, cursor.text, cursor.at, cursor.limit)
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
        before, end = end, _next_closer(quote, cursor.text, after, cursor.limit)
    if not ends:
        return _cut(cursor, cursor.text[start : cursor.limit], kind)
    if kind != "code":
        cursor.at = ends[0] + len(quote.closer)
        body = cursor.text[start : ends[0]]
        return cursor.mark("", _UNCLEAR_END) if cursor.holds_known_key(body) else _words(cursor, body, kind)
    second = start + len(quote.closer)
    if first == start and _next_closer(quote, cursor.text, second, cursor.limit) == ends[-1] >= second:
        # The only quote that is not escaped stands at the very beginning: it was doubled.
        start, ends = second, ends[-1:]
    programs = _programs(cursor, start, ends, quote)
    if len(programs) != 1 or any(map(cursor.holds_next_item, programs)):
        cursor.stopped = True
        return cursor.mark("", _UNCLEAR_END)
    [(text, end)] = programs.items()
    cursor.at = end + len(quote.closer) * (1 + (end + len(quote.closer) in ends))
    return text


def decode_json(body: str, literal: str = "", dropped: str = "") -> str:
    """Return the text of a JSON string's body; escapes that JSON does not know stay as they are written.

    `kept` names escapes that stay too; `dropped` those that only lose their backslash.
    """

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        if len(escape) == 11:
            return chr(0x10000 + ((int(escape[1:5], 16) - 0xD800) << 10) + int(escape[7:], 16) - 0xDC00)
        if escape in dropped:
            return escape
        return match[0] if escape in literal else _SIMPLE.get(escape, match[0])

    return _JSON_ESCAPE.sub(plain, body)


def _decode_python(body: str) -> str:
    """Return the text of a Python string literal's body; names that Unicode does not know stay as they are."""

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] in "xuU" and len(escape) > 1:
            number = int(escape[1:], 16)
            return chr(number) if number < 0x110000 else match[0]
        if escape[0] in "01234567":
            return chr(int(escape, 8))
        if escape[0] == "N" and len(escape) > 1:
            try:
                return unicodedata.lookup(escape[2:-1])
            except KeyError:
                return match[0]
        return _PYTHON.get(escape, match[0])

    return _PYTHON_ESCAPE.sub(plain, body)


def _decoders(body: str, quote: Quote, python: bool) -> tuple[list[_Decoder], bool]:
    """Return the ways in which a body of code may have been escaped, and whether it breaks the rules of escaping.

    Where there are several, the caller takes the one that gives Python (`python_text`).
    """
    if "\\" not in body or quote.raw:
        return [str], False
    # A model that leaves line breaks as they are may have pasted the whole text as it is.
    pasted: list[_Decoder] = [str] if quote.pasted or "\n" in body else []
    if python:
        return [_decode_python, *pasted], False
    used = {m[1] for m in _JSON_ESCAPE.finditer(body)}
    wrong = {e for e in used if e not in _SIMPLE and len(e) == 1}
    if not wrong:
        return [decode_json, *pasted], False
    # `\d` or `\'`: backslashes of the code were not doubled, so `\b` is a word boundary, never a backspace.
    # With no other apostrophe, `\'` is one that needed no backslash; else it is inside a literal of the code.
    needless = "" if "'" in _JSON_ESCAPE.sub("", body) else "'"
    ways: list[_Decoder] = [lambda s: decode_json(s, "bf", needless)]
    if used & {"t", "r"}:
        ways.append(lambda s: decode_json(s, "bftr", needless))
    return [*ways, *pasted], True


def _next_closer(quote: Quote, text: str, start: int, limit: int) -> int:
    """Return where the next unescaped closer stands, or `limit` when there is none."""
    match = quote.skip.match(text, start, limit)
    end = match.end() if match else limit
    while len(quote.closer) == 3 and text.startswith(quote.closer, end + 1, limit):
        # More than three in a row: the first ones belong to the text.
        end += 1
    # A backslash as the very last character escapes nothing: the text was cut there.
    return limit if end >= limit or text[end] == "\\" else end


def _programs(cursor: Cursor, start: int, ends: list[int], quote: Quote) -> dict[str, int]:
    """Return the texts that the string may hold, each with where it ends."""
    python = cursor.frames[-1].may_hold_python
    ends_by_text: dict[str, int] = {}
    ways, _ = _decoders(cursor.text[start : ends[-1]], quote, cursor.python)
    for decode in ways:
        parts = [decode(cursor.text[a:b]) for a, b in pairwise([start, *ends])]
        text, places = "".join(parts), dict(zip(accumulate(map(len, parts)), ends, strict=True))
        for size in (plausible_ends(text, places) if python else list(places))[:_MAX_READINGS]:
            if not python or is_python(text[:size]):
                ends_by_text[text[:size]] = places[size]
    return ends_by_text


def _words(cursor: Cursor, body: str, kind: Kind) -> str | Damaged:
    """Return the text of a string that is no code; a name has no quotes and no line breaks in it."""
    text = _decode_python(body) if cursor.python else decode_json(body, "", "'")
    if kind != "name":
        return text
    text = text.strip(_STRAY)
    return cursor.mark("", _NO_NAME) if any(sign in text for sign in '"\n\r') else text


def _cut(cursor: Cursor, body: str, kind: Kind) -> Damaged:
    cursor.at = cursor.limit
    text = _words(cursor, _HALF_ESCAPE.sub("", body), kind) if kind == "prose" else ""
    return cursor.mark(text if isinstance(text, str) else "", CUT)
