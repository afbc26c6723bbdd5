"""The check of an edit that both the screen and `Session.decide` make. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..loop.reviews.edit_checks import Problem, answer_problems
from ..loop.reviews.table import REVIEWS
from ..moment.review import ReviewKind


def edit_problems(
    kind: ReviewKind, value: Mapping[str, Any], program: Collection[str], tests: Collection[str] = ()
) -> list[Problem]:
    """Return what is wrong with an edit; empty when it can be used.

    `value` is a whole Diagnosis, `{"changes": {path: text}}` for a repair, `{"answer": repr}` for the question of a
    repair or of the end, or `{limit: number}` for a budget; `program` holds the paths that may be changed, `tests`
    those that evidence may point to as well.
    """
    spec = REVIEWS[kind]
    if spec.may_answer and "answer" in value:
        return answer_problems(value)
    if spec.edit is None:
        return [Problem("", f"there is nothing to edit at the {kind}")]
    return spec.edit.problems(value, program, tests)
