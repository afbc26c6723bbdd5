"""Variables: a name stands where another one in scope was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import combinations

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted, ranked, together
from .blocks import block_of, first_statement
from .kinds import UNKNOWN, Kinds, kinds
from .scope import is_value, kin, own_nodes, scope

_PROPERTIES = ("cached_property", "property")
_MOST_NAMES = 8
_MOST_UNLIKE = 4
"""Places of two variables of different types: with more of them something must have worked."""


@operator("variable", 2.0, "the wrong variable is used")
def variable(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a name that is read by another variable in scope, those of its kind first."""
    if not isinstance(node, ast.Name) or not is_value(source, node):
        return
    kind, visible = kinds(source, node), scope(source, node)
    same, unknown, other = _by_kinship(kind, {name: k for name, k in visible.items() if name != node.id})
    yield from ranked(source, node, same, 0.5)
    yield from ranked(source, node, unknown, 0.6, 0.6)
    yield from ranked(source, node, other, 0.7, 3.0)


@operator("constant_for_variable", 3.6, "a constant stands where a variable was meant")
def constant_for_variable(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a constant by a variable in scope."""
    if not isinstance(node, ast.Constant) or node.value is None or not is_value(source, node):
        return
    same, unknown, _ = _by_kinship(kinds(source, node), scope(source, node))
    yield from ranked(source, node, same, 0.6)
    yield from ranked(source, node, unknown, 0.6, 1.2)


@operator("attribute", 2.5, "the wrong attribute is used")
def attribute(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace an attribute by another that the file uses or defines, those of the same variable first; by the variable
    of its name; or drop it."""
    if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Del):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    own = source.attributes.get(node.value.id, ()) if isinstance(node.value, ast.Name) else ()
    others = dict.fromkeys(name for names in source.attributes.values() for name in names)
    end = source.span(node)[1]
    start = end - len(node.attr)
    for place, name in enumerate(dict.fromkeys((*own, *others, *_defined(source)))):
        if name != node.attr:
            reason = f"`.{node.attr}` becomes `.{name}`"
            yield Splice(start, end, name, reason, 1.0, min(2.0, 0.5 * place))
    if is_value(source, node):
        if node.attr in scope(source, node):
            yield from ranked(source, node, [node.attr], 0.0)
        yield from ranked(source, node, [source.segment(node.value)], 0.0, 1.6)


def _defined(source: Source) -> tuple[str, ...]:
    """Return the properties and fields that the file's classes define: nothing need have read them yet."""
    if "defined_attributes" not in source.memo:
        classes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
        members = [member for node in classes for member in node.body]
        properties = [one.name for one in members if isinstance(one, FunctionNode) and _is_property(one)]
        fields = [
            one.target.id for one in members if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        ]
        source.memo["defined_attributes"] = tuple(dict.fromkeys([*properties, *fields]))
    defined: tuple[str, ...] = source.memo["defined_attributes"]
    return defined


def _is_property(function: FunctionNode) -> bool:
    return any(ast.unparse(one).rpartition(".")[2] in _PROPERTIES for one in function.decorator_list)


@operator("part_of_variable", 4.0, "a variable is used where a part of it was meant")
def part_of_variable(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Read an attribute that the file reads on the same variable, or on any when nothing is known of it."""
    if (
        not isinstance(node, ast.Name)
        or not is_value(source, node)
        or isinstance(source.parents.get(node), ast.Attribute)
    ):
        return
    own = source.attributes.get(node.id, ())
    others = () if own or kinds(source, node) else tuple(n for names in source.attributes.values() for n in names)
    yield from ranked(source, node, (f"{node.id}.{name}" for name in dict.fromkeys((*own, *others))), 0.5)


@operator("exchange", 3.5, "two variables are mixed up")
def exchange(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Exchange two variables all over a statement, over it and the next one, or all over a function."""
    if isinstance(node, ast.stmt) and not isinstance(node, FunctionNode | ast.ClassDef):
        function = source.function(node)
        if function is not None and node is first_statement(function):
            yield from _exchanged(source, function, own_nodes(source, function), 0.4)
        body, _ = block_of(source, node)
        place = body.index(node)
        yield from _exchanged(source, node, list(ast.walk(node)), 0.0)
        if place + 1 < len(body):
            yield from _exchanged(source, node, [*ast.walk(node), *ast.walk(body[place + 1])], 0.8, 2)


def _exchanged(
    source: Source, at: ast.stmt, nodes: Iterable[ast.AST], extra: float, least: int = 3
) -> Iterator[Splice]:
    inside = {n for node in nodes if isinstance(node, ast.JoinedStr) for n in ast.walk(node)}
    spans: dict[str, list[tuple[int, int]]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and node not in inside and not _is_called(source, node):
            spans.setdefault(node.id, []).append(source.span(node))
    kinds_of = _kinds_at(source, at)
    names = [name for name in spans if name in kinds_of][:_MOST_NAMES]
    for one, other in combinations(names, 2):
        places = sorted(spans[one] + spans[other])
        unlike = kin(kinds_of[one], kinds_of[other]) is False
        if len(places) < least or (unlike and len(places) > _MOST_UNLIKE):
            continue
        parts = [(a, b, other if source.text[a:b] == one else one) for a, b in places]
        yield together(source, parts, f"{quoted(one)} and {quoted(other)} are swapped", extra + unlike)


def _kinds_at(source: Source, at: ast.stmt) -> dict[str, Kinds]:
    if isinstance(at, FunctionNode):
        return {n.id: UNKNOWN for n in own_nodes(source, at) if isinstance(n, ast.Name)} | scope(source, at.body[-1])
    own = {n.id: kinds(source, n) for n in ast.walk(at) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return own | scope(source, at)


def _is_called(source: Source, node: ast.Name) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _by_kinship(kind: Kinds, names: dict[str, Kinds]) -> tuple[list[str], list[str], list[str]]:
    same: list[str] = []
    unknown: list[str] = []
    other: list[str] = []
    for name, its in names.items():
        related = kin(kind, its)
        (unknown if related is None else same if related else other).append(name)
    return same, unknown, other
