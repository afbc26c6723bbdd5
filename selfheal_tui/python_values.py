"""Values as source text: literals, and what a call of a type makes, as `date(2024, 1, 8)` or `[Point(x=1, y=2)]`. Pure.

An expression that computes, asks for an item or calls a function is none: what a person judges is written out.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping

from .python_source import is_literal, parse_expression

_OF_MODULES = {
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque"),
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "pathlib": ("Path", "PosixPath", "PurePath", "PurePosixPath"),
    "uuid": ("UUID",),
}
_SHORT = 40
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_HOMES = {name: module for module, names in _OF_MODULES.items() for name in names}
_BUILTIN = frozenset({"bytearray", "complex", "float", "frozenset", "range", "set"})


def is_value(source: str | ast.expr) -> bool:
    """Tell whether a text writes out a value; the types that it calls may be of any module."""
    if is_literal(source):
        return True
    try:
        return _is_value(source if isinstance(source, ast.expr) else parse_expression(source.strip()))
    except SyntaxError:
        return False


def worked_out(source: str) -> float | None:
    """Return what a short calculation with numbers gives, as `1 / 3`; None for anything else."""
    try:
        return _worked_out(parse_expression(source.strip())) if len(source) < _SHORT else None
    except (SyntaxError, ArithmeticError):
        return None


def _worked_out(node: ast.expr) -> float | None:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _number(left), _number(right)
            return None if one is None or other is None else _OPERATIONS[type(op)](one, other)
    return None


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return _worked_out(node)


def unknown_names(source: str, known: Collection[str]) -> list[str]:
    """Return the names in a value of which nobody says where they come from: no builtin, not among those `known`."""
    own = {*_HOMES, *_OF_MODULES}
    return [name for name in names_in(source) if name not in known and name not in own]


def as_imported(source: str, lines: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a value as a file may write it, and name -> the line that imports it, for what is of Python's own modules.

    `lines` is what the file imports, name -> line. Where `datetime` is a class there, `datetime.date(2024, 1, 8)` (a
    repr) becomes `date(2024, 1, 8)`.
    """
    put = _AsImported(lines)
    value = ast.unparse(put.visit(parse_expression(source.strip())))
    return value, put.needed


def names_in(source: str) -> list[str]:
    """Return the names that a value is made of, without builtins: `Point` and `dt` in `[Point(dt.date(1, 2, 3))]`."""
    names = [node.id for node in ast.walk(parse_expression(source.strip())) if isinstance(node, ast.Name)]
    return [*dict.fromkeys(name for name in names if name not in _BUILTIN)]


def _is_value(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return all(map(_is_value, items))
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _is_value(key) for key in keys) and all(map(_is_value, values))
        case ast.Call(func=func, args=arguments, keywords=keywords):
            parts = [*arguments, *(keyword.value for keyword in keywords if keyword.arg)]
            return len(parts) == len(arguments) + len(keywords) and _is_type(func) and all(map(_is_value, parts))
        case ast.Attribute(value=inner):  # `Color.RED`, `timezone.utc`
            return _is_type(inner)
    return is_literal(node)


def _is_type(node: ast.expr) -> bool:
    """Tell whether a name is one that types have: those that are known, and names that begin with a capital."""
    match node:
        case ast.Name(id=name):
            return name in _HOMES or name in _BUILTIN or name.lstrip("_")[:1].isupper()
        case ast.Attribute(value=inner, attr=name):
            return _is_dotted(inner) and (name in _HOMES or name.lstrip("_")[:1].isupper())
    return False


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


class _AsImported(ast.NodeTransformer):
    """Writes the types of Python's own modules as a file with these imports does."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        self._lines = lines
        self.needed: dict[str, str] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`datetime.date` of a repr, or `dt.date` of a person."""
        match node.value:
            case ast.Name(id=root) if node.attr in _OF_MODULES.get(root, ()):
                return node if self._is_module(root, root) else self._known(node.attr, root)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """`date`, where the file does not import that name."""
        if node.id in _HOMES and (node.id not in self._lines or self._is_module(node.id, _HOMES[node.id])):
            return self._known(node.id, _HOMES[node.id])
        return node

    def _known(self, name: str, module: str) -> ast.expr:
        """Return a type by the name that the file gives it, or its module; else by its own, which is to be imported."""
        for bound, line in self._lines.items():
            if self._is_module(bound, module):
                return ast.Attribute(ast.Name(bound, ast.Load()), name, ast.Load())
            if line in (f"from {module} import {name}", f"from {module} import {name} as {bound}"):
                return ast.Name(bound, ast.Load())
        self.needed[name] = f"from {module} import {name}"
        return ast.Name(name, ast.Load())

    def _is_module(self, name: str, module: str) -> bool:
        """Tell whether the file means that module by a name."""
        return self._lines.get(name) in (f"import {module}", f"import {module} as {name}")
