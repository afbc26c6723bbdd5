"""Numbers one more in their first digit: 21 as 31, `"120"` as `"220"`. Pure.

Programs go by the last digits of a number, and tests often stop at the first round: what holds for 11 and 21 may not
hold for 31.
"""

from __future__ import annotations

import ast
import re

_LARGEST = 3
"""Digits of a number that is changed: larger ones say no more."""
_WHOLE = re.compile(rf"-?[1-8]\d{{1,{_LARGEST - 1}}}")


def beyond(argument: str) -> str | None:
    """Return the source of a number, or of a text that is one, with its first digit one more; None for all else."""
    value = ast.literal_eval(argument) if re.fullmatch(r"['\"]?-?\d+['\"]?", argument) else None
    if value is None or not _WHOLE.fullmatch(str(value)):
        return None
    sign, digits = ("-", str(value)[1:]) if str(value).startswith("-") else ("", str(value))
    text = f"{sign}{int(digits[0]) + 1}{digits[1:]}"
    return repr(text) if isinstance(value, str) else text
