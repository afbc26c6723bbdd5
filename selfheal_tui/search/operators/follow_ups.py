"""What should follow and does not: a last group, an act at zero, a second sum, a kept argument, an entry used last."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import block_of, has_own_lines, inserter
from .companions import attributes_given
from .insertion import under_conditions
from .kinds import NUMBERS, kinds
from .scope import own_nodes, scope

_MOST = 6


@operator("last_group", 3.2, "what a loop gathered last is left out")
def last_group(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `if line: lines.append(line)` after a loop that appends a variable which it goes on to fill."""
    if not isinstance(node, ast.For | ast.While) or not has_own_lines(source, node):
        return
    filled = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    filled -= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    body, _ = block_of(source, node)
    later = {source.segment(one) for one in body[body.index(node) + 1 :]}
    texts: dict[str, str] = {}
    for inner in ast.walk(node):
        match inner:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[argument])):
                pass
            case ast.Expr(value=ast.Yield(value=ast.expr() as argument)):
                pass
            case _:
                continue
        name = next((n.id for n in ast.walk(argument) if isinstance(n, ast.Name) and n.id in filled), "")
        text = source.segment(inner)
        if name and "\n" not in text and text not in later:
            texts[text] = name
    insert = inserter(source, node, True)
    for text, name in texts.items():
        yield insert((f"if {name}:", f"\t{text}"), f"{quoted(f'if {name}: {text}')} is added after the loop", 0.0)
        yield insert((text,), f"{quoted(text)} is added after the loop", 0.6)


@operator("at_zero", 4.2, "something should happen only when a counter has come down to zero")
def at_zero(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `if left[k] == 0:` before the statement that follows `left[k] -= 1`."""
    if not isinstance(node, ast.stmt) or isinstance(node, ast.For | ast.While):
        return
    body, _ = block_of(source, node)
    place = body.index(node) if node in body else 0
    match body[place - 1] if place else None:
        case ast.AugAssign(target=target, op=ast.Sub(), value=ast.Constant(value=1)):
            text = source.segment(target)
            yield from under_conditions(source, node, [f"{text} == 0", f"{text} <= 0"])


@operator("second_sum", 4.4, "of two numbers that change together one is left as it was")
def second_sum(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `free -= part` beside `hours -= part`; what `part` was made of comes first."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub() as op, value=ast.Name(id=part)):
            pass
        case _:
            return
    function = source.function(node)
    if function is None or not has_own_lines(source, node):
        return
    stores = [n for n in own_nodes(source, function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    bound = {n.id for n in stores}
    made_of = {
        inner.id
        for one in own_nodes(source, function)
        if isinstance(one, ast.Assign) and source.segment(one.targets[0]) == part
        for inner in ast.walk(one.value)
        if isinstance(inner, ast.Name)
    }
    numbers = [n for n, kind in scope(source, node).items() if n in bound - {name, part} and kind & NUMBERS]
    numbers += [n for n in made_of & bound if n not in (name, part, *numbers)]
    numbers.sort(key=lambda other: other not in made_of)
    insert = inserter(source, node, True)
    sign, turned = ("-", "+") if isinstance(op, ast.Sub) else ("+", "-")
    for place, other in enumerate(numbers[:_MOST]):
        extra = 0.7 * bits(place) + (0.0 if other in made_of else 0.8)
        for text, more in ((f"{other} {sign}= {part}", 0.0), (f"{other} {turned}= {part}", 0.8)):
            yield insert((text,), f"{quoted(text)} is added", extra + more)


@operator("kept_argument", 4.4, "a method is given a value and does not keep it")
def kept_argument(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.code = new` at the end of a method, for an attribute that `__init__` is given."""
    function = source.function(node)
    holder = source.parents.get(function) if function is not None else None
    if not isinstance(node, ast.stmt) or not isinstance(holder, ast.ClassDef) or function is None:
        return
    if node is not function.body[-1] or function.name == "__init__" or not has_own_lines(source, node):
        return
    own, *others = [arg.arg for arg in function.args.args] or [""]
    changed = _attributes_set(function)
    given = [name for name in attributes_given(holder) if name not in changed]
    insert = inserter(source, node, after=not isinstance(node, ast.Return))
    pairs = [(name, other) for name in given for other in reversed(others)]
    pairs.sort(key=lambda pair: not (pair[0] in pair[1] or pair[1] in pair[0]))
    for place, (name, other) in enumerate(pairs[:_MOST]):
        text = f"{own}.{name} = {other}"
        yield insert((text,), f"{quoted(text)} is added", 0.6 * bits(place))


@operator("used_last", 4.0, "an entry that is used is not put last")
def used_last(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.items.move_to_end(key)` after an entry of an `OrderedDict` is set, or before it is returned."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Assign(value=value, targets=[ast.Name()]):
            entries = [inner for inner in ast.walk(value) if isinstance(inner, ast.Subscript)]
        case ast.Assign(targets=[ast.Subscript() as entry]):
            entries = [entry]
        case _:
            return
    function = source.function(node)
    if function is None or "OrderedDict" not in source.text or not has_own_lines(source, node):
        return
    looked_up = [*_looked_up(source, function, node)] if isinstance(node, ast.Return) else []
    said = {source.segment(inner) for inner in own_nodes(source, function) if isinstance(inner, ast.Call)}
    insert = inserter(source, node, after=isinstance(node, ast.Assign))
    for items, key in [*((entry.value, entry.slice) for entry in entries), *looked_up]:
        text = f"{source.segment(items)}.move_to_end({source.segment(key)})"
        kind = kinds(source, items)
        if (not kind or "OrderedDict" in kind) and "\n" not in text and text not in said:
            yield insert((text,), f"{quoted(text)} is added", 0.0)


def _looked_up(source: Source, function: FunctionNode, before: ast.Return) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what entries were looked up in, and by which key, by `get` before a function returns something."""
    if before.value is None or isinstance(before.value, ast.Constant):
        return
    for inner in own_nodes(source, function):
        match inner:
            case ast.Call(func=ast.Attribute(value=items, attr="get"), args=[key, *_]) if inner.lineno < before.lineno:
                yield items, key


def _attributes_set(function: FunctionNode) -> set[str]:
    return {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
