"""Subscripts and slices: the wrong end, a bound missing or too many, indexes swapped, a key that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked, replace
from .fitting import ATOM, SUM, UNARY, grouped
from .kinds import MAPPINGS, NUMBERS, SEQUENCES, kinds
from .scope import editable, free_names, is_value, own_nodes, owner, scope


@operator("index", 3.4, "the wrong element is taken", discount=1.0)
def index(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take the first, the last, the mirrored or a slice of the elements, swap two indexes, or do without."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice) or not is_value(source, node):
        return
    value, at = source.segment(node.value), source.segment(node.slice)
    own = grouped(value, ATOM)
    if isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
        inner = node.value
        first = source.segment(inner.slice)
        yield from ranked(source, node, [f"{source.segment(inner.value)}[{at}][{first}]"], 0.0, -1.0)
    if isinstance(node.slice, ast.Tuple):
        return
    kind = kinds(source, node.value)
    if kind & MAPPINGS:
        yield from ranked(source, node, (f"{own}.get({at}, 0)", f"{own}.get({at})", f"{own}.get({at}, [])"), 0.4)
        return
    back = f"-{grouped(at, UNARY)}"
    constant = isinstance(node.slice, ast.Constant | ast.UnaryOp)
    forms = [f"{own}[-1]", f"{own}[0]", f"{own}[{back}]", f"{own}[:{at}]", f"{own}[{at}:]"]
    if not constant:
        forms += [
            f"{own}[{grouped(at, SUM)} + 1:]",
            f"{own}[-1 - {grouped(at, SUM + 1)}]",
            f"{own}[{at} % len({value})]",
        ]
    if not kind:
        forms += [f"{own}.get({at}, 0)", f"{own}.get({at})"]
    yield from ranked(source, node, (form for form in forms if "--" not in form), 0.4)
    yield replace(source, node, value, 1.0, 0.8)


@operator("taken", 4.0, "an item is only looked at where it should be taken", discount=0.4)
def taken(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `queue[0]` into `queue.pop(0)`, `queue[-1]` into `queue.pop()` and `self.due[key]` into `self.due.pop(key)`,
    where the value is used and the collection is kept: in an attribute, got out of one, or what a loop goes on by.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load) or not _is_used(source, node):
        return
    kind, at = kinds(source, node.value), source.segment(node.slice)
    queue = "deque" in kind
    if at in ("0", "-1") and (not kind or queue or "list" in kind) and _is_kept(source, node.value):
        call = "pop()" if at == "-1" else "popleft()" if queue else "pop(0)"
        yield replace(source, node, f"{source.segment(node.value)}.{call}", 1.0, -0.4)
    elif (
        isinstance(node.value, ast.Attribute)
        and isinstance(node.slice, ast.Name | ast.Attribute)
        and (not kind or kind & MAPPINGS)
    ):
        yield replace(source, node, f"{source.segment(node.value)}.pop({at})", 1.0, 0.4 if kind else 1.0)


def _is_used(source: Source, node: ast.expr) -> bool:
    """Tell whether an expression is given back, kept or passed on, and not only asked about."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.IfExp):
        return parent.test is not node
    return isinstance(parent, ast.Return | ast.Assign) or (isinstance(parent, ast.Call) and node in parent.args)


def _is_kept(source: Source, value: ast.expr) -> bool:
    """Tell whether a list lives on after the line: part of an object or mapping, or what a loop around goes on by."""
    if isinstance(value, ast.Attribute | ast.Subscript):
        return any(isinstance(part, ast.Attribute) for part in ast.walk(value))
    if not isinstance(value, ast.Name):
        return False
    at, function = source.parents.get(value), owner(source, value)
    while at is not None and at is not function:
        if isinstance(at, ast.While) and value.id in free_names(at.test):
            return True
        at = source.parents.get(at)
    made = [
        one.value
        for one in own_nodes(source, function)
        if isinstance(one, ast.Assign) and any(source.segment(target) == value.id for target in one.targets)
    ]
    return bool(made) and all(map(_is_got, made))


def _is_got(value: ast.expr) -> bool:
    """Tell whether a value is there already: an attribute, an item, what `get` or `setdefault` of a mapping gives."""
    match value:
        case ast.Call(func=ast.Attribute(attr="get" | "setdefault")) | ast.Attribute() | ast.Subscript():
            return not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice))
    return False


@operator("slice", 3.4, "a slice takes too much or too little")
def slice_(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop, add or exchange the bounds of a slice."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice) or not is_value(source, node):
        return
    parts = (node.slice.lower, node.slice.upper, node.slice.step)
    low, high, step = (source.segment(part) if part is not None else "" for part in parts)
    counts = [name for name, kind in scope(source, node).items() if kind & NUMBERS]
    bounds = _from_the_end(node.slice, low, high, step)
    bounds += [(high, low, step), ("", high, step), (low, "", step), (low, high, ""), (high, "", step), ("", low, step)]
    bounds += [(low, high, "-1"), ("", "", step), (low or "1", high, step), (low, high or "-1", step)]
    for name in counts:
        bounds += [(low, name, step), (name, high, step), (low, f"{name} + 1", step), (f"{name} + 1", high, step)]
    own = grouped(source.segment(node.value), ATOM)
    yield from ranked(source, node, (f"{own}[{a}:{b}{':' + c if c else ''}]" for a, b, c in bounds), 0.5)
    yield replace(source, node, source.segment(node.value), 1.0, 0.8)


def _from_the_end(bounds: ast.Slice, low: str, high: str, step: str) -> list[tuple[str, str, str]]:
    """Return the last n for the first n and the other way round: `[-n:]` for `[:n]`."""
    if step or (low and high):
        return []
    bound, text = (bounds.upper, high) if high else (bounds.lower, low)
    if bound is None or isinstance(bound, ast.UnaryOp) or text == "0":
        return []
    back = f"-{grouped(text, UNARY)}"
    return [(back, "", "")] if high else [("", back, ""), (back, "", "")]


@operator("cut", 4.8, "only a part of a sequence was meant")
def cut(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Slice a sequence up to or from a number in scope, or leave out its first or its last item."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant) or not editable(source, node):
        return
    kind = kinds(source, node)
    if not kind & (SEQUENCES - {"range"}):
        return
    own = grouped(source.segment(node), ATOM)
    counts = [name for name, its in scope(source, node).items() if "int" in its]
    forms = ("{o}[:{n}]", "{o}[{n}:]", "{o}[{n} + 1:]", "{o}[:{n} + 1]", "{o}[{n}]")
    bounded = [form.format(o=own, n=name) for name in counts for form in forms]
    ends = [] if isinstance(node, ast.Subscript) else [f"{own}[1:]", f"{own}[:-1]"]
    yield from ranked(source, node, [*bounded, *ends], 0.5)


@operator("element", 4.8, "an element of a sequence was meant where a variable stands")
def element(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `sequence[index]`, of variables in scope, in the place of a variable."""
    if not isinstance(node, ast.Name) or not is_value(source, node):
        return
    if isinstance(source.parents.get(node), ast.Subscript | ast.Slice):
        return
    visible = scope(source, node)
    if visible.get(node.id, frozenset()) & (SEQUENCES | MAPPINGS):
        return
    counts = [name for name, kind in visible.items() if "int" in kind]
    wholes = [name for name, kind in visible.items() if kind & SEQUENCES and name != node.id]
    yield from ranked(source, node, (f"{whole}[{count}]" for whole in wholes for count in counts), 0.5)


@operator("missing_key", 4.0, "a key may be missing")
def missing_key(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make an update of a mapping's entry start from 0 or from an empty list."""
    match node:
        case ast.AugAssign(target=ast.Subscript(value=value, slice=key), op=ast.Add()) if not isinstance(
            key, ast.Slice
        ):
            kind = kinds(source, value)
            if not kind or kind & MAPPINGS:
                own, at = source.segment(value), source.segment(key)
                default = "[]" if "list" in kinds(source, node.value) else "0"
                text = f"{own}[{at}] = {own}.get({at}, {default}) + "
                added = grouped(source.segment(node.value), SUM)
                yield Splice(*source.span(node), text + added, f"a missing {quoted(at)} starts from {default}")
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=value, slice=key), attr="append" | "add" as verb)):
            own, at = source.segment(value), source.segment(key)
            start, end = source.span(node.func.value)  # type: ignore[attr-defined]
            empty = "[]" if verb == "append" else "set()"
            yield Splice(start, end, f"{own}.setdefault({at}, {empty})", f"a missing {quoted(at)} starts empty")
