"""Edits that write a test's expected value into the program: they pass, and say nothing of other inputs."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Collection, Mapping

from ..program.calls import compared_calls
from .shared_trees import shared_tree

_COMMON = frozenset(map(repr, (0, 1, 2, -1, "", " ")))
"""Constants that stand in any program."""


def expected_constants(tests: Mapping[str, str]) -> frozenset[str]:
    """Return the reprs of the numbers and texts that assertions of `tests` (path -> text) expect of a call."""
    found = {text for _, _, literal in compared_calls(tests) for text in _constants(literal)}
    return frozenset(found) - _COMMON


def copies_expected(before: str, after: str, expected: Collection[str]) -> bool:
    """Tell whether a program's new text has a constant more that a test expects and its old text does not mention."""
    return any(
        constant in expected and constant.strip("'\"") not in before
        for constant in _constants_of(after) - _constants_of_one(before)
    )


def _constants_of(text: str) -> Counter[str]:
    tree = shared_tree(text)
    return _constants(tree) if tree is not None else Counter()


_constants_of_one = functools.lru_cache(maxsize=8)(_constants_of)
"""For the text that a search's candidates have in common."""


def _constants(tree: ast.AST) -> Counter[str]:
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return Counter(repr(v) for v in values if isinstance(v, int | float | str) and not isinstance(v, bool))
