"""What an object remembers is not set back where it starts over: a counter, a list, a cached value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted
from .blocks import first_statement, has_own_lines, inserter, loop_around
from .companions import updated_attribute
from .scope import own_nodes

_EMPTY_CALLS = frozenset({"Counter", "OrderedDict", "defaultdict", "deque", "dict", "list", "set"})


@operator("kept_state", 4.2, "what an object remembers is not set back where it starts over")
def kept_state(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.used = 0`, as `__init__` has it, at the start of a method or after a field that it sets."""
    method = source.function(node)
    if method is None or not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    is_first = node is first_statement(method)
    sets = isinstance(node, ast.Assign) and updated_attribute(node) is not None
    if not (is_first or sets):
        return
    texts = _set_back(source, method)
    for at_start in [True] * is_first + [False] * sets:
        insert = inserter(source, node, not at_start)
        for text in texts:
            yield insert((text,), f"{quoted(text)} is added", 0.0)


@operator("run_ends", 3.8, "what counts things in a row is not set back where the row ends")
def run_ends(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Give an `if` in a loop an `else` that sets back what it counts: `else: current = 0`, as before the loop."""
    if not isinstance(node, ast.If) or node.orelse or node.body[0].lineno == node.lineno:
        return
    function, loop = source.function(node), loop_around(source, node)
    if function is None or loop is None or not all(has_own_lines(source, one) for one in (node, node.body[-1])):
        return
    counted = dict.fromkeys(_counted(one) for one in node.body)
    insert = inserter(source, node, True)
    for name, value in _starts(function, loop):
        if name in counted:
            text = f"{name} = {source.segment(value)}"
            yield insert(("else:", f"\t{text}"), f"{quoted(f'else: {text}')} is added", 0.0)


def _counted(statement: ast.stmt) -> str:
    """Return the variable that a statement counts or gathers in: `n` of `n += 1`, `n = n + 1` and `n.append(x)`."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add" | "extend"))):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value):
            return name if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value)) else ""
    return ""


def _starts(function: FunctionNode, loop: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the variables that start from nothing before a loop, with what they start with."""
    for statement in function.body:
        if statement is loop:
            return
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_start(value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for one, value in zip(names, values, strict=False):
                    if isinstance(one, ast.Name) and _is_start(value):
                        yield one.id, value
            case ast.Assign(targets=targets, value=value) if len(targets) > 1 and _is_start(value):
                yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))


def _set_back(source: Source, method: FunctionNode) -> list[str]:
    """Return what the object starts with, of the fields that another method changes and this one does not."""
    holder = source.parents.get(method)
    if not isinstance(holder, ast.ClassDef) or not method.args.args or method.name == "__init__":
        return []
    methods = [one for one in holder.body if isinstance(one, FunctionNode)]
    maker = next((one for one in methods if one.name == "__init__" and one.args.args), None)
    if maker is None:
        return []
    own = _changed(source, method)
    others = {name for one in methods if one not in (maker, method) for name in _changed(source, one)}
    self_, texts = method.args.args[0].arg, list[str]()
    for statement in maker.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=field)], value=value)
                | ast.AnnAssign(target=ast.Attribute(value=ast.Name(id=name), attr=field), value=ast.expr() as value)
            ) if name == maker.args.args[0].arg and field in others - own and _is_start(value):
                texts.append(f"{self_}.{field} = {source.segment(value)}")
    return texts


def _changed(source: Source, method: FunctionNode) -> set[str]:
    """Return the names of the fields that a method assigns, updates or calls a method of."""
    updated = (updated_attribute(node) for node in own_nodes(source, method))
    return {one.attr for one in updated if one is not None}


def _is_start(value: ast.expr) -> bool:
    """Tell whether a value is what something starts with: a constant, or an empty container."""
    match value:
        case ast.Constant():
            return True
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=name), args=[] | [ast.Name()], keywords=[]):
            return name in _EMPTY_CALLS
    return False
