"""Trees of texts that several signs look at, and what changes between two, made once; nobody may change them."""

from __future__ import annotations

import ast
import functools
import warnings

from selfheal_tui.python_source import parse_or_none

from .tree_changes import TreeChange, tree_changes


@functools.lru_cache(maxsize=16)
def shared_tree(text: str) -> ast.Module | None:
    """Return the tree of a file, to be read only; None when it does not parse or is nested too deeply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return parse_or_none(text)


@functools.lru_cache(maxsize=16)
def shared_changes(before: str, after: str) -> list[TreeChange]:
    """Return what leads from the tree of one text to that of the other; nothing where one has no tree."""
    old, new = shared_tree(before), shared_tree(after)
    return tree_changes(old, new) if old is not None and new is not None else []
