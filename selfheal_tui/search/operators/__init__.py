"""Families of small edits; a new one is a file here, with its decorator, and a word below."""

from __future__ import annotations

from . import (
    accumulate,
    arguments,
    arithmetic,
    branches,
    calls,
    comparison,
    conditions,
    constants,
    containers,
    defaults,
    grouping,
    guards,
    imports,
    insertion,
    logic,
    loops,
    off_by_one,
    returns,
    reuse,
    statements,
    subscripts,
    synthesis,
    terms,
    texts,
    variables,
    wrapping,
)
from .base import OPERATORS, Family, Splice, operator

__all__ = ["OPERATORS", "Family", "Splice", "operator"]

_FAMILIES = (
    accumulate,
    arguments,
    arithmetic,
    branches,
    calls,
    comparison,
    conditions,
    constants,
    containers,
    defaults,
    grouping,
    guards,
    imports,
    insertion,
    logic,
    loops,
    off_by_one,
    returns,
    reuse,
    statements,
    subscripts,
    synthesis,
    terms,
    texts,
    variables,
    wrapping,
)
