"""Matches of a search as a picker shows them: what kind, where, the line; and how many of each. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.engine.moment.hits import MOST_HITS, Hit
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.timeline import Timeline
from selfheal_tui.text import both_ends, one_line, plural

from .picks import Pick


def hit_row(key: str, hit: Hit, timeline: Timeline) -> Pick:
    """Return the row of a match; `key` is what taking it hands on."""
    at = timeline.checkpoints.get(hit.checkpoint_id)
    place = f"#{at.iteration} {facts_of(at.node).row}" if at is not None else ""
    if at is not None and at.branch != "main":
        place += f" on {both_ends(at.branch, 24)}"
    where = (
        f"{one_line(hit.where, 40)}:{hit.number} " if hit.number else f"{one_line(hit.where, 40)} " if hit.where else ""
    )
    return Pick(key, f"{hit.kind:<9} {place}", f"{where}{hit.text}")


def counted_words(counts: Mapping[str, int]) -> str:
    """Say how many there are of each kind."""
    total = sum(counts.values())
    kinds = " · ".join(f"{kind} {count}" for kind, count in counts.items())
    more = ", the first ones" if total >= MOST_HITS else ""
    return f"{plural(total, 'match', 'matches')}{more}: {kinds}" if total else "no match yet"
