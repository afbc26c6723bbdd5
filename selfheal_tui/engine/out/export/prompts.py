"""All prompts and replies of a branch as Markdown, to be read through; what a call repeats is not shown again. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.text import plural

from .markdown import fenced, inline
from .words import call_line, reply_text

_LEAST_LINES = 6
"""Fewer equal lines are shown again."""
_SECTION = "=== "


def prompts_page(story: Mapping[str, Any]) -> str:
    """Return the calls on the way to the end of a branch, in their order, each with its prompt and its reply."""
    return "\n".join(_lines(story)).rstrip("\n") + "\n"


def _lines(story: Mapping[str, Any]) -> Iterator[str]:
    calls: Sequence[Mapping[str, Any]] = story["calls"]
    yield f"# Prompts of {inline(story['title'])}"
    yield ""
    yield f"Session {inline(story['session_id'])}, branch {inline(story['branch'])}: {plural(len(calls), 'call')}."
    yield "The beginning that a prompt shares with an earlier one of its role stands there only."
    yield ""
    prompts: dict[str, dict[int, list[str]]] = {}
    steps: dict[tuple[object, ...], int] = {}
    for number, call in enumerate(calls, 1):
        place = call["role"], call["checkpoint_id"], call["iteration"]
        steps[place] = steps.get(place, 0) + 1
        yield f"## {number}. {inline(call['role'])}, iteration {call['iteration']}, step {steps[place]}"
        yield ""
        yield f"{inline(call_line(call))}  "
        yield f"prompt {inline(call['written_by'])}"
        yield ""
        earlier = prompts.setdefault(call["role"], {})
        lines = str(call["prompt"]).splitlines()
        yield from _shown(lines, earlier)
        earlier[number] = lines
        yield "Reply:"
        yield ""
        is_text = isinstance(call["reply"], str)
        yield from fenced(call["reply"] if is_text else reply_text(call), "" if is_text else "json")


def _shown(lines: list[str], earlier: Mapping[int, list[str]]) -> Iterator[str]:
    """Show a prompt without the beginning that it shares with one of the earlier ones."""
    number, shared = max(((n, _common(lines, other)) for n, other in earlier.items()), key=_by_length, default=(0, 0))
    if shared >= _LEAST_LINES:
        section = next((line for line in reversed(lines[:shared]) if line.startswith(_SECTION)), "")
        within = f", which end in {inline(section.strip('= '))}" if section else ""
        yield f"The first {shared} lines are those of call {number}{within}."
        yield ""
        lines = lines[shared:]
    yield from fenced("\n".join(lines))


def _by_length(candidate: tuple[int, int]) -> tuple[int, int]:
    """Order by how much is shared, then the newest first."""
    number, shared = candidate
    return shared, number


def _common(lines: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines two texts share at their beginning."""
    pairs = zip(lines, other, strict=False)
    return next((index for index, (one, two) in enumerate(pairs) if one != two), min(len(lines), len(other)))
