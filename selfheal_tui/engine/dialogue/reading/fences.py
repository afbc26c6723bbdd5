"""Markdown fences in a reply: where they are and what they seem to hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MARK = re.compile(r"^([ \t]*(?:>[ \t]?)?)(`{3,}|~{3,})[ \t]*([^`\n]*)$", re.MULTILINE)
_TAG = re.compile(r"[\w+#-]+")
_JSON = frozenset({"json", "json5", "jsonc", "jsonl", "ndjson", "hjson"})
_PLAIN = frozenset({"", "markdown", "md", "text", "txt", "plaintext", "output"})
_PYTHON = frozenset({"", "python", "py", "python3", "py3", "code"})


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence; offsets into the text it was found in."""

    start: int
    """Of the line that opens it."""
    body: int
    end: int
    """Of the body: where the closing line begins, or the end of the text."""
    after: int
    tag: str
    """The language, lower case, "" when none is named."""
    info: str
    """All that stands on the opening line."""
    indent: str
    closed: bool

    @property
    def may_be_json(self) -> bool:
        """Say whether it is tagged as JSON."""
        return self.tag in _JSON

    @property
    def may_be_python(self) -> bool:
        """Say whether its tag allows it to be a program."""
        return self.tag in _PYTHON

    @property
    def is_plain(self) -> bool:
        """Say whether its tag names no programming language."""
        return self.tag in _PLAIN

    def lines(self, text: str) -> str:
        """Return the body, the fence's own indentation taken off each line."""
        body = text[self.body : self.end]
        if not self.indent:
            return body
        return "".join(line.removeprefix(self.indent) for line in body.splitlines(keepends=True))


@lru_cache(2)
def find_fences(text: str) -> tuple[Fence, ...]:
    """Return the fences in order. One inside a Markdown fence counts instead of it; other nesting is text.

    A fence that is never closed reaches to the end: the reply may have been cut.
    """
    fences: list[Fence] = []
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if opened is None:
            opened = mark
        elif mark[2].startswith(opened[2]) and not mark[3].strip():
            fences.append(_fence(text, opened, mark))
            opened = None
        elif mark[3].strip() and _tag(opened) in _PLAIN - {""}:
            opened = mark
    if opened:
        fences.append(_fence(text, opened, None))
    return tuple(fences)


def _fence(text: str, opened: re.Match[str], closed: re.Match[str] | None) -> Fence:
    body = min(opened.end() + 1, len(text))
    end, after = (closed.start(), closed.end()) if closed else (len(text), len(text))
    return Fence(opened.start(), body, max(body, end), after, _tag(opened), opened[3], opened[1], closed is not None)


def _tag(mark: re.Match[str]) -> str:
    tag = _TAG.search(mark[3])
    return tag[0].casefold() if tag else ""
