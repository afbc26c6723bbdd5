"""Collections that a program reads and never fills: an object is made with an empty list, and nothing goes into it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import has_own_lines, inserter
from .companions import class_of, maker_of
from .scope import own_nodes

_PUTS = {"list": "append", "deque": "append", "set": "add"}
_READERS = frozenset(
    {"all", "any", "enumerate", "iter", "len", "list", "max", "min", "reversed", "set", "sorted", "sum"}
)
_READING = frozenset({"clear", "copy", "count", "discard", "index", "pop", "popleft", "remove"})
_TAKING = frozenset({"clear", "discard", "pop", "popleft", "remove"})
_MOST_ARGUMENTS = 3
_BEFORE_BITS = 0.6
"""For putting in what an attribute was before it is set."""
_UNTOLD_BITS = 0.8
"""For a value of which nothing says that it belongs into the collection."""


@operator("never_filled", 3.4, "a list or set is read and nothing is ever put into it")
def never_filled(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.history.append(self.state)` beside `self.state = ...`, or `self.seen.add(name)` as a method ends.

    Only for a list, deque or set that `__init__` makes, that the file reads, and that nothing in the file fills,
    replaces or hands on; and not in a method that takes things out of it. What it starts with comes first, then what
    the method looks for in it.
    """
    if not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    method, holder = source.function(node), class_of(source, node)
    if method is None or holder is None or method.name == "__init__" or not method.args.args:
        return
    own, place = method.args.args[0].arg, 0
    for name, start in _unfilled(source, holder).items():
        if _takes_from(source, method, name):
            continue
        put = f"{own}.{name}.{_PUTS[_kind(start)]}"
        for value, after, extra in _values(source, holder, method, node, start, name):
            text = f"{put}({value})"
            yield inserter(source, node, after)((text,), f"{quoted(text)} is added", extra + 0.5 * bits(place))
            place += 1


def _values(
    source: Source, holder: ast.ClassDef, method: FunctionNode, node: ast.stmt, start: ast.expr, name: str
) -> Iterator[tuple[str, bool, float]]:
    """Yield what may be put in at a statement, as (value, whether after it, bits)."""
    own = method.args.args[0].arg
    match node:
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id=of), attr=attr)])
            | ast.AugAssign(target=ast.Attribute(value=ast.Name(id=of), attr=attr))
        ) if of == own:
            extra = 0.0 if _starts_with(source, holder, start, attr) else _UNTOLD_BITS
            yield f"{own}.{attr}", True, extra
            yield f"{own}.{attr}", False, extra + _BEFORE_BITS
    if node is method.body[-1]:
        sought = _sought(source, method, name)
        given = [arg.arg for arg in method.args.args[1:]][:_MOST_ARGUMENTS]
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            given.append(node.value.id)
        for value in sorted(dict.fromkeys(given), key=lambda one: one not in sought):
            if not isinstance(node, ast.Raise):
                yield value, not isinstance(node, ast.Return), 0.0 if value in sought else _UNTOLD_BITS


def _unfilled(source: Source, holder: ast.ClassDef) -> dict[str, ast.expr]:
    """Return the collections of a class that are read and never filled, with what they start with."""
    unfilled_in: dict[ast.AST, dict[str, ast.expr]] = source.memo.setdefault("unfilled", {})
    if holder not in unfilled_in:
        started = _started(holder)
        collections = {name: value for name, value in started.items() if _kind(value) in _PUTS}
        uses: dict[str, list[bool]] = {}
        for one in ast.walk(source.tree):
            if isinstance(one, ast.Attribute) and one.attr in collections:
                uses.setdefault(one.attr, []).append(_only_reads(source, one))
        # The one use that does more is where it is made.
        unfilled_in[holder] = {
            name: value for name, value in collections.items() if uses[name].count(False) == 1 < len(uses[name])
        }
    return unfilled_in[holder]


def _started(holder: ast.ClassDef) -> dict[str, ast.expr]:
    """Return what `__init__` sets each attribute to."""
    started: dict[str, ast.expr] = {}
    maker = maker_of(holder)
    for node in ast.walk(maker) if maker is not None else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=name)], value=value):
                started[name] = value
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(), attr=name), value=ast.expr() as value):
                started[name] = value
    return started


def _kind(value: ast.expr) -> str:
    match value:
        case ast.List():
            return "list"
        case ast.Set():
            return "set"
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _only_reads(source: Source, use: ast.Attribute) -> bool:
    """Tell whether a use of a collection neither fills nor replaces it, and gives it to nobody who may."""
    around = source.parents.get(use)
    match around:
        case _ if not isinstance(use.ctx, ast.Load):
            return False
        case ast.Attribute(attr=method):
            return method in _READING
        case ast.Call(func=ast.Name(id=called)):
            return called in _READERS
        case ast.Subscript(ctx=ast.Store()):
            return False
        case ast.Subscript() | ast.Compare() | ast.For() | ast.comprehension() | ast.Return():
            return True
        case ast.BoolOp() | ast.UnaryOp() | ast.If() | ast.While() | ast.IfExp() | ast.BinOp() | ast.FormattedValue():
            return True
    return False


def _takes_from(source: Source, method: FunctionNode, name: str) -> bool:
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _TAKING
        and isinstance(one.func.value, ast.Attribute)
        and one.func.value.attr == name
        for one in own_nodes(source, method)
    )


def _starts_with(source: Source, holder: ast.ClassDef, start: ast.expr, attribute: str) -> bool:
    """Tell whether a collection starts with what an attribute starts with."""
    value = _started(holder).get(attribute)
    items = start.elts if isinstance(start, ast.List | ast.Set) else []
    return value is not None and any(source.segment(item) == source.segment(value) for item in items)


def _sought(source: Source, method: FunctionNode, name: str) -> set[str]:
    """Return the variables that a method looks for in a collection: `name in self.seen`."""
    found: set[str] = set()
    for one in own_nodes(source, method):
        match one:
            case ast.Compare(
                left=ast.Name(id=sought), ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(attr=attr)]
            ) if attr == name:
                found.add(sought)
    return found
