"""Advisors that are plain functions: given by a program that uses selfheal, or brought by an enabled plug-in.

Such a function gets the program (path -> text) once every case passes, and returns what it found. It runs in our
process, so it must be the user's own; what is in the program is data to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import disabled_words, enabled, load
from selfheal_tui.extensions.loading import function_of
from selfheal_tui.text import one_line

from ..moment.state import Advice, Evidence
from .advisors import ADVISORS

OWN = "own_advice"
"""The node that asks them all: the graph is the same whoever is asked."""
Advise = Callable[[Mapping[str, str]], Any]
"""Program (path -> text) -> a sentence, or `{"summary": str, "items": [{"file", "line", "why"}]}`, or None."""
FAILED, NO_ADVICE = "It failed: ", "It returned no advice: "
"""How the summary of an advisor begins that raised something, or returned what cannot be shown."""
_MOST_ITEMS = 100


def own_names(wanted: Iterable[str]) -> list[str]:
    """Return those of the wanted advisors that are no nodes of their own."""
    return [name for name in wanted if name not in ADVISORS]


def plugged_names() -> tuple[str, ...]:
    """Return the names of those that enabled plug-ins bring."""
    return tuple(enabled("advisor", ADVISORS))


async def advice_by(name: str, function: Advise | None, program: Mapping[str, str]) -> Advice:
    """Ask one of them; an advisor that is not there or fails says so and ends no run."""
    try:
        function = function or _plugged(name)
    except SettingsError as error:
        return _advice(name, one_line(str(error)))
    if function is None:
        return _advice(name, " ".join(disabled_words("advisor", name) or ("It is not installed here.",)))
    try:
        found = await asyncio.to_thread(function, dict(program))
    except Exception as error:
        # A function of the user's may raise anything, and its advice is not worth the run. No interrupt comes by here.
        return _advice(name, one_line(f"{FAILED}{type(error).__name__}: {error}"))
    if found is None:
        return _advice(name, "Nothing to say.")
    if isinstance(found, str):
        return _advice(name, one_line(found, 600))
    try:
        return _advice(name, one_line(str(found["summary"]), 600), [_item(one) for one in found.get("items", ())])
    except (KeyError, TypeError, ValueError, AttributeError):
        return _advice(name, f"{NO_ADVICE}neither a text nor a mapping with `summary` and `items`.")


def _plugged(name: str) -> Advise | None:
    plugin = enabled("advisor", ADVISORS).get(name)
    return function_of(plugin, load(plugin)) if plugin is not None else None


def _advice(name: str, summary: str, items: list[Evidence] | None = None) -> Advice:
    return {"by": name, "summary": summary, "items": (items or [])[:_MOST_ITEMS]}


def _item(one: Mapping[str, Any]) -> Evidence:
    return cast(Evidence, {"file": str(one["file"]), "line": int(one["line"]), "why": one_line(str(one["why"]))})
