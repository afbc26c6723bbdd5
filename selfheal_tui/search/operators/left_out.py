"""What other methods of a class do to an attribute, and this one leaves out or does not undo: `self.left[k] += 1`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import block_of, inserter
from .companions import class_of, nodes_of_others, updated_attribute
from .insertion import spots
from .kinds import kinds
from .scope import bound_at_top, own_nodes, scope

_LONGEST = 80
_MOST, _MOST_NAMES = 8, 4
"""Updates that are tried, and variables in the place of a name that this method does not have."""
_OTHERWISE_BITS = 0.8
"""For an attribute that the method does change, without taking an item away."""
_COUNTED_BITS = 1.0
"""For undoing what names nothing but the object: most of what counts goes one way only."""
_TAKEN_BY = {"append": "remove", "add": "discard"}
_TAKES_ONE = frozenset({"del", "pop", "popleft", "popitem", "remove", "discard"})
_TAKES = _TAKES_ONE | {"clear", "="}
_PUTS = frozenset({"append", "add", "insert", "extend", "="})


class _Update(NamedTuple):
    text: str
    names: frozenset[str]
    """The variables that it reads, and what it is called on."""
    extra: float
    """Bits: fewer for what the class does in more places, more where this method changes the attribute otherwise."""


@operator("left_out_update", 4.8, "a method leaves out an update that another one of its class makes")
def left_out_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert an update of an attribute as another method has it, where this one does not change that attribute.

    What takes an item away is also inserted where this method changes the attribute without taking any.
    """
    method, holder = source.function(node), class_of(source, node)
    if method is None or holder is None or method.name == "__init__" or not method.args.args:
        return
    yield from _inserted(source, method, spots(source, node), _left_out(source, holder, method))


@operator("undone_update", 4.2, "a method does not undo what another one of its class does")
def undone_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.left[k] += 1` for `self.left[k] -= 1` of another method, where this one leaves `left` alone.

    The same for what is put into a list, set or dict, or taken out; where no method of the class has the opposite.
    It goes after the last change of a block, and where a method changes nothing at its end.
    """
    method, holder = source.function(node), class_of(source, node)
    if method is None or holder is None or method.name == "__init__" or not method.args.args:
        return
    yield from _inserted(source, method, _changing_spot(source, method, node), _undone(source, holder, method))


def _inserted(
    source: Source, method: FunctionNode, places: Iterable[tuple[ast.stmt, bool]], updates: Sequence[_Update]
) -> Iterator[Splice]:
    """Yield the edits that insert each update, where one variable that is not there becomes one that is."""
    own = method.args.args[0].arg
    for statement, after in places if updates else ():
        visible = [name for name in scope(source, statement) if name != own]
        known = {*visible, own, *bound_at_top(source)}
        insert = inserter(source, statement, after)
        for place, update in enumerate(updates[:_MOST]):
            extra = 0.5 * bits(place) + update.extra
            missing = update.names - known
            if not missing:
                yield insert((update.text,), f"{quoted(update.text)} is added", extra)
            elif len(missing) == 1:
                (name,) = missing
                for number, other in enumerate(visible[:_MOST_NAMES]):
                    text = re.sub(rf"(?<![\w.]){re.escape(name)}\b", other, update.text)
                    yield insert((text,), f"{quoted(text)} is added", extra + 0.8 + 0.5 * bits(number))


def _changing_spot(source: Source, method: FunctionNode, node: ast.AST) -> list[tuple[ast.stmt, bool]]:
    """Return where a method may change one thing more: after the last change of a block, else as the method ends."""
    statement = next((statement for statement, _ in spots(source, node)), None)
    if statement is None:
        return []
    body, _ = block_of(source, statement)
    changes = [one for one in body if next(_changes(one), None) is not None]
    last = changes[-1] if changes else body[-1] if body is method.body else None
    return [(statement, not isinstance(statement, ast.Return | ast.Raise))] if statement is last else []


def _left_out(source: Source, holder: ast.ClassDef, method: FunctionNode) -> list[_Update]:
    """Return the updates that this method does not make, the likeliest first."""
    updates_of: dict[ast.AST, list[_Update]] = source.memo.setdefault("left_out_updates", {})
    if method not in updates_of:
        own = [change for node in own_nodes(source, method) for change in _changes(node)]
        changed = {attribute for attribute, _ in own}
        ways_of = {attribute: {_way(code) for other, code in own if other == attribute} for attribute in changed}
        nodes = nodes_of_others(source, holder, method)
        found = [
            (attribute, code)
            for node in nodes
            for attribute, code in _changes(node)
            if attribute not in changed or (_way(code) in _TAKES_ONE and not ways_of[attribute] & _TAKES_ONE)
        ]
        times = Counter(source.segment(code) for _, code in found)
        updates = {
            text: _Update(
                text, _names(code), (0.0 if times[text] > 1 else 0.4) + (_OTHERWISE_BITS if attribute in changed else 0)
            )
            for attribute, code in found
            if len(text := source.segment(code)) <= _LONGEST and "\n" not in text
        }
        given = {arg.arg for arg in method.args.args[1:]}
        # What is said of an argument is more likely meant here than what could stand in any method.
        updates_of[method] = sorted(updates.values(), key=lambda update: (update.extra, not update.names & given))
    return updates_of[method]


def _undone(source: Source, holder: ast.ClassDef, method: FunctionNode) -> list[_Update]:
    """Return the opposites of what other methods do to attributes that this one leaves alone, each once."""
    undone_by: dict[ast.AST, list[_Update]] = source.memo.setdefault("undone_updates", {})
    if method not in undone_by:
        changed = {attribute for node in own_nodes(source, method) for attribute, _ in _changes(node)}
        others = [change for node in nodes_of_others(source, holder, method) for change in _changes(node)]
        ways = {(attribute, _way(code)) for attribute, code in others}
        opposites: dict[str, _Update] = {}
        for attribute, code in others:
            for text, names, undoing in _opposites(source, code) if attribute not in changed else ():
                if not any((attribute, way) in ways for way in undoing) and len(text) <= _LONGEST and "\n" not in text:
                    opposites[text] = _Update(text, names, 0.0 if len(names) > 1 else _COUNTED_BITS)
        undone_by[method] = sorted(opposites.values(), key=lambda update: update.extra)
    return undone_by[method]


def _opposites(source: Source, code: ast.stmt | ast.expr) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Yield what undoes a change: its text, its variables, and the ways of changing that do the same."""
    match code:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value):
            sign, way = ("-", "-=") if isinstance(op, ast.Add) else ("+", "+=")
            yield f"{source.segment(target)} {sign}= {source.segment(value)}", _names(code), frozenset({way})
        case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(), slice=ast.Name() | ast.Attribute()) as entry]):
            if not _names(entry.slice) & bound_at_top(source):
                yield f"del {source.segment(entry)}", _names(entry), _TAKES
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=put), args=[item], keywords=[])):
            if (take := _TAKEN_BY.get(put)) is not None:
                yield f"{source.segment(held)}.{take}({source.segment(item)})", _names(code), _TAKES
        case ast.Call(func=ast.Attribute(value=held, attr="pop"), args=[]):
            taken = source.parents.get(code)
            if isinstance(taken, ast.Assign) and isinstance(taken.targets[0], ast.Name):
                name = taken.targets[0].id
                put = "add" if "set" in kinds(source, held) else "append"
                yield f"{source.segment(held)}.{put}({name})", _names(held) | {name}, _PUTS


def _way(code: ast.AST) -> str:
    """Return in which way a change is one: the name of a method, `del`, `+=`, `[]=` for an entry, else `=`."""
    match code:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=called))) | ast.Call(func=ast.Attribute(attr=called)):
            return called
        case ast.Delete():
            return "del"
        case ast.AugAssign(op=op):
            return {ast.Add: "+=", ast.Sub: "-="}.get(type(op), "=")
        case ast.Assign(targets=[ast.Subscript()]):
            return "[]="
    return "="


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """Yield attribute and code of what changes it: a statement, or what is taken from it for its value."""
    if isinstance(node, ast.stmt) and (updated := updated_attribute(node)) is not None:
        yield updated.attr, node
    match node:
        case (
            ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr="pop")) as call)
            | ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr="pop")) as call)
        ):
            yield held.attr, call


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
