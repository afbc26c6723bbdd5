"""Families of small edits; a new one is a file here, with its decorator, and a word below."""

from __future__ import annotations

from . import (
    accumulate,
    arguments,
    arithmetic,
    calls,
    comparison,
    constants,
    grouping,
    imports,
    logic,
    off_by_one,
    statements,
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
    calls,
    comparison,
    constants,
    grouping,
    imports,
    logic,
    off_by_one,
    statements,
    texts,
    variables,
    wrapping,
)
