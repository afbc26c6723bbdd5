"""Which answers are compared as values, and which by what repr shows of them. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from selfheal_tui.python_source import is_literal, parse_or_none
from selfheal_tui.python_values import is_value, unknown_names

_COMPARED = frozenset({"Enum", "Flag", "IntEnum", "IntFlag", "NamedTuple", "StrEnum"})
"""Bases whose members and objects compare as what they hold."""


def is_written_out(answer: str, program: Mapping[str, str]) -> bool:
    """Tell whether an answer is no literal and equal to what it says: its types are Python's own, or compare.

    An object of another class of the `program` (path -> text) is equal to nothing but itself, whatever its repr says.
    """
    if answer.startswith("!") or is_literal(answer) or not is_value(answer):
        return False
    compared = {name for text in program.values() for name in _compared_in(text)}
    return not unknown_names(answer, compared)


def _compared_in(text: str) -> set[str]:
    """Return the classes of a file whose objects compare as what they hold."""
    tree = parse_or_none(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)] if tree is not None else []
    return {node.name for node in classes if _compares(node)}


def _compares(node: ast.ClassDef) -> bool:
    named = [*node.bases, *(one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)]
    last = {ast.unparse(one).rpartition(".")[2] for one in named}
    own = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return not last.isdisjoint({*_COMPARED, "dataclass"}) or "__eq__" in own
