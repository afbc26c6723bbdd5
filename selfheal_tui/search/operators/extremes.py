"""Two objects, or two numbers: `min` and `max` changed places, one value where that of both was meant, and equality
that leaves an attribute out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked, together
from .kinds import NUMBERS, UNKNOWN, kinds
from .scope import free_names, kin, own_nodes, owner, scope

_OTHER = {"min": "max", "max": "min"}
_MOST = 3
"""Objects that are tried beside one."""


@operator("extremes", 2.6, "the smallest and the largest changed places")
def extremes(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `max` for each `min` of a statement's expression, and `min` for each `max`, where it has both."""
    if not isinstance(node, ast.Return | ast.Assign) or node.value is None:
        return
    named = [
        call.func
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _OTHER
    ]
    if {name.id for name in named} == {*_OTHER}:
        parts = [(*source.span(name), _OTHER[name.id]) for name in named]
        yield together(source, parts, "`min` and `max` are swapped")


@operator("of_both", 3.4, "the value of one object stands where that of both was meant")
def of_both(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take the larger or smaller of an attribute of two objects: `max(self.end, other.end)`.

    They are the two of a method, or what the function takes an attribute of the same name of: `last.end = slot.end`.
    """
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load) or not _is_taken(source, node):
        return
    known = kinds(source, node)
    if source.function(node) is None or (known and not known & NUMBERS):
        return
    own = source.segment(node.value)
    for other in _objects_like(source, node):
        pair = sorted((other, own), key=_parameters(source, node).index) if _is_pair(source, node) else (other, own)
        both = ", ".join(f"{name}.{node.attr}" for name in pair)
        yield from ranked(source, node, (f"max({both})", f"min({both})"), 0.4)


def _is_taken(source: Source, node: ast.Attribute) -> bool:
    """Tell whether an attribute stands alone: given back, kept, or passed on, but not to `min` or `max`."""
    parent = source.parents.get(node)
    call = source.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        return call.func is not node and ast.unparse(call.func) not in _OTHER
    return isinstance(parent, ast.Return | ast.Assign | ast.Tuple)


def _parameters(source: Source, node: ast.AST) -> list[str]:
    function = source.function(node)
    return [argument.arg for argument in function.args.args] if function is not None else []


def _is_pair(source: Source, node: ast.Attribute) -> bool:
    """Tell whether an attribute is one of the two objects of a method."""
    names, function = _parameters(source, node), source.function(node)
    in_class = function is not None and isinstance(source.parents.get(function), ast.ClassDef)
    return in_class and len(names) == 2 and isinstance(node.value, ast.Name) and node.value.id in names


def _objects_like(source: Source, node: ast.Attribute) -> list[str]:
    """Return other objects at a node that should have its attribute: the other one of a method; else variables, and
    items of variables, of which the function takes an attribute of the same name.
    """
    own = source.segment(node.value)
    if _is_pair(source, node):
        return [name for name in _parameters(source, node) if name != own]
    taken, visible = _attributes_taken(source, node), scope(source, node)
    known = {*visible, *_parameters(source, node)}
    of_own = taken[own][1] if own in taken else set()
    like = [text for text, (free, names) in taken.items() if text != own and free <= known and names & of_own]
    return [text for text in like if kin(visible.get(text, UNKNOWN), visible.get(own, UNKNOWN)) is not False][:_MOST]


def _attributes_taken(source: Source, node: ast.AST) -> dict[str, tuple[frozenset[str], set[str]]]:
    """Return variable, or item of one, of a function -> the names that it reads, attributes that are taken of it."""
    taken_in: dict[ast.AST, dict[str, tuple[frozenset[str], set[str]]]] = source.memo.setdefault("attributes_taken", {})
    function = owner(source, node)
    if function not in taken_in:
        taken: dict[str, tuple[frozenset[str], set[str]]] = {}
        for one in own_nodes(source, function):
            match one:
                case ast.Attribute(value=ast.Name() | ast.Subscript(value=ast.Name()) as held, attr=name):
                    parent = source.parents.get(one)
                    if not (isinstance(parent, ast.Call) and parent.func is one):
                        taken.setdefault(source.segment(held), (free_names(held), set()))[1].add(name)
        taken_in[function] = taken
    return taken_in[function]


@operator("all_compared", 3.0, "objects are equal without all of their attributes")
def all_compared(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Compare in `__eq__` one more attribute that `__init__` sets."""
    function = source.function(node)
    if not isinstance(node, ast.Return) or node.value is None or function is None or function.name != "__eq__":
        return
    names, holder = [argument.arg for argument in function.args.args], source.parents.get(function)
    if len(names) != 2 or not isinstance(holder, ast.ClassDef):
        return
    own, other = names
    compared = {one.attr for one in ast.walk(node.value) if isinstance(one, ast.Attribute)}
    end = source.span(node.value)[1]
    for name in _set_by(holder):
        if name not in compared and compared:
            text = f" and {own}.{name} == {other}.{name}"
            yield Splice(end, end, text, f"{quoted(text[5:])} is asked too")


def _set_by(holder: ast.ClassDef) -> list[str]:
    """Return the attributes that the `__init__` of a class sets, without those of its own."""
    made = [one for one in holder.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    set_there = [
        one.attr
        for function in made
        for one in ast.walk(function)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    ]
    return [name for name in dict.fromkeys(set_there) if not name.startswith("_")]
