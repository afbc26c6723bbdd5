"""All operators that the search asks: those of `operators/`, and those of enabled plug-ins, which are watched.

Operators run in this process and see the program as text; nothing of a plug-in goes into the sandbox, where only the
changed program is. One that raises, or yields what is no edit, is left out from then on, and the search goes on.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from selfheal_tui.extensions import Plugin, enabled, load_all, note_problem, said_by
from selfheal_tui.extensions.loading import broken

from ..operators import OPERATORS, Family, Splice
from ..program.source import Source

_MOST_AT_A_NODE = 1000
"""Edits at one node of the syntax tree; no family of ours yields a tenth of that."""

_failed: set[Plugin] = set()
_made: dict[tuple[Plugin, ...], dict[str, Family]] = {}


def families() -> Mapping[str, Family]:
    """Return name -> operator."""
    plugins = tuple(enabled("operator", OPERATORS).values())
    if not plugins:
        return OPERATORS
    if plugins not in _made:
        _made[plugins] = load_all("operator", checked_operator, OPERATORS)
    return {**OPERATORS, **_made[plugins]}


def checked_operator(plugin: Plugin, loaded: Any) -> Family:
    """Return the operator that an entry point names, watched. Raises: SettingsError where it is none."""
    if not isinstance(loaded, Family):
        raise broken(plugin, "is no operator: write it with the decorator `edit_operator`")
    if loaded.name != plugin.name:
        raise broken(plugin, f"calls itself {loaded.name!r}, which is another name than its entry point's")
    if why := family_flaw(loaded):
        raise broken(plugin, f"cannot be used: {why}")

    def edits(source: Source, node: ast.AST) -> Iterator[Splice]:
        if plugin in _failed:
            return
        try:
            for number, splice in enumerate(loaded.edits(source, node)):
                if why := splice_flaw(loaded, splice, source.text) or _too_many(number):
                    raise ValueError(why)
                yield splice
        except Exception as error:
            # A function of another package may raise anything, and its edits are not worth the search.
            _failed.add(plugin)
            why = str(error) if isinstance(error, ValueError) else said_by(error)
            problem = broken(plugin, f"failed on {source.path} ({why})")
            note_problem(problem.message, problem.hint)

    return replace(loaded, edits=edits)


def family_flaw(family: Family) -> str:
    """Say what is wrong with an operator as such; empty for nothing."""
    numbers = family.cost, family.discount
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        return "its cost is no number"
    if family.cost <= 0 or not 0 <= family.discount < family.cost:
        return "its cost must be above 0, and its discount from 0 to below its cost"
    return "" if isinstance(family.reason, str) and family.reason.strip() else "it does not say what it mends"


def splice_flaw(family: Family, splice: Any, text: str) -> str:
    """Say what is wrong with an edit of an operator for a file's text; empty for nothing."""
    if not isinstance(splice, Splice):
        return f"it yields {type(splice).__name__} where an edit is a Splice"
    if not 0 <= splice.start <= splice.end <= len(text):
        return "an edit reaches outside of the file"
    if not isinstance(splice.text, str) or text[splice.start : splice.end] == splice.text:
        return "an edit changes nothing"
    if not isinstance(splice.reason, str) or not splice.reason.strip() or "\n" in splice.reason:
        return "an edit does not say on one line what it changes"
    if family.cost * splice.weight + splice.extra < family.cost - family.discount - 1e-9:
        return "an edit costs less than its operator says (`discount`)"
    return ""


def _too_many(number: int) -> str:
    return f"it yields more than {_MOST_AT_A_NODE} edits at one place" if number >= _MOST_AT_A_NODE else ""
