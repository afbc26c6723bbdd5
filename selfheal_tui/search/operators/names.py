"""Names that are not there: a variable without a start, a module's variable taken for a local, a forgotten `self`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted
from .blocks import first_statement, has_own_lines, inserter, loop_around
from .scope import bound_at_top, own_nodes

_STARTS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("0", "[]", '""', "1"),
    ast.Mult: ("1", "0"),
    ast.BitOr: ("set()", "0"),
}
_FILLED = {"append": "[]", "extend": "[]", "add": "set()", "update": "{}", "insert": "[]", "setdefault": "{}"}


@operator("missing_start", 1.6, "a variable is used before it has a value")
def missing_start(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Give a variable that a function only updates a start, at its beginning or before the loop around the update."""
    if not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    function = source.function(node)
    if function is None:
        return
    starts = _without_start(source, function)
    for name, (values, outer) in starts.items():
        if node is outer or node is first_statement(function):
            insert = inserter(source, node)
            for place, value in enumerate(values):
                extra = 0.5 * place + (0.0 if node is outer else 0.4)
                yield insert((f"{name} = {value}",), f"{quoted(f'{name} = {value}')} is added", extra)


@operator("missing_global", 2.0, "a variable of the module is taken for a local one")
def missing_global(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Declare `global` a name of the module that a function assigns."""
    function = source.function(node)
    if function is None or node is not first_statement(function) or not isinstance(node, ast.stmt):
        return
    if not has_own_lines(source, node):
        return
    declared = {n for s in own_nodes(source, function) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
    args = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    stored = [n.id for n in own_nodes(source, function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for name in dict.fromkeys(stored):
        if name in bound_at_top(source) and name not in declared | args:
            extra = 0.0 if name in _without_start(source, function) else 2.0
            yield inserter(source, node)((f"global {name}",), f"`global {name}` is added", extra)


@operator("missing_self", 2.4, "an attribute of the object is taken for a variable")
def missing_self(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `self.` before a name that is an attribute or a method of the class."""
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Del):
        return
    method = source.function(node)
    holder = source.parents.get(method) if method is not None else None
    if method is None or not isinstance(holder, ast.ClassDef) or not method.args.args:
        return
    own = method.args.args[0].arg
    if node.id not in _members(source, holder) or node.id == own:
        return
    args = {arg.arg for arg in method.args.args}
    start = source.span(node)[0]
    extra = 0.0 if node.id not in args | _stored(source, method) else 1.6
    yield Splice(start, start, f"{own}.", f"{quoted(node.id)} becomes {quoted(f'{own}.{node.id}')}", 1.0, extra)


def _without_start(source: Source, function: FunctionNode) -> dict[str, tuple[tuple[str, ...], ast.stmt]]:
    """Return the variables that a function updates and never binds: likely starts, and where one belongs."""
    missing_starts: dict[ast.AST, dict[str, tuple[tuple[str, ...], ast.stmt]]] = source.memo.setdefault(
        "without_start", {}
    )
    if function not in missing_starts:
        updates: dict[str, tuple[tuple[str, ...], ast.stmt]] = {}
        targets: set[ast.AST] = set()
        for node in own_nodes(source, function):
            name = ""
            values: tuple[str, ...] = ()
            match node:
                case ast.AugAssign(target=ast.Name(id=name) as target, op=op):
                    targets.add(target)
                    values = _STARTS.get(type(op), ("0",))
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))):
                    values = (_FILLED[attr],) if attr in _FILLED else ()
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                    values = ("{}", "[]")
            if name and values and isinstance(node, ast.stmt):
                updates.setdefault(name, (values, _outermost(source, node)))
        bound = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
        for node in own_nodes(source, function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in targets:
                bound.add(node.id)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                bound.update(node.names)
        missing_starts[function] = {
            name: at for name, at in updates.items() if name not in bound and not _outside(source, function, name)
        }
    return missing_starts[function]


def _outermost(source: Source, node: ast.stmt) -> ast.stmt:
    outermost = node
    loop = loop_around(source, outermost)
    while loop is not None:
        outermost, loop = loop, loop_around(source, loop)
    return outermost


def _outside(source: Source, function: FunctionNode, name: str) -> bool:
    """Tell whether an import, a class, a function or an enclosing function binds the name."""
    at = source.function(function)
    while at is not None:
        if name in _stored(source, at) or any(arg.arg == name for arg in at.args.args):
            return True
        at = source.function(at)
    return any(
        name == getattr(node, "name", "")
        or any(name == (a.asname or a.name) for a in getattr(node, "names", ()) if isinstance(a, ast.alias))
        for node in source.tree.body
    )


def _stored(source: Source, function: FunctionNode) -> set[str]:
    return {n.id for n in own_nodes(source, function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _members(source: Source, holder: ast.ClassDef) -> frozenset[str]:
    members_of: dict[ast.AST, frozenset[str]] = source.memo.setdefault("members", {})
    if holder not in members_of:
        names = {n.name for n in holder.body if isinstance(n, FunctionNode)}
        for node in ast.walk(holder):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                names.add(node.attr)
        members_of[holder] = frozenset(names)
    return members_of[holder]
