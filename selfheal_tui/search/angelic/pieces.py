"""Calculations of a program over recorded values: only literals and pure functions of Python's own, nothing of it runs.

Raises what Python raises, and LookupError or TypeError for what is not known here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ..operators.growing import is_small

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda x, y: x in y,
    ast.NotIn: lambda x, y: x not in y,
    ast.Is: lambda x, y: x is y,
    ast.IsNot: lambda x, y: x is not y,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (len, sum, max, min, abs, sorted, set, str, int, float, list, tuple, bool, ord, any, all)
}
_METHODS = {
    *("lower", "upper", "strip", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace", "startswith"),
    *("endswith", "count", "index", "find", "split", "get", "keys", "values", "items"),
}


def evaluate(node: ast.expr, local: Mapping[str, Any]) -> Any:
    """Return what an expression is where these are the variables (and `name.attribute`)."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return local[name]
        case ast.Attribute():
            return local[ast.unparse(node)]
        case ast.BinOp(left=left, op=op, right=right):
            one, other = evaluate(left, local), evaluate(right, local)
            if type(op) is ast.Mod and not isinstance(one, int | float):
                raise TypeError("no formatting")
            return _BINARY[type(op)](*_checked(one, other))
        case ast.UnaryOp(op=sign, operand=operand):
            return _UNARY[type(sign)](evaluate(operand, local))
        case ast.BoolOp(op=word, values=parts):
            values = (evaluate(part, local) for part in parts)
            return all(values) if isinstance(word, ast.And) else any(values)
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _COMPARE[type(sign)](evaluate(left, local), evaluate(right, local))
        case ast.Subscript(value=whole, slice=ast.Slice(lower=lower, upper=upper, step=step)):
            ends = [None if part is None else evaluate(part, local) for part in (lower, upper, step)]
            return evaluate(whole, local)[slice(*ends)]
        case ast.Subscript(value=whole, slice=index):
            return evaluate(whole, local)[evaluate(index, local)]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _FUNCTIONS[name](*(evaluate(argument, local) for argument in arguments))
        case ast.Call(func=ast.Attribute(value=whole, attr=name), args=arguments, keywords=[]) if name in _METHODS:
            return getattr(evaluate(whole, local), name)(*(evaluate(argument, local) for argument in arguments))
    raise TypeError("nothing that is known here")


def _checked(one: Any, other: Any) -> tuple[Any, Any]:
    if not is_small(one, other):
        raise TypeError("too large")
    return one, other
