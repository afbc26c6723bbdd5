"""What the program printed there is printed here, and its warnings are given here."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ..wire.frames import Malformed


def repeat_printed(frame: dict[str, Any]) -> bool:
    """Print here what the program printed there; say whether some of it was lost. Raises: Malformed."""
    for name in ("out", "err"):
        printed = frame.get(name, "")
        if type(printed) is not str:
            raise Malformed("printed what is no text")
        stream = getattr(sys, f"std{name}")
        if printed and stream is not None:
            stream.write(printed)
    return frame.get("cut") is True


def repeat_warnings(warned: Sequence[object]) -> None:
    """Give the program's warnings here, under the filters of the test.

    Raises: Malformed, and the warning itself where the test's filters say so.
    """
    if len(warned) % 3:
        raise Malformed("a warning that is none")
    for category, message, line in zip(warned[::3], warned[1::3], warned[2::3], strict=True):
        if type(message) is not str or type(line) is not int:
            raise Malformed("a warning that is none")
        if not (isinstance(category, type) and issubclass(category, Warning)):
            raise Malformed("a warning that is none")
        warnings.warn_explicit(message, category, "<program>", line)
