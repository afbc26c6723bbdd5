"""Families of small edits; a new one is a file here: a generator of `Splice`s with the decorator `operator`.

A family looks at one node of the syntax tree and yields what might be meant instead, likeliest first, on the original
text: `base.replace` and `base.ranked` put an expression in the place of another, with parentheses where it must have
them; `blocks` inserts and moves whole lines. `scope` tells which variables can be read at a node,
`kinds` what they are.
"""

from __future__ import annotations

import importlib
import pkgutil

from .base import OPERATORS, Family, Splice, operator

__all__ = ["OPERATORS", "Family", "Splice", "operator"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
