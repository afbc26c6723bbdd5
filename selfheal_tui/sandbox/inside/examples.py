"""Failing examples of doctest in words: pytest's plug-in wraps what happened, and says only which text it was in."""

from __future__ import annotations

import sys
from typing import NamedTuple

from .describe import WORDS, one_line


class Told(NamedTuple):
    """What failed."""

    error: BaseException
    line: int | None
    """Of the example, in its file, from 1."""
    compared: tuple[str, str] | None
    """What was printed, and what the example says."""


def told(error: BaseException) -> Told:
    """Return what an exception of doctest is about; any other stands for itself."""
    doctest = sys.modules.get("doctest")
    if doctest is None:
        return Told(error, None, None)
    WORDS.setdefault(doctest.DocTestFailure, _words)
    first = (getattr(error, "failures", None) or [error])[0]
    if not isinstance(first, doctest.DocTestFailure | doctest.UnexpectedException):
        return Told(error, None, None)
    line = (first.test.lineno or 0) + first.example.lineno + 1
    if isinstance(first, doctest.UnexpectedException):
        return Told(first.exc_info[1], line, None)
    return Told(first, line, (one_line(first.got), one_line(first.example.want)))


def _words(failure: object) -> str:
    example, got = failure.example, failure.got  # type: ignore[attr-defined]
    return f"`{one_line(example.source)}` gives {one_line(got) or 'nothing'}, not {one_line(example.want) or 'nothing'}"
