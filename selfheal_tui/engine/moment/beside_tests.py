"""What a repair of the search changes that no test asks for, in words: `f(3) gives 5, gave 4`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.steps import call_words

from .unsettled import answer_words

_THEN = {"gives": "gave", "raises": "raised", "does": "did"}


def beside_tests(repair: Mapping[str, Any]) -> list[str]:
    """Return a line for each call of which a repair changes the answer and that no test makes, two at most."""
    return [
        f"{call_words(call)} {answer_words(now, call)}, {_then(answer_words(before))} before"
        for call, before, now in repair.get("beside_tests", ())
    ]


def _then(words: str) -> str:
    verb, _, rest = words.partition(" ")
    return f"{_THEN[verb]} {rest}"
