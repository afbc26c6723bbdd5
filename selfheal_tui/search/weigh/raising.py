"""Repairs that fail with an exception where the program did not and others give a value. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from selfheal_tui.python_source import parse_expression, parse_or_none
from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from .behaviour import Behaviour
from .questions import Disagreement

_SHOWN = 80
"""Most characters of a call in a sentence."""
_CHECKS = frozenset({"missing_check", "missing_end_check"})
"""Families whose edits are there to raise what the tests expect."""
_NEAR_BITS = 4.0
"""A rival that is less likely by more says nothing of what is to be refused."""
_ORDINARY_BITS = 2.0
"""For raising on an ordinary call on which others give a value."""


def ordinary_crash_bits(
    candidates: Sequence[Candidate], behaviours: Sequence[Behaviour], calls: Sequence[str]
) -> list[float]:
    """Return what each candidate costs for raising newly on an ordinary call, where half of the behaviours do not.

    No number of an ordinary call is zero or negative, nothing is empty or None: there exceptions are often right.
    """
    ordinary = [_is_ordinary(call) for call in calls]
    rows = {behaviour.cluster: behaviour.answers for behaviour in behaviours if behaviour.answers}
    sound = {
        at
        for at, is_ordinary in enumerate(ordinary)
        if is_ordinary and 2 * sum(not row[at].startswith("!") for row in rows.values() if at < len(row)) >= len(rows)
    }
    return [
        _ORDINARY_BITS
        * any(not _is_meant(one, behaviour.answers[at].removeprefix("!")) for at in behaviour.raises & sound)
        for one, behaviour in zip(candidates, behaviours, strict=True)
    ]


def ordinary_crash(
    candidate: Candidate, behaviour: Behaviour, calls: Sequence[str], given: Sequence[str]
) -> tuple[Mark, ...]:
    """Return a mark for a repair that raises on an ordinary call on which the program as it was gave a value.

    `given` are the answers of that. An exception that the repaired file raises by name is meant.
    """
    crashed = [
        at
        for at in behaviour.raises
        if at < len(given) and _is_ordinary(calls[at]) and not _is_meant(candidate, behaviour.answers[at][1:])
    ]
    if not crashed:
        return ()
    at = min(crashed, key=lambda one: (len(calls[one]), one))
    call, error = call_words(calls[at], _SHOWN), one_line(behaviour.answers[at].removeprefix("!"), _SHOWN)
    return (Mark("crashes", f"{call} raises {error} with it, and gave {one_line(given[at], _SHOWN)} before."),)


def without_meant(candidate: Candidate, behaviour: Behaviour) -> Behaviour:
    """Return a behaviour that does not count as crashes what a repair refuses that only adds a check."""
    if not behaviour.answers or not _CHECKS.issuperset(candidate.operator.split(" + ")):
        return behaviour
    meant = sum(_is_meant(candidate, behaviour.answers[at].removeprefix("!")) for at in behaviour.raises)
    left = behaviour.new_crashes - meant / len(behaviour.answers)
    return replace(behaviour, new_crashes=max(0.0, left))


def _is_ordinary(call: str) -> bool:
    try:
        tree = parse_expression(call)
    except SyntaxError:
        return False
    for part in (arg for node in ast.walk(tree) if isinstance(node, ast.Call) for arg in [*node.args, *node.keywords]):
        for node in ast.walk(part):
            match node:
                case ast.Constant(value=value):
                    if not value and value is not False:
                        return False
                case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.UnaryOp(op=ast.USub()):
                    return False
    return True


def marked_raising(
    candidates: Sequence[Candidate],
    behaviours: Sequence[Behaviour],
    scores: Sequence[float],
    question: Disagreement,
    at: int,
) -> tuple[Candidate, ...]:
    """Return the candidates, those marked that newly raise on the question's call; `at` is its position in the calls.

    `sorted(range(len(xs)))` raises IndexError for [1, 2]. An exception that the repaired file raises by name is meant:
    then the candidate refuses the call, and is marked where one that is about as likely lets it through.
    """
    has_values = not all(answer.text.startswith("!") for answer in question.answers)
    through = [
        score
        for candidate, behaviour, score in zip(candidates, behaviours, scores, strict=True)
        if behaviour.answers and not behaviour.answers[at].startswith("!") and not _others(candidate)
    ]
    return tuple(
        replace(
            candidate,
            marks=(
                *_others(candidate),
                *(_marks(candidate, behaviour, score, question, at, through) if has_values else ()),
            ),
        )
        for candidate, behaviour, score in zip(candidates, behaviours, scores, strict=True)
    )


def _others(candidate: Candidate) -> tuple[Mark, ...]:
    """Return its marks but one of an earlier question."""
    return tuple(mark for mark in candidate.marks if mark.kind != "raises")


def _marks(
    candidate: Candidate,
    behaviour: Behaviour,
    score: float,
    question: Disagreement,
    at: int,
    through: Sequence[float],
) -> tuple[Mark, ...]:
    """`through` holds the scores of those that give the call a value."""
    if at not in behaviour.raises:
        return ()
    call, error = call_words(question.call, _SHOWN), behaviour.answers[at].removeprefix("!")
    if _is_meant(candidate, error):
        if not any(other <= score + _NEAR_BITS for other in through):
            return ()
        refused = f"It refuses {call} ({one_line(error, _SHOWN)}), which was let through before"
        return (Mark("raises", f"{refused}, and is with another repair."),)
    why = f"{call} raises {one_line(error, _SHOWN)} with it; before it did not, and with others it gives a value."
    return (Mark("raises", why),)


def _is_meant(candidate: Candidate, error: str) -> bool:
    trees = [tree for text in candidate.changes.values() if (tree := parse_or_none(text)) is not None]
    raised = (node.exc for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return any(
        isinstance(node, ast.Name) and node.id == error for exc in raised if exc is not None for node in ast.walk(exc)
    )
