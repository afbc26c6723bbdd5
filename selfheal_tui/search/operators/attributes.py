"""Attributes that are not there: the method that makes an object forgets to set one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import first_statement, has_own_lines, inserter

_MISSING = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_VALUES = ("None", "[]", "{}", "0", '""', "False", "set()", "True", "1")
_SHORT = 30


@operator("missing_attribute", 2.0, "an object lacks an attribute that its methods use")
def missing_attribute(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Set `self.items = []` in `__init__` where a failing case did not find it; an argument of the name comes first."""
    maker = source.function(node)
    if maker is None or maker.name != "__init__" or not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    if not (node in (first_statement(maker), maker.body[-1]) or isinstance(node, ast.Pass)):
        return
    is_last = node is maker.body[-1] and not isinstance(node, ast.Return)
    for name in _missing_of(source, maker):
        for place, value in enumerate(_values(source, maker, name)):
            text = f"{maker.args.args[0].arg}.{name} = {value}"
            reason, extra = f"{quoted(text)} is added", 0.5 * bits(place)
            if isinstance(node, ast.Pass):
                yield Splice(*source.span(node), text, reason, 1.0, extra)
                continue
            if node is first_statement(maker):
                yield inserter(source, node)((text,), reason, extra + 0.3)
            if is_last:
                yield inserter(source, node, True)((text,), reason, extra)


def _missing_of(source: Source, maker: FunctionNode) -> list[str]:
    """Return the attributes that runs did not find on objects of the class that `maker` makes."""
    holder = source.parents.get(maker)
    if not isinstance(holder, ast.ClassDef) or not maker.args.args:
        return []
    found = (_MISSING.match(text) for kind, text, _ in source.observations.errors if kind == "AttributeError")
    return [
        name for of_class, name in dict.fromkeys(match.groups() for match in found if match) if of_class == holder.name
    ]


def _values(source: Source, maker: FunctionNode, name: str) -> list[str]:
    """Return what the attribute may start as: an argument of its name, what other attributes start as, common ones."""
    arguments = [arg.arg for arg in (*maker.args.args[1:], *maker.args.kwonlyargs)]
    others = [
        source.segment(node.value)
        for node in ast.walk(maker)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    ]
    starts = [text for text in others if len(text) <= _SHORT and "\n" not in text]
    same = [argument for argument in arguments if argument.strip("_") == name.strip("_")]
    return list(dict.fromkeys((*same, *_VALUES[:3], *starts, *_VALUES[3:], *arguments)))
