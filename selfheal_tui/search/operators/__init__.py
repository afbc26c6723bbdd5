"""Families of small edits; a new one is a file here and its decorator."""

from __future__ import annotations

from . import (
    arithmetic,
    calls,
    comparison,
    constants,
    imports,
    logic,
    off_by_one,
    statements,
    variables,
    wrapping,
)
from .base import OPERATORS, Family, Splice, operator

__all__ = ["OPERATORS", "Family", "Splice", "operator"]

_FAMILIES = (
    arithmetic,
    calls,
    comparison,
    constants,
    imports,
    logic,
    off_by_one,
    statements,
    variables,
    wrapping,
)
