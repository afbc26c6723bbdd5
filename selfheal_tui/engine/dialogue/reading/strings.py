"""Text between quotes: where the quotes are and what the escapes mean, in JSON, in Python and in what is neither."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

Decoder = Callable[[str], str]

_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON = {"\\": "\\", "'": "'", '"': '"', "\n": "", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON["v"] = "\v"
_JSON_ESCAPE = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PYTHON_ESCAPE = re.compile(
    r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[\w -]{1,80}\}|[0-7]{1,3}|.)", re.DOTALL
)
_OPENED = re.compile(r"([rRuUbB]?)(\"{3}(?!\")|'{3}(?!')|`{3}(?:[\w+-]*[ \t]*\n)?|[\"'`“”„‘’])")


@dataclass(frozen=True, slots=True)
class Quote:
    """One way to quote."""

    closer: str
    """What ends it, or the likeliest of what may."""
    skip: re.Pattern[str]
    """Matches up to the next closer that no backslash escapes."""
    pasted: bool = False
    """Models put text in these as it is, without escaping it."""
    raw: bool = False
    """Python's `r` stood before it."""


def _quote(closers: str, pasted: bool = False) -> Quote:
    if len(set(closers)) == 1 and len(closers) == 3:
        one = closers[0]
        return Quote(closers, re.compile(rf"(?:[^\\{one}]++|\\.|{one}(?!{one}{{2}}))*+", re.DOTALL), pasted)
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
    found = _OPENED.match(text, start, limit)
    if not found:
        return None
    quote = _QUOTES[found[2] if found[2] in _QUOTES else "```"]
    return (replace(quote, raw=True) if found[1] in ("r", "R") else quote), found.end()


def next_closer(quote: Quote, text: str, start: int, limit: int) -> int:
    """Return where the next unescaped closer stands, or `limit` when there is none."""
    found = quote.skip.match(text, start, limit)
    end = found.end() if found else limit
    while len(quote.closer) == 3 and text.startswith(quote.closer, end + 1, limit):
        # More than three in a row: the first ones belong to the text.
        end += 1
    # A backslash as the very last character escapes nothing: the text was cut there.
    return limit if end >= limit or text[end] == "\\" else end


def decoders(body: str, quote: Quote, python: bool) -> tuple[list[Decoder], bool]:
    """Return the ways in which a body of code may have been escaped, and whether it breaks the rules of escaping.

    Where there are several, what they make of the body must decide (`python_text`).
    """
    if "\\" not in body or quote.raw:
        return [str], False
    # Who leaves line breaks as they are may have pasted all of it as it is.
    pasted: list[Decoder] = [str] if quote.pasted or "\n" in body else []
    if python:
        return [decode_python, *pasted], False
    used = {m[1] for m in _JSON_ESCAPE.finditer(body)}
    wrong = {e for e in used if e not in _SIMPLE and len(e) == 1}
    if not wrong:
        return [decode_json, *pasted], False
    # `\d` or `\'`: backslashes of the code were not doubled, so `\b` is a word boundary, never a backspace.
    # With no other apostrophe, `\'` is one that needed no backslash; else it is inside a literal of the code.
    needless = "" if "'" in _JSON_ESCAPE.sub("", body) else "'"
    found: list[Decoder] = [lambda s: decode_json(s, "bf", needless)]
    if used & {"t", "r"}:
        found.append(lambda s: decode_json(s, "bftr", needless))
    return [*found, *pasted], True


def decode_json(body: str, kept: str = "", dropped: str = "") -> str:
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
        return match[0] if escape in kept else _SIMPLE.get(escape, match[0])

    return _JSON_ESCAPE.sub(plain, body)


def decode_python(body: str) -> str:
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
