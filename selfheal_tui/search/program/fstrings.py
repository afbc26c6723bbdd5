"""Expressions in f-strings at their true places: before Python 3.12 `ast` counts their columns from elsewhere.

Only f-strings on one line and in one piece are read; what does not come out as `ast` has it stays closed to edits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_OPENING = re.compile(r"""(?:[fF][rR]?|[rR][fF])(\"\"\"|'''|"|')""")
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_NAMED = "\\N{"
_PLACED = (ast.expr, ast.arg, ast.keyword)


def place_expressions(node: ast.JoinedStr, segment: str) -> list[ast.expr]:
    """Give the expressions of an f-string, whose source is `segment`, their places; return them, none where unsure."""
    opening = _OPENING.match(segment)
    if opening is None or "\n" in segment or _NAMED in segment or not segment.endswith(opening[1]):
        return []
    spans = [*_spans(segment[: -len(opening[1])], opening.end())]
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    read = [_parsed(segment[start:end]) for start, end in spans]
    if len(read) != len(values) or any(
        one is None or ast.dump(one) != ast.dump(value) for one, value in zip(read, values, strict=True)
    ):
        return []
    for (start, _), one, value in zip(spans, read, values, strict=True):
        assert one is not None
        # One byte less: the parenthesis that `_parsed` opens.
        shift = node.col_offset + len(segment[:start].encode()) - 1
        for here, there in zip(ast.walk(one), ast.walk(value), strict=True):
            if isinstance(here, ast.expr | ast.arg | ast.keyword) and isinstance(
                there, ast.expr | ast.arg | ast.keyword
            ):
                there.lineno = there.end_lineno = node.lineno
                there.col_offset = here.col_offset + shift
                there.end_col_offset = (here.end_col_offset or here.col_offset) + shift
    return values


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _spans(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield where each expression between single braces begins and ends; a format or conversion is none of it."""
    while at < len(text):
        if text[at] not in "{}" or text.startswith(("{{", "}}"), at):
            at += 2 if text[at] in "{}" else 1
            continue
        end = _end(text, at + 1, "!:=}")
        yield at + 1, end
        at = _end(text, end, "}") + 1


def _end(text: str, at: int, ends: str) -> int:
    """Return the first place of one of these characters outside of brackets and quotes; the text's end for none."""
    closing: list[str] = []
    quote = ""
    while at < len(text):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif closing and char == closing[-1]:
            closing.pop()
        elif not closing and char in ends:
            if char not in "!=" or not (text[at + 1 : at + 2] == "=" or text[at - 1] in "=<>!"):
                return at
        elif char in _CLOSES:
            closing.append(_CLOSES[char])
        at += 1
    return at
