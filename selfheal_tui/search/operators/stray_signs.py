"""Numbers that are written for people: `float("1,000.00")` fails, and says what stands between the digits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, replace
from .fitting import ATOM, grouped

_UNREAD = re.compile(r"(?:could not convert string to float|invalid literal for int\(\) with base 10): (['\"])(.+)\1")
"""What CPython says of a text that is no number."""
_READERS = ("float", "int")


@operator("stray_signs", 3.0, "a text is read as a number with the signs that stand in it for people")
def stray_signs(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take out of a text that was no number what stands beside its digits: `float(text.replace(",", ""))`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[text], keywords=[]) if name in _READERS:
            pass
        case _:
            return
    function = source.segment(node.func)
    own = grouped(source.segment(text), ATOM)
    for signs in _stray_signs(source, node.lineno, node.end_lineno or node.lineno):
        cleaned = own + "".join(f'.replace("{sign}", "")' for sign in signs)
        yield replace(source, node, f"{function}({cleaned})")


def _stray_signs(source: Source, first: int, last: int) -> list[str]:
    """Return for each text that could not be read on these lines what is neither digit, sign nor point in it."""
    matches = [
        match
        for kind, text, line in source.observations.errors
        if kind == "ValueError" and first <= line <= last and (match := _UNREAD.match(text))
    ]
    found = ["".join(dict.fromkeys(re.sub(r"[\d.+\-\s]", "", match[2]))) for match in matches]
    usable = (signs for signs in found if signs and not any(sign.isalnum() or sign in "\"'\\_" for sign in signs))
    return [*dict.fromkeys(usable)]
