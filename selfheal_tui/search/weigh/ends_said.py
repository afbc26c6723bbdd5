"""Which end words say that something goes from: "least recently used first", and then `popitem(last=True)`. Pure."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from ..program.source import FunctionNode

_BEGIN, _END = "first", "last"
_SAID = (
    (_BEGIN, re.compile(r"\bleast[- ]recent(?:ly)?\b|\boldest\b|\bfirst[- ]in\b|\bfifo\b|\blru\b", re.IGNORECASE)),
    (_END, re.compile(r"\bmost[- ]recent(?:ly)?\b|\bnewest\b|\blast[- ]in\b|\blifo\b|\blatest\b", re.IGNORECASE)),
)
"""An end, and words that say so."""
_Where = tuple[str, ...]
"""Names of the classes around a function, and its own."""


def against_end(before: ast.Module, after: ast.Module) -> str:
    """Say that a change takes from the other end than the words around it name; empty where it does not."""
    new = {where: _ends(function) for where, function, _ in _functions(after, ())}
    for where, function, words in _functions(before, (), _docstring(before)):
        was, now = _ends(function), new.get(where, Counter())
        for (end, said), (other, against) in (_SAID, _SAID[::-1]):
            is_turned = was[end] > now[end] and now[other] > was[other]
            if is_turned and (found := said.search(words)) and not against.search(words):
                return f"It takes the {other} of what is kept, and the words around it say “{found[0]}”."
    return ""


def _functions(node: ast.AST, inside: _Where, words: str = "") -> Iterator[tuple[_Where, FunctionNode, str]]:
    """Yield each function with its place, and what docstrings say there."""
    for inner in getattr(node, "body", ()):
        if isinstance(inner, ast.ClassDef):
            yield from _functions(inner, (*inside, inner.name), f"{words}\n{_docstring(inner)}")
        elif isinstance(inner, FunctionNode):
            yield (*inside, inner.name), inner, f"{words}\n{_docstring(inner)}"


def _docstring(node: ast.Module | ast.ClassDef | FunctionNode) -> str:
    return ast.get_docstring(node) or ""


def _ends(function: FunctionNode) -> Counter[str]:
    """Count what a function takes from which end of a list, a deque or an `OrderedDict`."""
    return Counter(end for node in ast.walk(function) if (end := _end_of(node)))


def _end_of(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Attribute(attr="popitem"), args=[], keywords=[ast.keyword("last", ast.Constant(last))]):
            return _END if last else _BEGIN
        case (
            ast.Call(func=ast.Attribute(attr="popleft"), args=[])
            | ast.Call(func=ast.Attribute(attr="pop"), args=[ast.Constant(0)], keywords=[])
        ):
            return _BEGIN
        case (
            ast.Call(func=ast.Attribute(attr="popitem" | "pop"), args=[], keywords=[])
            | ast.Call(func=ast.Attribute(attr="pop"), args=[ast.UnaryOp(ast.USub(), ast.Constant(1))], keywords=[])
        ):
            return _END
    return ""
