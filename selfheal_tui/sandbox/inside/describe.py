"""What an exception was, in words: its line, the user's frames and both sides of a failed comparison.

Exceptions and values belong to the program: asking one for its text may run any code, raise or never end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePath
from types import TracebackType
from typing import Any

_REPR_LIMIT = 400
_MESSAGE_LIMIT = 1000
_TRACE_FRAMES = 12
WORDS: dict[type[BaseException], Callable[[Any], str]] = {}
"""Exceptions whose own text is not for people -> what to say."""


OF_EXAMPLE = "DocTestFailure"
"""The kind of an exception of doctest: an example gives something else than its text says."""


class CaseTimeout(BaseException):
    """A case ran longer than it may."""


def describe(
    error: BaseException | None,
    work: str,
    program: Collection[str],
    compared: tuple[str, str] | None = None,
    location: str | None = None,
) -> dict[str, Any]:
    """Return message, location, trace and both sides of the comparison for an exception.

    `work` ends with a slash; `compared` is left and right; `location` is used when no frame is the user's.
    """
    frames = _user_frames(error, work)
    inside = [f"{file}:{line}" for file, line, _ in frames if file in program]
    if isinstance(error, SyntaxError) and str(error.filename).startswith(work):
        file = str(error.filename)[len(work) :]
        inside.append(f"{file}:{error.lineno}")
        frames.append((file, error.lineno or 1, ""))
    where = inside[-1] if inside else f"{frames[-1][0]}:{frames[-1][1]}" if frames else location
    is_claim = isinstance(error, AssertionError) or type(error).__name__ == OF_EXAMPLE
    left, right = compared if compared and is_claim else (None, None)
    return {
        "message": message_of(error),
        "location": where,
        "trace": frames[-_TRACE_FRAMES:],
        "left": left,
        "right": right,
        "kind": type(error).__name__,
    }


def _user_frames(error: BaseException | None, work: str) -> list[tuple[str, int, str]]:
    frames = []
    step: TracebackType | None = error.__traceback__ if error is not None else None
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename.startswith(work):
            frames.append((str(PurePath(code.co_filename[len(work) :])), step.tb_lineno, code.co_name))
        step = step.tb_next
    return frames


def message_of(error: BaseException | None) -> str:
    """Return one line; of a failed assert pytest's own line, after the test's words if it has some."""
    text = text_of(error)
    if isinstance(error, AssertionError) and text:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if lines[0].startswith("assert "):
            return lines[0][:_MESSAGE_LIMIT]
        claim = next((f" ({line})" for line in lines if line.startswith("assert ")), "")
        return f"AssertionError: {lines[0]}{claim}"[:_MESSAGE_LIMIT]
    if isinstance(error, CaseTimeout):
        return text
    name = type(error).__name__
    return f"{name}: {one_line(text)}" if text else name


def one_line(text: str) -> str:
    """Return the text as one line, capped; blanks inside of its lines stay, as they may be a value's."""
    lines = (line.strip() for line in text[: 4 * _MESSAGE_LIMIT].splitlines())
    return " ".join(line for line in lines if line)[:_MESSAGE_LIMIT]


def text_of(error: BaseException | None) -> str:
    """Return the exception's words; its class may lie or fail."""
    if isinstance(error, SyntaxError):
        return str(error.msg)
    words = next((words for kind, words in WORDS.items() if isinstance(error, kind)), str)
    return _fenced(words, error)


def repr_of(value: object) -> str:
    """Return the value's repr, its middle cut out when long."""
    text = _fenced(repr, value)
    half = (_REPR_LIMIT - 3) // 2
    return text if len(text) <= _REPR_LIMIT else f"{text[:half]}...{text[-half:]}"


def _fenced(function: Callable[[object], str], value: object) -> str:
    try:
        text = function(value)
        return text if type(text) is str else f"<{type(value).__name__}>"
    except CaseTimeout:
        raise
    except BaseException as error:
        return f"<{type(value).__name__} whose text cannot be had: {type(error).__name__}>"
