"""Asks repairs what shows whether they break what held before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selfheal_tui.sandbox.sift import Variant

from ...hunt.judging import Judging
from .breaches import Breach, build_asked, find_breaches
from .evidence import build_evidence

_ASK_S = 5.0
"""For the calls beside those that are asked anyway."""
_MOST_CALLS = 160


async def ask_breaches(
    judging: Judging,
    tests: Mapping[str, str],
    program: Mapping[str, str],
    spec: str,
    variants: Sequence[Variant],
    answers: Mapping[str, Sequence[str]],
) -> list[tuple[Breach, ...]]:
    """Return what each variant but the first breaks; the first is the program as it was.

    `tests` and `program` are path -> text, `answers` is call -> what each variant answered to it. Raises: SandboxError.
    """
    asked = build_asked(build_evidence(tests, program, spec), list(answers))
    new = dict.fromkeys(
        call for one in asked for _, *calls in one.calls for call in calls if call and call not in answers
    )
    calls = [*new][:_MOST_CALLS]
    more = await judging.ask(variants, calls, _ASK_S) if calls else []
    rows = [{call: given[number] for call, given in answers.items()} for number in range(len(variants))]
    if len(more) == len(variants):
        rows = [row | dict(zip(calls, own, strict=False)) for row, own in zip(rows, more, strict=True)]
    return find_breaches(asked, rows[0], rows[1:])
