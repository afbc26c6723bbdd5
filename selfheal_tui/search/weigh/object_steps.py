"""What tests do with objects: the steps of a test function, what its assertions read, what it expects to be refused.

Objects that a fixture or a set-up makes are made by its steps. Pure.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence

from selfheal_tui.python_source import is_literal
from selfheal_tui.python_values import is_value
from selfheal_tui.steps import setting_step

from ..program.bound import PutValues
from .named_values import NamedValues, named_values
from .plain_cases import plain_cases

_MOST_TIMES = 5
_MOST_STEPS = 8


def own_steps(tests: Mapping[str, str]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps, what an assertion reads after them) of every test function."""
    values = named_values(tests)
    for path, text in tests.items():
        for node, before in _test_functions(path, text, values):
            yield from _reads([*before, *node.body[:_MOST_STEPS]])


def _test_functions(
    path: str, text: str, values: Mapping[str, NamedValues]
) -> Iterator[tuple[ast.FunctionDef, Sequence[ast.stmt]]]:
    """Yield the test functions of a file, each with the steps of its fixtures."""
    for case in plain_cases(text):
        before = values[path].steps_before(case)
        if before is not None:
            yield case, before


def _reads(body: Sequence[ast.stmt]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps before it, what an assertion reads of an object) until a statement that is neither."""
    steps: list[ast.expr] = []
    names: set[str] = set()
    for statement in body:
        match statement:
            case ast.Assert(test=test) if (read := _looked_at(test)) is not None:
                if _is_of(read, names):
                    yield [*steps], read
                steps.append(read)
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                if not (more := _steps_of(statement)):
                    return
                steps += more
                names |= made_by(more).keys()


def _reads_in(body: Sequence[ast.stmt], names: Collection[str]) -> list[ast.expr]:
    """Return what assertions among statements read of objects of these names."""
    reads = [_looked_at(statement.test) for statement in body if isinstance(statement, ast.Assert)]
    return [read for read in reads if read is not None and _is_of(read, names)]


def _looked_at(test: ast.expr) -> ast.expr | None:
    """Return what an assertion compares with something plain, or asks for its truth; None for another one."""
    match test:
        case ast.Compare(left=read, ops=[ast.Eq() | ast.Is()], comparators=[right]) if _is_plain(right):
            return read
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() | ast.Attribute() | ast.Subscript() as read):
            return read
        case ast.Compare(left=sought, ops=[ast.In() | ast.NotIn()], comparators=[holder]) if is_literal(sought):
            return ast.Compare(sought, [ast.In()], [holder])
        case ast.Call() | ast.Attribute() | ast.Subscript():
            return test
    return None


def _is_plain(wanted: ast.expr) -> bool:
    """Tell whether what is wanted is a value, or read of objects without a call: `[second.number]`."""
    return is_value(wanted) or not any(isinstance(node, ast.Call | ast.Name) for node in _parts(wanted))


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what is in it, without the names that attributes are read of."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Attribute) and isinstance(inner, ast.Name)):
            yield from _parts(inner)


def _is_of(read: ast.expr, names: Collection[str]) -> bool:
    """Tell whether a read is of one of these names: `c.rate()`, `desk.stock.left("cup")`, `shop.items["cup"].price`,
    or a function's that takes one: `total(shop)`.
    """
    match read:
        case ast.ListComp(elt=ast.Call() as call, generators=[ast.comprehension(iter=over, ifs=[])]):
            return bool(_rounds(over)) and _is_of(call, names)
        case ast.Call(func=ast.Name(), args=[ast.Name(id=name), *others], keywords=[]):
            return name in names and all(map(is_literal, others))
        case ast.Compare(comparators=[ast.Name(id=name)]):
            return name in names
        case ast.Compare(comparators=[holder]):
            return _is_of(holder, names)
    inner = read.func if isinstance(read, ast.Call) else read
    if not isinstance(inner, ast.Attribute | ast.Subscript):
        return False
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Subscript) and not is_literal(inner.slice):
            return False
        inner = inner.value
    return isinstance(inner, ast.Name) and inner.id in names


def refused_calls(tests: Mapping[str, str]) -> Iterator[tuple[list[ast.expr], ast.Call, list[ast.expr]]]:
    """Yield (steps before it, the call, what is read after it) of every call that a test function expects to raise."""
    values = named_values(tests)
    for path, text in tests.items():
        for node, before in _test_functions(path, text, values):
            for at, statement in enumerate(node.body[:_MOST_STEPS]):
                if (call := _refused(statement)) is not None:
                    steps = _steps([*before, *node.body[:at]])
                    if steps is None:
                        break
                    yield steps, call, _reads_in(node.body[at + 1 :], made_by(steps))


def _refused(statement: ast.stmt) -> ast.Call | None:
    """Return the call that a statement expects to raise: `with pytest.raises(ValueError): desk.pay(0)`."""
    match statement:
        case ast.With(items=[ast.withitem(context_expr=ast.Call(func=func))], body=[ast.Expr(ast.Call() as call)]):
            return call if ast.unparse(func).endswith(("raises", "assertRaises")) else None
    return None


def _steps(body: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return statements as steps; None where one is no call, no assignment of one and no assertion.

    What a test expects to raise is no step: it changes nothing.
    """
    steps: list[ast.expr] = []
    for statement in body:
        match statement:
            case ast.Assert() | ast.Expr(value=ast.Constant()):
                continue
            case _ if _refused(statement) is None:
                if not (more := _steps_of(statement)):
                    return None
                steps += more
    return steps


def _steps_of(statement: ast.stmt) -> list[ast.expr]:
    """Return a statement as steps; none where it is no call, no assignment of one and no loop over a few."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as value):
            return [ast.NamedExpr(target, value)]
        case ast.Expr(value=ast.Call() as value):
            return [value]
        case ast.Assign(targets=[ast.Attribute(value=ast.Name() as owner, attr=attr)], value=value):
            return [setting_step(ast.Name(owner.id, ast.Load()), attr, value)]
        case ast.For(target=ast.Name(id=name), iter=over, body=[ast.Expr(value=ast.Call() as call)], orelse=[]):
            return [PutValues({name: value}).visit(copy.deepcopy(call)) for value in _rounds(over)]
    return []


def _rounds(over: ast.expr) -> list[ast.expr]:
    """Return what a loop over `range(3)` or `("a", "b")` takes in each round; nothing where that is not known."""
    match over:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as times)], keywords=[]):
            return [ast.Constant(number) for number in range(times)] if times <= _MOST_TIMES else []
        case ast.Tuple(elts=items) | ast.List(elts=items) if all(map(is_literal, items)):
            return items if len(items) <= _MOST_TIMES else []
    return []


def made_by(steps: Sequence[ast.expr]) -> dict[str, str]:
    """Return what steps make: name -> how."""
    return {step.target.id: ast.unparse(step.value) for step in steps if isinstance(step, ast.NamedExpr)}


def is_read_of(read: ast.expr, here: Mapping[str, str], there: Mapping[str, str]) -> bool:
    """Tell whether all that a test reads is made `here` as it is `there`, where it is read."""
    names = {node.id for node in ast.walk(read) if isinstance(node, ast.Name)} & (here.keys() | there.keys())
    return bool(names) and all(name in here and here[name] == there.get(name) for name in names)
