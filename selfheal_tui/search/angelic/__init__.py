"""Angelic values: what a condition or a value would have to be, and expressions that are that.

Nopol (DeMarco, Xuan, Le Berre, Monperrus: "Automatic Repair of Buggy If Conditions and Missing Preconditions with SMT",
CSTVA 2014) and Angelix (Mechtaev, Yi, Roychoudhury, ICSE 2016). A kind of place is a file here: a generator of `Spot`s
with the decorator `forced`.
"""

from __future__ import annotations

from . import conditions, jumps, values
from .base import FORCED, Kind, Spot

__all__ = ["FORCED", "Kind", "Spot", "conditions", "jumps", "values"]
