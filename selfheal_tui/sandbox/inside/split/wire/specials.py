"""The special methods that cross: their names, and how the candidate carries each out.

The operation is always the whole one (`left + right`, not `left.__add__`), so reflected methods and `NotImplemented`
are settled over there.
"""

from __future__ import annotations

import copy
import math
import operator
import os
from collections.abc import Callable
from typing import Any

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "matmul": operator.matmul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
    "pow": pow,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "and": operator.and_,
    "xor": operator.xor,
    "or": operator.or_,
}
_IN_PLACE = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "xor", "or")


def _reflected(operation: Callable[..., object]) -> Callable[[Any, Any], object]:
    return lambda right, left: operation(left, right)


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "__eq__": operator.eq,
    "__ne__": operator.ne,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
ORDERINGS = ("__lt__", "__le__", "__gt__", "__ge__")
OPERATORS = (
    *(f"__{name}__" for name in _ARITHMETIC),
    *(f"__r{name}__" for name in _ARITHMETIC),
    *(f"__i{name}__" for name in _IN_PLACE),
)
"""Those of two operands."""
DECISIONS = ("__bool__", "__contains__", *ORDERINGS)
"""What says yes or no: a pass that rests on it rests on the program's word."""
READS = frozenset(
    {
        *("__len__", "__iter__", "__reversed__", "__next__", "__getitem__", "__length_hint__", "__bool__"),
        *("__contains__", "keys", "values", "items"),
    }
)
"""What should change nothing."""
SERVED: dict[str, Callable[..., object]] = {
    **{f"__{name}__": operation for name, operation in _ARITHMETIC.items()},
    **{f"__r{name}__": _reflected(operation) for name, operation in _ARITHMETIC.items()},
    **{f"__i{name}__": getattr(operator, f"__i{name}__") for name in _IN_PLACE},
    **{name: COMPARISONS[name] for name in ORDERINGS},
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__abs__": abs,
    "__invert__": operator.invert,
    "__bool__": bool,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
    "__index__": operator.index,
    "__round__": round,
    "__trunc__": math.trunc,
    "__floor__": math.floor,
    "__ceil__": math.ceil,
    "__len__": len,
    "__length_hint__": operator.length_hint,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__missing__": lambda value, key: type(value).__missing__(value, key),
    "__iter__": iter,
    "__next__": next,
    "__reversed__": reversed,
    "__enter__": lambda value: type(value).__enter__(value),
    "__exit__": lambda value, error: type(value).__exit__(value, None if error is None else type(error), error, None),
    "__bytes__": bytes,
    "__fspath__": os.fspath,
}
"""Those that a local class has where the program's class has them."""
ALWAYS: dict[str, Callable[..., object]] = {
    "__repr__": repr,
    "__str__": str,
    "__format__": format,
    "__hash__": hash,
    "__dir__": dir,
    "__copy__": copy.copy,
    "__deepcopy__": copy.deepcopy,
}
"""Those that every object has."""
NOT_CARRIED: dict[str, str] = {
    "__await__": "awaits what the program made",
    "__aiter__": "iterates asynchronously over what the program made",
    "__anext__": "iterates asynchronously over what the program made",
    "__aenter__": "enters an asynchronous context of the program",
    "__aexit__": "enters an asynchronous context of the program",
    "__get__": "puts a descriptor of the program into a class of its own",
    "__set__": "puts a descriptor of the program into a class of its own",
    "__delete__": "puts a descriptor of the program into a class of its own",
    "__set_name__": "puts a descriptor of the program into a class of its own",
}
"""Those that would need both processes at once, and what a test does that uses one."""
GUESSED = frozenset(
    {
        *("startswith", "endswith", "issubset", "issuperset", "isdisjoint", "isalnum", "isalpha", "isascii"),
        *("isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle"),
        *("isupper", "is_integer", "difference", "symmetric_difference", "intersection", "union", "compare"),
        *("removeprefix", "removesuffix", "strip", "lstrip", "rstrip", "count", "index", "find", "rfind", "rindex"),
        *(
            "partition",
            "rpartition",
            "split",
            "rsplit",
            "subtract",
            "is_relative_to",
            "relative_to",
            "match",
            "fullmatch",
        ),
        *("equal", "equals", "equal_to", "is_equal", "is_equal_to", "isequal", "eq", "same", "same_as", "is_same"),
        *("isclose", "is_close", "almost_equal", "almost_equals", "allclose", "compare_to", "compareTo", "cmp"),
    }
)
"""Methods of data types, or in place of an operator, whose usual answer can be given without knowing the value."""
BY_NAME: dict[str, Callable[..., object]] = {**SERVED, **ALWAYS, **COMPARISONS}
