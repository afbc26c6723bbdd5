"""What other methods of a class do to an attribute and this one leaves out: `self.names.remove(name)` as it returns."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import inserter
from .companions import class_of, nodes_of_others, updated_attribute
from .insertion import spots
from .scope import bound_at_top, own_nodes, scope

_LONGEST = 80
_MOST, _MOST_NAMES = 8, 4
"""Updates that are tried, and variables in the place of a name that this method does not have."""


class _Update(NamedTuple):
    text: str
    names: frozenset[str]
    """The variables that it reads, and what it is called on."""
    times: int
    """In how many places the class has it."""


@operator("left_out_update", 4.8, "a method leaves out an update that another one of its class makes")
def left_out_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert an update of an attribute as another method has it, where this one changes that attribute nowhere."""
    method, holder = source.function(node), class_of(source, node)
    if method is None or holder is None or method.name == "__init__" or not method.args.args:
        return
    own = method.args.args[0].arg
    for statement, after in spots(source, node):
        visible = [name for name in scope(source, statement) if name != own]
        known = {*visible, own, *bound_at_top(source)}
        insert = inserter(source, statement, after)
        for place, update in enumerate(_updates(source, holder, method)[:_MOST]):
            extra = 0.5 * bits(place) + (0.0 if update.times > 1 else 0.4)
            missing = update.names - known
            if not missing:
                yield insert((update.text,), f"{quoted(update.text)} is added", extra)
            elif len(missing) == 1:
                (name,) = missing
                for number, other in enumerate(visible[:_MOST_NAMES]):
                    text = re.sub(rf"(?<![\w.]){re.escape(name)}\b", other, update.text)
                    yield insert((text,), f"{quoted(text)} is added", extra + 0.8 + 0.5 * bits(number))


def _updates(source: Source, holder: ast.ClassDef, method: FunctionNode) -> list[_Update]:
    """Return the updates of attributes that this method leaves alone, the most frequent first."""
    updates_of: dict[ast.AST, list[_Update]] = source.memo.setdefault("left_out_updates", {})
    if method not in updates_of:
        changed = {attribute for node in own_nodes(source, method) for attribute, _ in _changes(node)}
        nodes = nodes_of_others(source, holder, method)
        found = [change for node in nodes for attribute, change in _changes(node) if attribute not in changed]
        times = Counter(source.segment(change) for change in found)
        names = {source.segment(change): _names(change) for change in found}
        updates_of[method] = [
            _Update(text, names[text], count)
            for text, count in times.most_common()
            if len(text) <= _LONGEST and "\n" not in text
        ]
    return updates_of[method]


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
