"""Say whether a text is Python: this decides between several readings of a broken string. Nothing is run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache

from selfheal_tui.python_source import parse_python

_MAX_PARSED = 300_000
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_DEFINES = re.compile(r"^(?:async def|def|class|import|from)\b", re.MULTILINE)
_TOKEN = re.compile(
    r'#[^\n]*+|"{3}(?:[^"\\]++|\\.|"(?!""))*(?:"{3}|\Z)|\'{3}(?:[^\'\\]++|\\.|\'(?!\'\'))*(?:\'{3}|\Z)'
    r'|"(?:[^"\\\n]++|\\.)*(?:"|(?=\n)|\Z)|\'(?:[^\'\\\n]++|\\.)*(?:\'|(?=\n)|\Z)|[\[({]|[\])}]',
    re.DOTALL,
)


def is_python(text: str) -> bool:
    """Say whether the text parses; even one word of prose does. Never for more than 300,000 characters."""
    return _judged(text)[0]


def is_program(text: str) -> bool:
    """Say whether the text parses and defines or imports something."""
    return _DEFINES.search(text) is not None and _judged(text)[2]


def has_statements(text: str) -> bool:
    """Say whether the text parses and is more than blanks and comments."""
    return _judged(text)[1]


@lru_cache(8)
def _judged(text: str) -> tuple[bool, bool, bool]:
    """Return whether the text parses, whether it holds a statement, and whether it defines something."""
    if len(text) > _MAX_PARSED:
        return False, False, False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = parse_python(text).body
        except SyntaxError:
            return False, False, False
    return True, bool(body), any(isinstance(node, _DEFINITIONS) for node in body)


def plausible_ends(text: str, offsets: Iterable[int]) -> list[int]:
    """Keep the offsets (ascending) where a program could end: outside strings and with every bracket closed."""
    ends: list[int] = []
    tokens = _TOKEN.finditer(text)
    token, depth = next(tokens, None), 0
    for offset in offsets:
        while token is not None and token.end() <= offset:
            first = token[0][0]
            depth += (first in "([{") - (first in ")]}")
            token = next(tokens, None)
        inside = token is not None and token.start() < offset and not token[0].startswith("#")
        if depth <= 0 and not inside:
            ends.append(offset)
    return ends
