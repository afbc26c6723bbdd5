"""What held of a program's results and of those in the cases, each kind a file: a repair that breaks it is doubted."""

from __future__ import annotations

from typing import NamedTuple

from .base import Relation
from .members import members
from .ordered import ordered
from .other_order import other_order
from .repeated import repeated
from .text_case import text_case


class Kind(NamedTuple):
    """One kind of relation."""

    look_for: Relation
    bits: float
    """What breaking it costs in the order of repairs."""


RELATIONS: dict[str, Kind] = {
    "members": Kind(members, 1.0),
    "order": Kind(ordered, 1.0),
    "other_order": Kind(other_order, 1.0),
    "text_case": Kind(text_case, 1.0),
    "repeated": Kind(repeated, 1.0),
}
"""Name -> what looks for it, and its weight; tests/benchmarks/README.md says how often each is right."""
