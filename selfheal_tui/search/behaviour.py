"""How candidates behave on calls that no test makes: which of them agree, and what would tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ENDLESS = ("!", "!RecursionError")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One candidate's answers."""

    answers: tuple[str, ...]
    """The repr of each call's value, `!Name` for an exception, `!` for too long; empty when it could not be asked."""
    cluster: int
    """Number shared by those that answer alike."""
    new_crashes: float = 0.0
    """Share of the calls on which it crashes and the program as it was did not."""
    contradicted: int = 0
    """Examples of the docstring that it answers otherwise."""
    hangs: float = 0.0
    """Share of the calls that it does not end or recurses without end on, where another candidate has an answer."""


def build_behaviours(
    before: Sequence[str], rows: Sequence[Sequence[str]], examples: Mapping[int, str] | None = None
) -> list[Behaviour]:
    """Return the behaviour of each row of answers; `before` are those of the program as it was.

    `examples` are the right answers of some of the calls, by position.
    """
    numbers: dict[tuple[str, ...], int] = {}
    answered = {at for row in rows for at, answer in enumerate(row) if not answer.startswith("!")}
    return [
        Behaviour(
            tuple(row),
            numbers.setdefault(tuple(row), len(numbers)),
            _new_crashes(before, row),
            sum(row[at] != wanted for at, wanted in (examples or {}).items() if at < len(row)),
            sum(row[at] in _ENDLESS for at in answered if at < len(row)) / (len(row) or 1),
        )
        for row in rows
    ]


def _new_crashes(before: Sequence[str], row: Sequence[str]) -> float:
    pairs = list(zip(before, row, strict=False))
    crashed = sum(now.startswith("!") and not then.startswith("!") for then, now in pairs)
    return crashed / len(pairs) if pairs else 0.0
