"""Variables that are set and never read: their value is what a later calculation lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .fitting import CHOICE, SUM, grouped
from .kinds import NUMBERS, SIZED, kinds
from .scope import editable, own_nodes, scope

_MOST_NAMES = 4


@operator("unused_value", 2.4, "a value is worked out and never used")
def unused_value(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add a variable that nothing reads, or its item at the same place of a tuple, to a value behind it."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Lambda) or not editable(source, node):
        return
    function, statement = source.function(node), source.statement(node)
    if function is None or statement is None:
        return
    visible = scope(source, node)
    unused = {name: value for name, value in _unused(source, function).items() if name in visible}
    text = source.segment(node)
    parent = source.parents.get(node)
    forms: list[str] = []
    for name, value in [*unused.items()][:_MOST_NAMES]:
        if value.end_lineno is not None and value.end_lineno >= statement.lineno:
            continue
        if isinstance(parent, ast.Tuple | ast.List):
            forms += _sums(f"{name}[{parent.elts.index(node)}]", text, name if _may_be_none(value) else "")
        elif not visible[name] & (SIZED - {"list", "tuple", "str"}):
            forms += _sums(name, text, name if _may_be_none(value) else "")
    known = kinds(source, node)
    yield from ranked(source, node, forms, 0.4, 0.0 if known & NUMBERS or not known else 1.0)


@operator("unused_item", 2.4, "what a loop goes through is not all used")
def unused_item(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Multiply by, or add, a name that a comprehension or a loop takes and never reads."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Lambda) or not editable(source, node):
        return
    loop = source.parents.get(node)
    match loop:
        case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part) | ast.SetComp(elt=part) if part is node:
            targets = [clause.target for clause in loop.generators]
        case ast.AugAssign(value=part) if part is node and isinstance(source.parents.get(loop), ast.For):
            loop = source.parents[loop]
            targets = [loop.target] if isinstance(loop, ast.For) else []
        case _:
            return
    known = kinds(source, node)
    if known and not known & NUMBERS:
        return
    taken = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    text = source.segment(node)
    for name in names:
        if len(names) > 1 and name not in taken and not name.startswith("_"):
            forms = [f"{grouped(text, SUM + 1)} * {name}", f"{text} + {name}", name]
            yield from ranked(source, node, forms, 0.6)


def _sums(part: str, text: str, guard: str) -> list[str]:
    """Return the sum and the difference; `guard` names what may be nothing, and then `text` stays as it is."""
    ends = f" if {guard} else {grouped(text, CHOICE + 1)}" if guard else ""
    return [f"{part} + {grouped(text, SUM + 1)}{ends}", f"{part} - {grouped(text, SUM + 1)}{ends}"]


def _may_be_none(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr="get"), args=[_], keywords=[]):
            return True
    return False


def _unused(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.expr]:
    """Return the variables of a function that are set once and never read, with what they are set to."""
    unused_in: dict[ast.AST, dict[str, ast.expr]] = source.memo.setdefault("unused_values", {})
    if function not in unused_in:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        taken = {node.id for node in names if isinstance(node.ctx, ast.Load | ast.Del)}
        shared = {n for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for n in node.names}
        unused: dict[str, ast.expr] = {}
        for node in own_nodes(source, function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if name not in taken | shared and not name.startswith("_") and not isinstance(value, ast.Constant):
                        unused[name] = value
        set_often = {name for name in unused if sum(node.id == name for node in names) > 1}
        unused_in[function] = {name: value for name, value in unused.items() if name not in set_often}
    return unused_in[function]
