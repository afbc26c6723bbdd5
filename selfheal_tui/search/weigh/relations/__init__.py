"""What held of a program's results and of those in the cases, each kind a file: a repair that breaks it is doubted."""

from __future__ import annotations

from typing import NamedTuple

from .base import Relation
from .bounds import bounds
from .distinct import distinct
from .members import members
from .ordered import ordered
from .other_order import other_order
from .repeated import repeated
from .result_length import result_length
from .result_type import result_type
from .sign import sign
from .steps import steps
from .text_case import text_case
from .vocabulary import vocabulary
from .whole import whole


class Kind(NamedTuple):
    """One kind of relation."""

    look_for: Relation
    bits: float
    """What breaking it costs in the order of repairs."""


RELATIONS: dict[str, Kind] = {
    "type": Kind(result_type, 1.0),
    "sign": Kind(sign, 1.0),
    "whole": Kind(whole, 1.0),
    "bounds": Kind(bounds, 0.5),
    "members": Kind(members, 1.0),
    "length": Kind(result_length, 1.0),
    "order": Kind(ordered, 1.0),
    "distinct": Kind(distinct, 1.0),
    "vocabulary": Kind(vocabulary, 1.0),
    "steps": Kind(steps, 1.0),
    "other_order": Kind(other_order, 0.5),
    "text_case": Kind(text_case, 0.5),
    "repeated": Kind(repeated, 0.5),
}
"""Kind -> what looks for it, and its weight; the table in tests/benchmarks/README.md says how often each is right."""
