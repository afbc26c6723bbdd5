"""Conditions that say, but for names, what another function of the file says: people ask the same thing alike. Pure."""

from __future__ import annotations

import ast
import copy
import functools
from collections import Counter
from collections.abc import Iterator

from ..program.source import FunctionNode
from .shared_trees import shared_tree

_SAYING = (ast.Call, ast.Compare, ast.UnaryOp)


def repeated_conditions(before: str, after: str) -> bool:
    """Tell whether a change makes a condition of several parts the same as one of another function, but for names."""
    return _repeated(after) > _repeated_of_one(before)


def _repeated(text: str) -> int:
    """Return how many functions have a condition that another function has too."""
    tree = shared_tree(text)
    forms = [{*_forms(function)} for function in _functions(tree)] if tree is not None else []
    counts = Counter(form for own in forms for form in own)
    return sum(any(counts[form] > 1 for form in own) for own in forms)


_repeated_of_one = functools.lru_cache(maxsize=8)(_repeated)
"""For the text that a search's candidates have in common."""


def _functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the outermost functions of a file, those of classes with them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _functions(child)


def _forms(function: ast.AST) -> Iterator[str]:
    """Yield the forms of the conditions of several parts that a function has, none of them a bare name."""
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp) and all(isinstance(one, _SAYING) for one in node.values):
            yield _form(node)


def _form(condition: ast.BoolOp) -> str:
    """Return a condition with its variables numbered in the order in which they come; what is called keeps its name."""
    renamed = copy.deepcopy(condition)
    called = [node.func for node in ast.walk(renamed) if isinstance(node, ast.Call)]
    numbers: dict[str, str] = {}
    for node in ast.walk(renamed):
        if isinstance(node, ast.Name) and node not in called:
            node.id = numbers.setdefault(node.id, str(len(numbers)))
    return ast.dump(renamed)
