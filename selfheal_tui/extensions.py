"""Functions that other packages of this environment add, by entry points: own advisors and own metrics.

Only what is installed beside selfheal is looked at, never a file of the program that is healed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import SettingsError
from .text import one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ADVISORS, METRICS = "selfheal_tui.advisors", "selfheal_tui.metrics"
"""The groups."""


def installed(group: str) -> dict[str, EntryPoint]:
    """Return name -> entry point, sorted by name; nothing is imported."""
    from importlib.metadata import distributions  # takes 20 ms, and few commands ask

    # `python -m` and notebooks import from the folder one stands in, which may be a stranger's.
    here = os.path.realpath(os.curdir)
    places = [place for place in sys.path if place and os.path.realpath(place) != here]
    points = [one for found in distributions(path=places) for one in found.entry_points if one.group == group]
    return {one.name: one for one in sorted(points, key=lambda one: (one.name, one.value))}


def load_function(point: EntryPoint) -> Callable[..., Any]:
    """Import what an entry point names. Raises: SettingsError."""
    try:
        function = point.load()
    except Exception as error:
        # A foreign module may raise anything while it is imported.
        why = one_line(f"{type(error).__name__}: {error}")
        raise SettingsError(f"{point.group} {point.name} ({point.value}) cannot be imported: {why}.") from error
    if not callable(function):
        raise SettingsError(f"{point.group} {point.name} ({point.value}) is no function.")
    result: Callable[..., Any] = function
    return result
