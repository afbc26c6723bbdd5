"""Parts of a sort's key that order nothing after a change: `(p[1], p[0])` becomes `(p[1], p[-1])`. Pure."""

from __future__ import annotations

import ast
import copy

from .tree_changes import TreeChange

_PAIRS = ("items", "enumerate")


def orders_nothing(change: TreeChange) -> str:
    """Say which part of a key tells nothing apart that it told apart before; empty where none does."""
    key = next((node for node in reversed(change.inside) if isinstance(node, ast.Lambda)), None)
    is_key = any(isinstance(node, ast.keyword) and node.arg == "key" for node in change.inside)
    if key is None or not is_key or change.old is None or len(key.args.args) != 1:
        return ""
    after = _after(key.body, change.old, change.new)
    size, item = _size_of_items(change.inside), key.args.args[0].arg
    was, now = _parts(key.body, item, size), _parts(after, item, size)
    text = f"`{ast.unparse(after)}`"
    if len(was) < 2 or len({*was}) < len(was) or "" in was:
        return ""
    if isinstance(after, ast.Tuple) and len({*now}) < len(now):
        return f"{text} has the same value twice: the second one orders nothing."
    if "" in now:
        return f"A part of {text} is the same for all items: it orders nothing."
    if {*now} < {*was}:
        return f"The key is only {text}: what it went by for equal ones is gone."
    return ""


def _after(body: ast.expr, old: ast.AST, new: ast.AST | None) -> ast.expr:
    """Return what a key is after the change; a part that goes is left out."""
    if new is not None:
        return copy.deepcopy(body, {id(old): new})
    if isinstance(body, ast.Tuple):
        return ast.Tuple([part for part in body.elts if part is not old], ast.Load())
    return body


def _parts(body: ast.expr, item: str, size: int) -> list[str]:
    """Return what each part of a key goes by, without its direction; an empty text for one that no item changes."""
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    return [_meant(part, item, size) for part in parts]


def _meant(part: ast.expr, item: str, size: int) -> str:
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
        part = part.operand
    match part:
        case ast.Subscript(
            value=ast.Name(id=name), slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back)))
        ) if name == item and size:
            return f"{item}[{size - back}]"
    names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
    return ast.unparse(part) if item in names else ""


def _size_of_items(inside: tuple[ast.AST, ...]) -> int:
    """Return of how many parts the items are that are sorted, as the loop over them or their source says; else 0."""
    for node in reversed(inside):
        match node:
            case ast.Call(args=[ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)), *_]) if name in _PAIRS:
                return 2
            case ast.For(target=ast.Tuple(elts=parts)) | ast.comprehension(target=ast.Tuple(elts=parts)):
                return 0 if any(isinstance(part, ast.Starred) for part in parts) else len(parts)
            case ast.stmt():
                return 0
    return 0
