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
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod")},
    **{name: getattr(operator, f"__{name}__") for name in ("lshift", "rshift", "and", "xor", "or")},
    "divmod": divmod,
    "pow": pow,
}
_IN_PLACE = [name for name in _ARITHMETIC if name != "divmod"]


def _reflected(operation: Callable[..., object]) -> Callable[[Any, Any], object]:
    return lambda right, left: operation(left, right)


ORDERINGS = ("__lt__", "__le__", "__gt__", "__ge__")
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("__eq__", "__ne__", *ORDERINGS)
}
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
    **{name: getattr(operator, name) for name in ("__neg__", "__pos__", "__abs__", "__invert__", "__index__")},
    **{name: getattr(operator, name) for name in ("__contains__", "__getitem__", "__setitem__", "__delitem__")},
    **{f"__{kind.__name__}__": kind for kind in (bool, int, float, complex, bytes, reversed)},
    **{f"__{function.__name__}__": function for function in (round, len, iter, next)},
    **{f"__{function.__name__}__": function for function in (math.trunc, math.floor, math.ceil)},
    "__length_hint__": operator.length_hint,
    "__missing__": lambda value, key: type(value).__missing__(value, key),
    "__enter__": lambda value: type(value).__enter__(value),
    "__exit__": lambda value, error: type(value).__exit__(value, None if error is None else type(error), error, None),
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
    **dict.fromkeys(("__aiter__", "__anext__"), "iterates asynchronously over what the program made"),
    **dict.fromkeys(("__aenter__", "__aexit__"), "enters an asynchronous context of the program"),
    **dict.fromkeys(
        ("__get__", "__set__", "__delete__", "__set_name__"), "puts a descriptor of the program into a class of its own"
    ),
}
"""Those that would need both processes at once, and what a test does that uses one."""
GUESSED = frozenset(
    {
        *("startswith", "endswith", "issubset", "issuperset", "isdisjoint", "isalnum", "isalpha", "isascii"),
        *("isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle"),
        *("isupper", "is_integer", "difference", "symmetric_difference", "intersection", "union", "compare"),
        *("removeprefix", "removesuffix", "strip", "lstrip", "rstrip", "count", "index", "find", "rfind", "rindex"),
        *("partition", "rpartition", "split", "rsplit", "subtract", "is_relative_to", "relative_to", "match"),
        *("fullmatch", "equal", "equals", "equal_to", "is_equal", "is_equal_to", "isequal", "eq", "same", "same_as"),
        *("is_same", "isclose", "is_close", "almost_equal", "almost_equals", "allclose", "compare_to", "compareTo"),
        "cmp",
    }
)
"""Methods of data types, or in place of an operator, whose usual answer can be given without knowing the value."""
BY_NAME: dict[str, Callable[..., object]] = {**SERVED, **ALWAYS, **COMPARISONS}
