"""Which race a session goes on with, as the journal of what the user did tells. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .acts import Act

RUNS = ("decision", "stop", "fork", "race", "keep", "go")
"""Acts that say where the session goes on."""


def newest_run(done: Sequence[Act]) -> Act | None:
    """Return the act that says where the session goes on, of those in force; None when nobody said so."""
    return next((act for act in reversed(done) if act.kind in RUNS), None)


def lanes_of(race: Act, done: Sequence[Act]) -> dict[str, dict[str, Any]]:
    """Return what each lane of a race does differently, by its present name; deleted ones are left out.

    `done` are the acts in force.
    """
    lanes = dict(race.details["lanes"])
    for act in done:
        if act.id > race.id and act.kind == "rename" and act.details["rename"][0] in lanes:
            old, new = act.details["rename"][:2]
            lanes = {new if name == old else name: changes for name, changes in lanes.items()}
        elif act.id > race.id and act.kind == "delete":
            lanes.pop(act.details["needs"][0], None)
    return lanes
