"""Updates of an object that go together: beside `self.reserved[k] -= n` the like of it for `self.count` is missing."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted
from .blocks import has_own_lines, inserter
from .kinds import UNKNOWN, Kinds, guess, kinds
from .scope import bound_at_top, kin, own_nodes, scope

_LONGEST = 80
_MOST = 8
"""Attributes that are tried beside one."""
_TURNED: dict[type[ast.operator], str] = {ast.Add: "-=", ast.Sub: "+="}


@operator("companion", 4.4, "of two things that change together one is left as it was")
def companion(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert after an update of an attribute the same, or its opposite, of another one that the class changes."""
    updated = updated_attribute(node)
    if updated is None or not isinstance(node, ast.stmt) or not has_own_lines(source, node) or _sets_up(source, node):
        return
    text = source.segment(node)
    holder = class_of(source, node)
    if holder is None or len(text) > _LONGEST or "\n" in text:
        return
    changed = _changed_attributes(source, holder)
    own = changed.get(updated.attr, UNKNOWN)
    end = source.span(updated)[1] - source.span(node)[0]
    head, tail = text[: end - len(updated.attr)], text[end:]
    likely = [name for name, kind in changed.items() if name != updated.attr and kin(own, kind) is not False]
    alike = {name for name, form in _forms(source, holder) if form == _form(node)}
    likely.sort(key=lambda name: (kin(own, changed[name]) is None, name not in alike))
    insert = inserter(source, node, True)
    for place, name in enumerate(likely[:_MOST]):
        yield insert((f"{head}{name}{tail}",), f"{quoted(f'{head}{name}{tail}')} is added", 0.5 * bits(place))
        if isinstance(node, ast.AugAssign) and (sign := _TURNED.get(type(node.op))):
            turned = f"{head}{name}{tail.replace('-=' if sign == '+=' else '+=', sign, 1)}"
            yield insert((turned,), f"{quoted(turned)} is added", 1.0 + 0.5 * bits(place))


@operator(
    "opposite_update", 4.0, "a method leaves out the opposite of what another one does beside the opposite update"
)
def opposite_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert after `self.balance -= n` what a method that adds to it does beside that: `self.moves.append(-n)`."""
    if not isinstance(node, ast.AugAssign):
        return
    updated, method, holder = updated_attribute(node), source.function(node), class_of(source, node)
    if updated is None or method is None or holder is None:
        return
    changed = {_name_of(statement) for statement in own_nodes(source, method)}
    known = {*scope(source, node), *bound_at_top(source), method.args.args[0].arg if method.args.args else ""}
    for other in (one for one in holder.body if isinstance(one, FunctionNode) and one is not method):
        updates = [one for one in own_nodes(source, other) if isinstance(one, ast.stmt) and _name_of(one)]
        if not any(_name_of(one) == updated.attr and _is_opposite(one, node) for one in updates):
            continue
        for statement in updates:
            text = "" if _name_of(statement) in changed else _turned(statement)
            names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
            if text and len(text) <= _LONGEST and names <= known and has_own_lines(source, node):
                yield inserter(source, node, True)((text,), f"{quoted(text)} is added", 0.0)


@operator("sibling_update", 4.4, "a method leaves out what other methods of its class do")
def sibling_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert beside an update `self.done.append(self.text)`, as another method has it: likelier where two have it."""
    updated, method, holder = updated_attribute(node), source.function(node), class_of(source, node)
    if updated is None or method is None or holder is None or _sets_up(source, node):
        return
    if not isinstance(node, ast.stmt) or not has_own_lines(source, node):
        return
    changed = {_name_of(statement) for statement in own_nodes(source, method)}
    known = {*scope(source, node), *bound_at_top(source), method.args.args[0].arg if method.args.args else ""}
    texts = Counter(
        source.segment(one)
        for one in nodes_of_others(source, holder, method)
        if isinstance(one, ast.stmt)
        and (name := _name_of(one))
        and name not in changed
        and {part.id for part in ast.walk(one) if isinstance(part, ast.Name)} <= known
    )
    for place, (text, times) in enumerate(texts.most_common(_MOST)):
        if len(text) <= _LONGEST and "\n" not in text:
            extra = 0.5 * bits(place) + (0.0 if times > 1 else 0.8)
            yield inserter(source, node)((text,), f"{quoted(text)} is added", extra)
            yield inserter(source, node, True)((text,), f"{quoted(text)} is added", extra)


def nodes_of_others(source: Source, holder: ast.ClassDef, method: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes of the other methods of a class, but of the one that makes an object."""
    for other in holder.body:
        if isinstance(other, FunctionNode) and other is not method and other.name != "__init__":
            yield from own_nodes(source, other)


def _name_of(statement: ast.AST) -> str:
    updated = updated_attribute(statement)
    return updated.attr if updated is not None else ""


def _is_opposite(one: ast.AST, other: ast.AST) -> bool:
    """Tell whether one statement adds where the other one takes away."""
    match one, other:
        case ast.AugAssign(op=op), ast.AugAssign(op=another):
            return {type(op), type(another)} == {ast.Add, ast.Sub}
    return False


def _turned(statement: ast.AST) -> str:
    """Return an update with its opposite: `-n` is added to a list, a sum is taken away; empty where there is none."""
    turned = copy.deepcopy(statement)
    match turned:
        case ast.AugAssign(op=ast.Add() | ast.Sub() as op):
            turned.op = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
        case ast.Expr(value=ast.Call(args=[ast.Name() | ast.Attribute() as last]) as call):
            call.args = [ast.UnaryOp(ast.USub(), last)]
        case ast.Expr(value=ast.Call(args=[ast.Tuple(elts=[*others, ast.Name() as last])]) as call):
            call.args = [ast.Tuple([*others, ast.UnaryOp(ast.USub(), last)], ast.Load())]
        case _:
            return ""
    return ast.unparse(turned)


def updated_attribute(node: ast.AST) -> ast.Attribute | None:
    """Return the attribute that a statement assigns, updates, deletes from or calls a method of; None for others."""
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.Delete(targets=[target]):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))):
            pass
        case _:
            return None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) else None


def _sets_up(source: Source, node: ast.AST) -> bool:
    """Tell whether a node is in the method that makes an object."""
    function = source.function(node)
    return function is not None and function.name == "__init__"


def _form(node: ast.stmt) -> str:
    """Return how a statement changes its target: the name of a method, else whether it changes one item of it."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))):
            return method
        case ast.Assign(targets=[ast.Subscript()]) | ast.AugAssign(target=ast.Subscript()) | ast.Delete():
            return "[]"
    return ""


def _forms(source: Source, holder: ast.ClassDef) -> set[tuple[str, str]]:
    """Return (attribute, form) of each change that a class makes."""
    forms_in: dict[ast.AST, set[tuple[str, str]]] = source.memo.setdefault("forms_of_changes", {})
    if holder not in forms_in:
        statements = (node for node in ast.walk(holder) if isinstance(node, ast.stmt))
        forms_in[holder] = {
            (one.attr, _form(node)) for node in statements if (one := updated_attribute(node)) is not None
        }
    return forms_in[holder]


def class_of(source: Source, node: ast.AST) -> ast.ClassDef | None:
    """Return the class of the method in which a node stands; None elsewhere."""
    function = source.function(node)
    holder = source.parents.get(function) if function is not None else None
    return holder if isinstance(holder, ast.ClassDef) else None


def maker_of(holder: ast.ClassDef) -> FunctionNode | None:
    """Return the method that makes an object of a class; None where it has none of its own."""
    return next((one for one in holder.body if isinstance(one, FunctionNode) and one.name == "__init__"), None)


def attributes_given(holder: ast.ClassDef) -> list[str]:
    """Return the attributes that a class is given when it is made: `self.code = code`."""
    maker = maker_of(holder)
    arguments = {arg.arg for arg in maker.args.args} if maker is not None else set()
    names: dict[str, None] = {}
    for node in ast.walk(maker) if maker is not None else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=value)) if value in arguments:
                names[name] = None
    return [*names]


def _changed_attributes(source: Source, holder: ast.ClassDef) -> dict[str, Kinds]:
    """Return the attributes that a class changes, with what they are."""
    changed_in: dict[ast.AST, dict[str, Kinds]] = source.memo.setdefault("changed_attributes", {})
    if holder not in changed_in:
        statements = [node for node in ast.walk(holder) if isinstance(node, ast.stmt)]
        changed = {
            one.attr: UNKNOWN
            for node in statements
            if (one := updated_attribute(node)) is not None
            # What an object is only given when it is made does not change.
            and not (_sets_up(source, node) and isinstance(node, ast.Assign) and isinstance(node.value, ast.Name))
        }
        for node in ast.walk(holder):
            if isinstance(node, ast.Attribute) and node.attr in changed:
                changed[node.attr] |= kinds(source, node)
        for node in statements:
            match node:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=value) if changed.get(name) == UNKNOWN:
                    changed[name] = guess(source, value)
        changed_in[holder] = changed
    return changed_in[holder]
