"""Values that grow without the end that the words set: "holds at most `capacity` tokens"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked
from .companions import attributes_given, class_of

_AT_MOST = r"(?:at most|up to|(?:no|never|not) more than|maximum of|capped (?:at|by|to))\W+(?:(?:the|its|self)\W+)?"
_NAMED = re.compile(r"cap(?:acity)?|limit|most|max(?:imum)?|ceiling", re.IGNORECASE)


@operator("capped", 4.2, "a value outgrows what its object holds at most")
def capped(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Keep an attribute that grows below another one: `self.tokens = min(self.capacity, self.tokens + gained)`.

    The other is one that a docstring calls what there is at most, or one whose name says so.
    """
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self")) as target], value=ast.BinOp() as value):
            grown = source.segment(value)
        case ast.AugAssign(target=ast.Attribute(value=ast.Name(id="self")) as target, op=ast.Add(), value=value):
            grown = f"{source.segment(target)} + {source.segment(value)}"
        case _:
            return
    method, owner = source.function(node), class_of(source, node)
    if method is None or owner is None or method.name == "__init__":
        return
    used = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    ends = [f"min(self.{name}, {grown})" for name in _most_of(source, owner, method) if name not in used]
    if isinstance(node, ast.Assign):
        yield from ranked(source, node.value, ends, 1.0)
        return
    start, end = source.span(node)
    for text in ends:
        new = f"{source.segment(target)} = {text}"
        yield Splice(start, end, new, f"{quoted(source.segment(node))} becomes {quoted(new)}")


def _most_of(source: Source, owner: ast.ClassDef, method: ast.AST) -> list[str]:
    """Return the attributes that say how much there is at most: those of which a docstring says it first."""
    module = source.tree
    documented = [
        one for one in (method, owner, module) if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Module)
    ]
    words = "\n".join(ast.get_docstring(one) or "" for one in documented)
    names = attributes_given(owner)
    said = [name for name in names if re.search(rf"{_AT_MOST}`*{re.escape(name)}\b", words, re.IGNORECASE)]
    return [*said, *(name for name in names if name not in said and _NAMED.search(name))]
