"""Whether a function's own text shows a variable to be a number. Pure."""

from __future__ import annotations

import ast

_NUMBERS = frozenset({"abs", "count", "divmod", "enumerate", "find", "float", "index", "int", "len", "max", "min"})
_NUMBERS |= {"ord", "pow", "range", "round", "sum"}
"""Functions and methods that give numbers, or go over them."""
_KINDS = frozenset({"int", "float", "complex", "Decimal", "Fraction", "date", "datetime", "timedelta"})


def counts(name: str, function: ast.AST) -> bool:
    """Tell whether a variable is worked out, compared by size, counted on, or used where only a number goes."""
    return any(_shows(node, name) for node in ast.walk(function))


def _shows(node: ast.AST, name: str) -> bool:
    match node:
        case ast.BinOp(left=left, right=right):
            return _is(left, name) or _is(right, name)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is(operand, name)
        case ast.Compare(ops=ops, left=left, comparators=others) if any(map(_by_size, ops)):
            return any(_is(side, name) for side in (left, *others))
        case ast.AugAssign(target=target):
            return _is(target, name)
        case ast.Assign(targets=[target], value=value):
            return _binds(target, name) and _gives_number(value)
        case ast.AnnAssign(target=target, annotation=kind):
            return _is(target, name) and _is_kind(kind)
        case ast.arg(arg=own, annotation=ast.expr() as kind):
            return own == name and _is_kind(kind)
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
            return _binds(target, name) and _gives_number(over)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return any(_is(end, name) for end in (lower, upper, step))
        case ast.Call(func=ast.Name(id="range"), args=arguments):
            return any(_is(argument, name) for argument in arguments)
    return False


def _is(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _binds(target: ast.expr, name: str) -> bool:
    return any(_is(node, name) for node in ast.walk(target))


def _by_size(op: ast.cmpop) -> bool:
    return isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)


def _is_kind(annotation: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id in _KINDS for node in ast.walk(annotation))


def _gives_number(value: ast.expr) -> bool:
    """Tell whether a value holds a number, a calculation, or a call of what gives numbers."""
    for node in ast.walk(value):
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return True
            case ast.BinOp():
                return True
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in _NUMBERS:
                return True
    return False
