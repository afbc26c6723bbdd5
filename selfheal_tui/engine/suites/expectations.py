"""What the assertions of a test say of which calls, and whether that agrees with an example. Pure.

Values are followed through what is plain: names bound once to a literal, rows of a parametrised case, loops over a
written list. Anything else is not understood, which never makes a contradiction.
"""

from __future__ import annotations

import ast
import builtins
import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.spec_text.example import parsed

from .test_cases import Function

_MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is said of one call."""

    key: str
    """The call, normalised."""
    text: str
    """As source."""
    value: str = ""
    """Source of what it equals; empty with `error`."""
    error: str = ""
    """Exceptions that it raises, joined by `|`."""
    within: float = 0.0
    """Numbers may differ by this much, or by a part in 10**9."""
    differs: bool = False
    """It must not equal the value."""
    truth: bool = False
    """Only whether it counts as true is said."""


def expectations(function: Function) -> Iterator[tuple[int | None, Expectation]]:
    """Yield what a case expects, with the row of a parametrised one (from 0; None for other cases)."""
    rows = parameter_rows(function)
    if rows is None:
        for one in _in_body(function.body, _locals(function, {})):
            yield None, one
        return
    for number, row in enumerate(rows.elts[:_MOST_ROWS]):
        for one in _in_body(function.body, _locals(function, _bound(_parameters(function), _row_values(row)))):
            yield number, one


def parameter_rows(function: Function) -> ast.List | ast.Tuple | None:
    """Return the written rows of a case that is parametrised exactly once."""
    decorators = [d for d in function.decorator_list if isinstance(d, ast.Call) and _last_name(d.func) == "parametrize"]
    rows = decorators[0].args[1] if len(decorators) == 1 and len(decorators[0].args) > 1 else None
    return rows if isinstance(rows, ast.List | ast.Tuple) else None


def keyed(call: str | ast.expr) -> str:
    """Return a key that equal calls share however they are written: `f(1)`, `m.f(1)`, `await f(1)`.

    Empty for a call that needs a variable.
    """
    node = parsed(call) if isinstance(call, str) else copy.deepcopy(call)
    node = _Plain().visit(node) if node is not None else None
    if not isinstance(node, ast.Call):
        return ""
    functions = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    free = [n for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in functions]
    return "" if any(n.id not in dir(builtins) for n in free) else ast.dump(node)


def conflict(expected: Expectation, example: Expectation) -> bool:
    """Tell whether a program cannot satisfy both; what cannot be compared does not conflict."""
    if expected.error and example.error:
        mine, other = _classes(expected.error), _classes(example.error)
        return bool(mine and other) and not any(issubclass(o, mine) for o in other)
    if expected.error or example.error:
        return not expected.differs
    try:
        want, shown = ast.literal_eval(expected.value), ast.literal_eval(example.value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    if expected.truth:
        return bool(shown) != bool(want)
    return _alike(want, shown, max(expected.within, example.within)) == expected.differs


def _alike(a: Any, b: Any, within: float) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=within)
    if isinstance(a, list | tuple) and type(a) is type(b):
        return len(a) == len(b) and all(_alike(x, y, within) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_alike(a[k], b[k], within) for k in a)
    return bool(a == b)


def _classes(names: str) -> tuple[type[BaseException], ...]:
    values = [getattr(builtins, name, None) for name in names.split("|")]
    good = [one for one in values if isinstance(one, type) and issubclass(one, BaseException)]
    return tuple(good) if len(good) == len(values) else ()


# --- statements


def _in_body(body: list[ast.stmt], values: Mapping[str, ast.expr]) -> Iterator[Expectation]:
    for node in body:
        match node:
            case ast.Assert():
                yield from _of_condition(_filled(node.test, values))
            case ast.Expr(value=ast.Call() as call):
                yield from _of_method(_filled(call, values))
            case ast.With() if len(node.items) == 1 and _last_name(_func(node.items[0].context_expr)) in _RAISES:
                yield from _of_raises(node, values)
            case ast.With():
                yield from _in_body(node.body, values)
            case ast.For():
                rows = _filled(node.iter, values)
                if isinstance(rows, ast.List | ast.Tuple) and not node.orelse:
                    names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
                    for row in rows.elts[:_MOST_ROWS]:
                        yield from _in_body(node.body, {**values, **_bound(names, _row_values(row))})


_RAISES = ("raises", "assertRaises")


def _of_raises(node: ast.With, values: Mapping[str, ast.expr]) -> Iterator[Expectation]:
    manager = node.items[0].context_expr
    if len(node.body) != 1 or not isinstance(manager, ast.Call) or not manager.args:
        return
    statement = node.body[0]
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    kinds = manager.args[0].elts if isinstance(manager.args[0], ast.Tuple) else [manager.args[0]]
    error = "|".join(_last_name(kind) for kind in kinds)
    if call is not None:
        call = _filled(call, values)
        if key := keyed(call):
            yield Expectation(key, f"{ast.unparse(call)} raises {error}", error=error)


def _of_condition(test: ast.expr) -> Iterator[Expectation]:
    match test:
        case ast.BoolOp(op=ast.And()):
            for part in test.values:
                yield from _of_condition(part)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as how]):
            left, right = test.left, test.comparators[0]
            if not keyed(left) or _last_name(_func(left)) == "approx":
                left, right = right, left
            yield from _expected(left, right, ast.unparse(test), isinstance(how, ast.NotEq | ast.IsNot))
        case ast.UnaryOp(op=ast.Not()):
            yield from _expected(test.operand, ast.Constant(False), ast.unparse(test), truth=True)
        case ast.Call() | ast.Await():
            yield from _expected(test, ast.Constant(True), ast.unparse(test), truth=True)


def _of_method(call: ast.expr) -> Iterator[Expectation]:
    """Read unittest's assertEqual and its kin."""
    assert isinstance(call, ast.Call)
    name, text = _last_name(call.func), ast.unparse(call)
    if name in ("assertEqual", "assertNotEqual", "assertEquals") and len(call.args) > 1:
        left, right = call.args[:2]
        if not keyed(left):
            left, right = right, left
        yield from _expected(left, right, text, name == "assertNotEqual")
    elif name in ("assertTrue", "assertFalse") and call.args:
        yield from _expected(call.args[0], ast.Constant(name == "assertTrue"), text, truth=True)


def _expected(
    call: ast.expr, value: ast.expr, text: str, differs: bool = False, truth: bool = False
) -> Iterator[Expectation]:
    within = 0.0
    if isinstance(value, ast.Call) and _last_name(value.func) == "approx" and value.args:
        options = {k.arg: k.value for k in value.keywords}
        value, within = value.args[0], max(_number(options.get("abs")), 0.0)
        size = abs(_number(value))
        within = max(within, _number(options.get("rel"), 0.0 if "abs" in options else 1e-6) * size)
    if key := keyed(call):
        yield Expectation(key, text, ast.unparse(value), within=within, differs=differs, truth=truth)


def _number(node: ast.expr | None, default: float = 0.0) -> float:
    try:
        value = ast.literal_eval(node) if node is not None else default
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return default
    return float(value) if isinstance(value, int | float) else default


# --- names and their values


def _locals(function: Function, parameters: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    """Return names bound once at the function's top level and read once: nothing can change them in between."""
    values = dict(parameters)
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    bound = [n.id for n in names if not isinstance(n.ctx, ast.Load)]
    read = [n.id for n in names if isinstance(n.ctx, ast.Load)]
    for node in function.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if bound.count(name) == 1 and read.count(name) == 1:
                values[name] = _filled(node.value, values)
    return values


def _bound(names: list[str], values: list[ast.expr]) -> dict[str, ast.expr]:
    if len(names) == 1 and len(values) != 1:
        values = [ast.Tuple(values, ast.Load())]
    return dict(zip(names, values, strict=False)) if len(names) == len(values) else {}


def _parameters(function: Function) -> list[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and _last_name(decorator.func) == "parametrize":
            first = decorator.args[0]
            if isinstance(first, ast.Constant):
                return [name.strip() for name in str(first.value).split(",") if name.strip()]
            if isinstance(first, ast.List | ast.Tuple):
                return [str(n.value) for n in first.elts if isinstance(n, ast.Constant)]
    return []


def _row_values(row: ast.expr) -> list[ast.expr]:
    if isinstance(row, ast.Call) and _last_name(row.func) == "param":
        return list(row.args)
    return list(row.elts) if isinstance(row, ast.Tuple) else [row]


def _filled(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    class Fill(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return copy.deepcopy(values[name.id]) if isinstance(name.ctx, ast.Load) and name.id in values else name

    filled: ast.expr = Fill().visit(copy.deepcopy(node))
    return filled


class _Plain(ast.NodeTransformer):
    """Leave the module out of a qualified call, `await` too, and keyword arguments in the order of their names."""

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self.visit(node.value)  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module not in dir(builtins):
                node.func = ast.Name(name, ast.Load())
        node.keywords.sort(key=lambda one: one.arg or "")
        return node


def _func(node: ast.AST) -> ast.AST:
    return node.func if isinstance(node, ast.Call) else node


def _last_name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
