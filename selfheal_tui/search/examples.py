"""Examples in a specification or a docstring: `f(1) == 2`, `f(1) -> 2`, `>>> f(1)` with the value a line below."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from selfheal_tui.python_source import parse_expression, parse_python

_ARROW = re.compile(
    r"\s*(?:==|=>|➞|→|->|=|#\s*(?:=>|->|returns?)?|should (?:return|be|give)|returns?|gives|is|outputs?)\s*:?\s*"
)
_SENTENCE = re.compile(r"$|[.,;:#)]|(?!(?:and|or|if|in|is|not)\b)[A-Za-z(]")
"""What may follow a value; an operator may not."""
_MOST = 30


def build_examples(texts: Iterable[str], functions: Iterable[str]) -> dict[str, str]:
    """Return call -> repr of its value, for calls of these functions with literal arguments; the first says it."""
    found: dict[str, str] = {}
    names = "|".join(sorted(map(re.escape, set(functions)), key=len, reverse=True))
    if not names:
        return found
    start = re.compile(rf"(?<![\w.])(?:{names})\(")
    for text in texts:
        for call, value in _examples(text, start):
            if len(found) < _MOST:
                found.setdefault(call, value)
    return found


def docstrings(program: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the docstrings of a program (path -> text) and the names of its top-level functions."""
    texts: list[str] = []
    names: list[str] = []
    for text in program.values():
        try:
            tree = parse_python(text)
        except SyntaxError:
            continue
        holders = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
        texts += [said for holder in holders if (said := ast.get_docstring(holder))]
        names += [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return texts, names


def _examples(text: str, start: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        for match in start.finditer(line):
            end = _closing(line, match.end())
            call = _parsed(line[match.start() : end])
            if not isinstance(call, ast.Call) or not _has_literals(call):
                continue
            rest = line[end:]
            arrow = _ARROW.match(rest)
            if arrow:
                value = _leading_literal(rest[arrow.end() :])
            elif line[: match.start()].strip() == ">>>" and not rest.strip() and number + 1 < len(lines):
                value = _leading_literal(lines[number + 1].strip())
            else:
                value = None
            if value is not None:
                yield ast.unparse(call), value


def _closing(line: str, at: int) -> int:
    """Return where the bracket that is open before `at` closes; strings are read over."""
    depth, quote = 1, ""
    while at < len(line) and depth:
        letter = line[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        at += 1
    return at


def _parsed(text: str) -> ast.expr | None:
    try:
        return parse_expression(text.strip())
    except SyntaxError:
        return None


def _has_literals(call: ast.Call) -> bool:
    try:
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            ast.literal_eval(argument)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _leading_literal(text: str) -> str | None:
    """Return the repr of the literal that a text begins with; None where more of an expression follows."""
    text = text.strip()
    ends = [place.start() for place in re.finditer(r"[\s.,;#)]", text)]
    for end in (len(text), *reversed(ends)):
        try:
            value = repr(ast.literal_eval(text[:end].strip().rstrip(".,;")))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        return value if _SENTENCE.match(text[end:].strip()) else None
    return None
