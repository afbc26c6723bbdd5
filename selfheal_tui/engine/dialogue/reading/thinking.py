"""Tell a model's reasoning from its answer: drafts in the reasoning are not what it was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)"
_OPENED = re.compile(
    rf"\s*(?:<{_WORDS}>|\[THINK\]|◁think▷|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|thought))", re.IGNORECASE
)
_CLOSED = re.compile(
    rf"</{_WORDS}>|\[/THINK\]|◁/think▷|<\|channel\|>final(?:[ \t]*<\|message\|>)?|<channel\|>", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Where a reply's reasoning is; offsets into the reply."""

    start: int
    end: int
    answer: int
    """Where the answer begins: behind the sign that ends the reasoning."""
    opened: bool
    """Its beginning was there too, so that its end can be nothing else."""


def find_reasoning(text: str) -> Reasoning | None:
    """Return where the reasoning is, None where there is none.

    Some chat templates open the reasoning in the prompt, so that a reply has only its end. Reasoning that never
    ends leaves no answer.
    """
    opened, closed = _OPENED.match(text), _CLOSED.search(text)
    start = opened.end() if opened else 0
    if closed:
        return Reasoning(start, closed.start(), closed.end(), opened is not None)
    return Reasoning(start, len(text), len(text), True) if opened else None
